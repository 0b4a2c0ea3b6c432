import { strict as assert } from 'node:assert';
import type { RedisCommand, RedisConnection, RedisReply } from '../../driver/driver.ts';
import { type Bench, ask, assertError, failure, within } from '../bench.ts';
import { type CaseDefinition, onOwnServer, onServer } from '../driver-case.ts';

export const lossCases: readonly CaseDefinition[] = [
  onServer('destroy rejects the calls under way, at once', async (bench) => {
    const connection = await bench.open();
    const call = failure(connection.send([blocking(bench)]));
    connection.destroy();
    const error = await call;
    assertError(error, 'RS_REDIS_CONNECTION_LOST');
    assert.equal(error.details.sent, true);
    assertError(await within(connection.closed), 'RS_REDIS_CONNECTION_LOST');
  }),

  onServer('after destroy nothing is sent; destroying twice does no harm', async (bench) => {
    const connection = await bench.open();
    connection.destroy();
    connection.destroy();
    const error = await failure(connection.send([{ name: 'PING', args: [] }]));
    assertError(error, 'RS_REDIS_CONNECTION_LOST');
    assert.equal(error.details.sent, false);
  }),

  onServer('a connection that the server ends is lost, and stays so', async (bench) => {
    const [connection, other] = [await bench.open(), await bench.open()];
    const id = await ask(connection, 'CLIENT', 'ID');
    const call = failure(connection.send([blocking(bench)]));
    await within(kill(id, other));
    const error = await call;
    assertError(error, 'RS_REDIS_CONNECTION_LOST');
    assert.equal(error.details.sent, true);
    assertError(await within(connection.closed), 'RS_REDIS_CONNECTION_LOST');
    const later = await failure(connection.send([{ name: 'PING', args: [] }]));
    assertError(later, 'RS_REDIS_CONNECTION_LOST');
    assert.equal(later.details.sent, false);
  }),

  onServer('what was sent is never sent again', async (bench) => {
    const [connection, other] = [await bench.open(), await bench.open()];
    const key = bench.key('once');
    const id = await ask(connection, 'CLIENT', 'ID');
    const call = failure(
      connection.send([{ name: 'INCR', args: [key] }, blocking(bench), { name: 'INCR', args: [key] }]),
    );
    await within(kill(id, other));
    await call;
    assert.equal(await ask(other, 'GET', key), '1');
  }),

  onServer('connections know nothing of each other', async (bench) => {
    const [one, two] = [await bench.open(), await bench.open()];
    assert.notEqual(await ask(one, 'CLIENT', 'ID'), await ask(two, 'CLIENT', 'ID'));
    one.destroy();
    assert.equal(await ask(two, 'ECHO', 'a'), 'a');
  }),

  onOwnServer('a server that ends in the middle of a reply', async (bench) => {
    const server = await bench.fakeServer((name, socket) => {
      if (name !== 'GET') return '+PONG\r\n';
      socket.end('*2\r\n$1\r\na\r\n$5\r\nab');
      return '';
    });
    const connection = await bench.connect({ node: server.node });
    const commands = ['GET', 'TTL'].map((name) => ({ name, args: ['a'] }));
    const error = await failure(connection.send(commands));
    assertError(error, 'RS_REDIS_CONNECTION_LOST');
    assert.equal(error.details.sent, true);
  }),

  onOwnServer('a server that talks nonsense', async (bench) => {
    const server = await bench.fakeServer((name) => (name === 'GET' ? 'HTTP/1.1 400\r\n\r\n' : '+PONG\r\n'));
    const connection = await bench.connect({ node: server.node });
    const error = await failure(connection.send([{ name: 'GET', args: ['a'] }]));
    assertError(error, 'RS_REDIS_CONNECTION_LOST');
    await within(connection.closed);
  }),
];

function blocking(bench: Bench): RedisCommand {
  return { name: 'BLPOP', args: [bench.key('nobody'), 0] };
}

/** Ends a connection from the server's side, once the command that it blocks in has arrived. */
async function kill(id: RedisReply, other: RedisConnection): Promise<void> {
  assert.ok(typeof id === 'number', 'CLIENT ID gives a number');
  for (;;) {
    const client = String(await ask(other, 'CLIENT', 'LIST', 'ID', id));
    if (/ flags=\w*b/.test(client)) break;
  }
  await ask(other, 'CLIENT', 'KILL', 'ID', id);
}
