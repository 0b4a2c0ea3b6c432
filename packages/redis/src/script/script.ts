import type { RedisArgument } from '../driver/driver.ts';

/** A Lua script, as the build tool writes it into `scripts.generated.ts`. */
export interface Script {
  readonly name: string;
  readonly source: string;
  /** Lower-case hex of the SHA-1 of `source`: what EVALSHA takes. */
  readonly sha1: string;
  /** The same call may be sent again after a lost reply: it then changes nothing and answers as it did. */
  readonly resendable: boolean;
}

/** A script with its arguments, ready to be sent. All keys lie in one slot, except on a single server. */
export interface ScriptCall {
  readonly script: Script;
  readonly keys: readonly string[];
  readonly args: readonly RedisArgument[];
}
