import { RsError, isRsError } from '@rs/core';
import type { Call } from '../client/call.ts';
import type { RedisCommand, RedisReply } from '../driver/driver.ts';
import type { Script } from '../script/script.ts';

const ASKING: RedisCommand = { name: 'ASKING', args: [] };

/**
 * The commands of several calls in one `send`. When a script is among them that this connection has not loaded yet, all of
 * them are loaded first: finding out by NOSCRIPT would cost a round trip, and loading only the new one would let its call go
 * before one whose script has vanished meanwhile.
 */
export class Batch {
  readonly commands: RedisCommand[] = [];
  readonly #calls: readonly Call[];
  readonly #loaded: Set<string>;
  /** What is loaded, in the order of the first commands; empty for nearly every batch. */
  readonly #loads: readonly Script[];
  /** Where ASKING stands. */
  readonly #asks = new Set<number>();
  /** Whose command stands where. */
  readonly #owners: (Call | undefined)[] = [];
  #refused = false;

  /** @param loaded the SHA-1 of what the connection has loaded; what this batch loads is added */
  constructor(calls: readonly Call[], loaded: Set<string>) {
    this.#calls = calls;
    this.#loaded = loaded;
    this.#loads = needsLoading(calls, loaded) ? scriptsOf(calls) : [];
    for (const { sha1, source } of this.#loads) {
      loaded.add(sha1);
      this.commands.push({ name: 'SCRIPT', args: ['LOAD', source] });
    }
    for (const call of calls) this.#add(call);
  }

  /**
   * A reply is there, those behind it are not: its call need not wait for them. One behind an error does, since what was refused may have
   * to be sent again first.
   */
  arrived(reply: RedisReply, at: number): void {
    if (isRsError(reply)) this.#refused = true;
    else if (!this.#refused) this.#owners[at]?.resolve(reply);
  }

  /** Calls back once for each call, in order, with its own reply. */
  forEach(replies: readonly RedisReply[], answer: (call: Call, reply: RedisReply) => void): void {
    const failed = this.#failedLoads(replies);
    let at = this.#loads.length;
    for (const call of this.#calls) {
      if (this.#asks.has(at)) at++;
      const reply = replies[at++] ?? null;
      const failure = call.script === undefined ? undefined : failed?.get(call.script.sha1);
      // Another client may have loaded it nevertheless.
      answer(call, failure !== undefined && isRsError(reply) ? failure : reply);
    }
  }

  #add(call: Call): void {
    if (call.asking) {
      // It counts for the very next command only.
      this.#asks.add(this.commands.length);
      this.commands.push(ASKING);
    }
    this.#owners[this.commands.length] = call;
    this.commands.push(call.command);
  }

  #failedLoads(replies: readonly RedisReply[]): Map<string, RsError> | undefined {
    let failed: Map<string, RsError> | undefined;
    for (const [at, script] of this.#loads.entries()) {
      const failure = failureOf(script, replies[at] ?? null);
      if (failure === undefined) continue;
      this.#loaded.delete(script.sha1);
      failed ??= new Map();
      failed.set(script.sha1, failure);
    }
    return failed;
  }
}

/** Whether a script is among them that the connection has not loaded. */
export function needsLoading(calls: readonly Call[], loaded: ReadonlySet<string>): boolean {
  return calls.some(({ script }) => script !== undefined && !loaded.has(script.sha1));
}

function scriptsOf(calls: readonly Call[]): readonly Script[] {
  const scripts = new Map<string, Script>();
  for (const { script } of calls) if (script !== undefined) scripts.set(script.sha1, script);
  return [...scripts.values()];
}

function failureOf(script: Script, reply: RedisReply): RsError | undefined {
  if (isRsError(reply)) return reply;
  const sha1 = String(reply);
  if (sha1 === script.sha1) return undefined;
  return new RsError(
    'RS_INVALID_ARGUMENT',
    `script ${script.name}: its source has the SHA-1 ${sha1}, but it says ${script.sha1}; build its package again`,
    { details: { script: script.name, sha1: script.sha1, actual: sha1 } },
  );
}
