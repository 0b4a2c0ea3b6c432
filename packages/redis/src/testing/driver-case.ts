import type { RedisDriver } from '../driver/driver.ts';
import type { Bench } from './bench.ts';

/** What is to be tested, and where. */
export interface DriverSubject {
  /** Asked by each case when it runs, so that a server may be started after the cases are listed. */
  readonly driver: () => RedisDriver;
  /** What the keys of the cases begin with, so that a server can be shared. They are deleted. */
  readonly prefix: string;
  /** The driver expects TLS of every server. Cases with servers of their own, which have none, are left out. Default false. */
  readonly tls?: boolean;
}

/** One thing that a driver has to do. */
export interface DriverCase {
  readonly name: string;
  /** Fulfilled when the driver does it. Rejected with an `AssertionError` that says what it did instead. */
  run(): Promise<void>;
}

/** A case before it has a driver. */
export interface CaseDefinition {
  readonly name: string;
  /** It talks with a server of its own that speaks as the case wants. */
  readonly ownServer: boolean;
  readonly run: (bench: Bench) => Promise<void>;
}

export function onServer(name: string, run: (bench: Bench) => Promise<void>): CaseDefinition {
  return { name, ownServer: false, run };
}

export function onOwnServer(name: string, run: (bench: Bench) => Promise<void>): CaseDefinition {
  return { name, ownServer: true, run };
}
