import type { Redis } from 'ioredis';
import type { Order } from '../load/order.ts';

/** Where orders go. */
export interface Place {
  readonly host: string;
  readonly port: number;
  readonly partitions: number;
}

/** One way to carry orders from one process to another. */
export interface Way {
  /** Whether the orders of a partition keep the order of sending. */
  readonly ordered: boolean;
  /** Makes topics and groups in an empty Redis. */
  prepare(place: Place): Promise<void>;
  openSender(place: Place): Promise<Sender>;
  openReceiver(place: Place, deliver: Deliver): Promise<Receiver>;
  /** How many orders Redis holds. */
  stored(redis: Redis): Promise<number>;
}

/** What a handler does with an order. */
export type Deliver = (order: Order, partition: number) => void;

export interface Sender {
  /** Fulfilled when Redis has confirmed them all. */
  sendBatch(orders: readonly Order[]): Promise<unknown>;
  send(order: Order): Promise<unknown>;
  close(): Promise<void>;
}

export interface Receiver {
  /** Fulfilled when everything that was delivered is acknowledged. */
  close(): Promise<void>;
}
