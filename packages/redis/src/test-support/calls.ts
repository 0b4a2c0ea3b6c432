import type { RedisReply } from '../driver/driver.ts';
import type { Script, ScriptCall } from '../script/script.ts';
import { shaOf } from './fake-node.ts';

export function script(name: string, resendable = true): Script {
  return { name, source: name, sha1: shaOf(name), resendable };
}

export function call(name: string, key: string, ...args: string[]): ScriptCall {
  return { script: script(name), keys: [key], args };
}

/** The outcome of a promise, as far as it has one. */
export function watch(promise: Promise<RedisReply>): { readonly now: () => unknown } {
  let outcome: unknown = 'pending';
  promise.then(
    (reply) => {
      outcome = reply;
    },
    (reason: unknown) => {
      outcome = reason;
    },
  );
  return { now: () => outcome };
}
