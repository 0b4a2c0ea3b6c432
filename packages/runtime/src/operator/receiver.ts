/**
 * The calling convention between operators: one item at a time. A receiver that has to wait keeps later items in its own
 * queue; the call itself never waits. `key` is the record's key inside a keyed stream, else `undefined`.
 */
export interface Receiver<T> {
  record(value: T, timestamp: number, key: unknown): void;
  /** Nothing with a timestamp ≤ it is expected any more. */
  watermark(timestamp: number): void;
  /** The input became quiet, or active again. */
  status(idle: boolean): void;
  /** The input has ended; time is at its end. Comes once, after everything else. */
  end(): void;
  /**
   * What really looks at the watermarks that are sent here, where this receiver only passes them on. While no promise is
   * pending nothing is held back on the way, and watermarks can go there directly: one call instead of one per operator.
   */
  readonly watermarkTarget?: Receiver<never>;
}

// A graph joins receivers of all kinds of values; the typed builder is what keeps the kinds together.
export type AnyReceiver = Receiver<any>; // eslint-disable-line @typescript-eslint/no-explicit-any -- see above

/** Takes everything and does nothing: the output of an operator that nobody listens to. */
export const NOWHERE: AnyReceiver = Object.freeze({
  record: () => undefined,
  watermark: () => undefined,
  status: () => undefined,
  end: () => undefined,
});

export function watermarkTarget(receiver: AnyReceiver): AnyReceiver {
  return receiver.watermarkTarget ?? receiver;
}

class Multicast implements Receiver<unknown> {
  readonly #receivers: readonly AnyReceiver[];

  constructor(receivers: readonly AnyReceiver[]) {
    this.#receivers = receivers;
  }

  get watermarkTarget(): AnyReceiver {
    return multicast(this.#receivers.map(watermarkTarget).filter((receiver) => receiver !== NOWHERE));
  }

  record(value: unknown, timestamp: number, key: unknown): void {
    for (const receiver of this.#receivers) receiver.record(value, timestamp, key);
  }

  watermark(timestamp: number): void {
    for (const receiver of this.#receivers) receiver.watermark(timestamp);
  }

  status(idle: boolean): void {
    for (const receiver of this.#receivers) receiver.status(idle);
  }

  end(): void {
    for (const receiver of this.#receivers) receiver.end();
  }
}

/** One receiver for several, in their order. */
export function multicast(receivers: readonly AnyReceiver[]): AnyReceiver {
  const [first, ...others] = receivers;
  if (first === undefined) return NOWHERE;
  return others.length === 0 ? first : new Multicast(receivers);
}
