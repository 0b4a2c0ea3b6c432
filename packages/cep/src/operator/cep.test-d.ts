/** What the operator infers, and what its types refuse. */
import { type DataStream, type KeyedStream, outputTag } from '@rs/core';
import { Pattern } from '../pattern/pattern.ts';
import { CEP } from './cep.ts';
import type { KeyedPartialMatch } from './options.ts';

interface Login {
  readonly user: string;
  readonly ok: boolean;
}

declare const logins: KeyedStream<string, Login>;
declare const others: KeyedStream<string, { readonly amount: number }>;

const breakIn = Pattern.of<Login>()
  .begin('failures', ({ ok }) => !ok)
  .times(3)
  .next('success', ({ ok }) => ok)
  .within('1m');

export function types(): void {
  const users: DataStream<{ user: string; count: number }> = CEP.pattern(logins, breakIn).select(
    ({ key, events }) => ({ user: key, count: events.failures.length + events.success.length }),
  );
  const later: DataStream<number> = CEP.pattern(logins, breakIn).select(({ start }) =>
    Promise.resolve(start),
  );
  const all: DataStream<Login> = CEP.pattern(logins, breakIn).flatSelect(({ sequence }) => sequence);

  const timedOut =
    outputTag<KeyedPartialMatch<string, Login, { failures: Login; success: Login }>>('timed-out');
  const found = CEP.pattern(logins, breakIn, { timedOutOutput: timedOut }).select(({ end }) => end);
  const counts: DataStream<number> = found
    .getSideOutput(timedOut)
    .map(({ events }) => events.failures.length);

  // @ts-expect-error -- there is no such stage
  CEP.pattern(logins, breakIn).select(({ events }) => void events.nothing);
  // @ts-expect-error -- a pattern of other events
  CEP.pattern(others, breakIn).select(({ key }) => key);
  // @ts-expect-error -- a tag for other records
  CEP.pattern(logins, breakIn, { lateOutput: outputTag<number>('late') });
  // @ts-expect-error -- there is no such policy
  CEP.pattern(logins, breakIn, { onPatternChange: 'keep' });
  void [users, later, all, counts];
}
