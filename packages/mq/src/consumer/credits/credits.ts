export interface CreditLimits {
  readonly maxMessages: number;
  readonly maxBytes: number;
  /** Messages that one read may ask for. */
  readonly maxChunk: number;
}

/** What a read asks for while nobody knows how large the messages are. */
const FIRST_CHUNK = 16;

/** How much of the old estimate stays when a read brings smaller messages. */
const MEMORY = 0.75;

/**
 * How much of a partition may still be read ahead, in messages and bytes. Redis limits a read by messages only, and their bytes
 * are known afterwards: so `chunk` goes by the size of those before.
 */
export class Credits {
  readonly #limits: CreditLimits;
  #messages = 0;
  #bytes = 0;
  #size = 0;
  #most = FIRST_CHUNK;

  constructor(limits: CreditLimits) {
    this.#limits = limits;
  }

  /** Messages that may still be taken. */
  get free(): number {
    return Math.max(0, this.#limits.maxMessages - this.#messages);
  }

  get freeBytes(): number {
    return Math.max(0, this.#limits.maxBytes - this.#bytes);
  }

  /** Bytes per message, as expected of the next read. 0 before the first. */
  get averageSize(): number {
    return this.#size;
  }

  /**
   * How many messages the next read should ask for; 0 when it should wait. It starts small and at most doubles from read to read,
   * and starts anew after one that brought more than there was room for. Never less than one while there is any room, so that a
   * message larger than `maxBytes` is read too.
   */
  chunk(): number {
    if (this.freeBytes === 0) return 0;
    const fitting = this.#size === 0 ? Infinity : Math.max(1, Math.floor(this.freeBytes / this.#size));
    return Math.min(this.free, this.#limits.maxChunk, this.#most, fitting);
  }

  /** To be called once per read, with all that it brought. */
  take(messages: number, bytes: number): void {
    if (messages === 0) return;
    const fitted = bytes <= this.freeBytes;
    this.#messages += messages;
    this.#bytes += bytes;
    const size = bytes / messages;
    // Up at once, down slowly: too large an estimate costs a round trip, too small a one costs memory.
    this.#size = Math.max(size, this.#size * MEMORY + size * (1 - MEMORY));
    this.#most = fitted ? Math.min(this.#limits.maxChunk, this.#most * 2) : FIRST_CHUNK;
  }

  /** Gives back what was taken; never more than that. */
  give(messages: number, bytes: number): void {
    this.#messages = Math.max(0, this.#messages - messages);
    this.#bytes = Math.max(0, this.#bytes - bytes);
  }
}
