import { strict as assert } from 'node:assert';
import type { RedisCommand, RedisConnection, RedisTraffic } from '../../driver/driver.ts';
import { type Bench, within } from '../bench.ts';
import { type CaseDefinition, onServer } from '../driver-case.ts';

/** More than any operating system takes at once. */
const LARGE = 32 * 1024 * 1024;

export const trafficCases: readonly CaseDefinition[] = [
  onServer('traffic: what is taken at once is sent, and does not wait', async (bench) => {
    const connection = await bench.open();
    const before = connection.traffic();
    const call = connection.send([echo(100)]);
    const after = connection.traffic();
    assert.ok(after.sent >= before.sent + 100, `sent: ${before.sent}, then ${after.sent}`);
    assert.equal(after.waiting, 0, 'nothing waits');
    await within(call);
    assert.ok(connection.traffic().received >= before.received + 100, 'the reply was received');
  }),

  onServer('traffic: a large command leaves bit by bit, and its reply comes so', async (bench) => {
    const { connection, looks } = await transfer(bench);
    assert.ok((looks[0]?.waiting ?? 0) > 0, 'at first it waits');
    const leaving = looks.filter(({ waiting }) => waiting > 0).map(({ sent }) => sent);
    assert.ok(new Set(leaving).size > 2, 'what was sent grows while something waits');
    const arriving = looks.map(({ received }) => received);
    assert.ok(new Set(arriving).size > 3, 'what was received grows before the reply is there');
    const end = connection.traffic();
    assert.equal(end.waiting, 0, 'at last nothing waits');
    assert.ok(end.sent >= LARGE && end.received >= LARGE, 'all of it was counted');
  }),
];

/** What one large command and its reply look like from one turn to the next. */
async function transfer(
  bench: Bench,
): Promise<{ readonly connection: RedisConnection; readonly looks: readonly RedisTraffic[] }> {
  const connection = await bench.open();
  let over = false;
  const call = connection.send([echo(LARGE)]).finally(() => {
    over = true;
  });
  const looks: RedisTraffic[] = [];
  const look = async (): Promise<void> => {
    while (!over) {
      looks.push(connection.traffic());
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  await within(Promise.all([call, look()]));
  return { connection, looks };
}

function echo(bytes: number): RedisCommand {
  return { name: 'ECHO', args: [Buffer.alloc(bytes, 'a')], binary: true };
}
