import { isRsError } from '@rs/core';
import type { RedisConnection, RedisNode, RedisReply } from '../driver/driver.ts';
import { silence } from './silence.ts';
import type { Turn } from './turn.ts';

/** Between two UNBLOCKs: the first may be there before the command that it is to end. */
const RETRY_MILLIS = 5;

export interface WakerOptions {
  /** Milliseconds of silence on the connection until it is given up. */
  readonly patience: number;
  readonly unblock: (id: number, node: RedisNode) => Promise<RedisReply>;
}

/** The connection whose call is to end. */
export interface Sleeper extends Pick<RedisConnection, 'node' | 'traffic'> {
  /** Its `CLIENT ID`; 0 where the server does not tell. */
  readonly id: number;
  /** Destroys it, which ends the call too. */
  readonly drop: () => void;
}

/** Ends calls that block on the server, from another connection. */
export class Waker {
  readonly #options: WakerOptions;
  #running: Promise<void> = Promise.resolve();

  constructor(options: WakerOptions) {
    this.#options = options;
  }

  /** Settled when no UNBLOCK is under way any more that could hit. Ids of connections are not used twice. */
  idle(): Promise<void> {
    return this.#running;
  }

  wake(turn: Turn, sleeper: Sleeper): void {
    if (sleeper.id === 0) {
      sleeper.drop();
      return;
    }
    this.#running = new Promise((resolve) => {
      let goOn = true;
      const end = (): void => {
        goOn = false;
        cancel();
        resolve();
      };
      // Without help in time, or nobody to ask: whether the call has ended meanwhile is not known, so the next one gets
      // a connection that no late UNBLOCK can hit.
      const giveUp = (): void => {
        sleeper.drop();
        end();
      };
      const cancel = silence(sleeper, this.#options.patience, giveUp);
      this.#ask(turn, sleeper, () => goOn).then(end, giveUp);
    });
  }

  async #ask(turn: Turn, { id, node }: Sleeper, goOn: () => boolean): Promise<void> {
    while (goOn() && !turn.over) {
      const unblocked = await this.#options.unblock(id, node);
      if (isRsError(unblocked)) throw unblocked;
      if (unblocked === 1) await ended(turn);
      else await Promise.race([ended(turn), pause(RETRY_MILLIS)]);
    }
  }
}

function ended(turn: Turn): Promise<unknown> {
  return turn.promise.catch(() => null);
}

function pause(millis: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, millis));
}
