import { sendBatches, type Sending, sendPaced, sendSingly, type Sent } from '../load/send.ts';
import { connect } from '../ways/connect.ts';
import type { Place, Sender, Way } from '../ways/way.ts';
import { Receiving, type Received } from './receiving.ts';

export interface SendTask {
  readonly place: Place;
  /** Orders per call; 1 stands for single sends. */
  readonly batch: number;
  readonly sending: Sending;
}

export interface PacedTask {
  readonly place: Place;
  readonly perSecond: number;
  readonly millis: number;
}

export interface Measured {
  readonly sent: Sent;
  readonly cpuMs: number;
}

/** What a child process can be told to do, by one way. */
export class Tasks {
  readonly #way: Way;
  #receiving: Receiving | undefined;

  constructor(way: Way) {
    this.#way = way;
  }

  async prepare(place: Place): Promise<void> {
    await this.#way.prepare(place);
  }

  send({ place, batch, sending }: SendTask): Promise<Measured> {
    return this.#withSender(place, async (sender) => {
      const before = process.cpuUsage();
      const sent = await (batch === 1 ? sendSingly(sender, sending) : sendBatches(sender, batch, sending));
      const { user, system } = process.cpuUsage(before);
      return { sent, cpuMs: (user + system) / 1000 };
    });
  }

  /** @returns when each order was sent */
  sendPaced({ place, perSecond, millis }: PacedTask): Promise<number[]> {
    return this.#withSender(place, (sender) => sendPaced(sender, perSecond, millis));
  }

  async openReceiver({ place, timed }: { readonly place: Place; readonly timed: boolean }): Promise<void> {
    this.#receiving = await Receiving.open(this.#way, place, timed);
  }

  /** Fulfilled when so many orders were delivered and acknowledged, each once and in order. */
  async receive(orders: number): Promise<Received> {
    return this.#open().all(orders);
  }

  /** As `receive`. @returns when each order was delivered */
  async receiveTimed(orders: number): Promise<number[]> {
    await this.#open().all(orders);
    return this.#open().times;
  }

  /** How many orders Redis holds. */
  async stored(place: Place): Promise<number> {
    const redis = await connect(place);
    const orders = await this.#way.stored(redis);
    await redis.quit();
    return orders;
  }

  #open(): Receiving {
    if (this.#receiving === undefined) throw new Error('no receiver was opened');
    return this.#receiving;
  }

  async #withSender<R>(place: Place, work: (sender: Sender) => Promise<R>): Promise<R> {
    const sender = await this.#way.openSender(place);
    const result = await work(sender);
    await sender.close();
    return result;
  }
}
