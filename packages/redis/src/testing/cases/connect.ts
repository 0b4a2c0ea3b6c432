import { strict as assert } from 'node:assert';
import { ask, assertError, failure, within } from '../bench.ts';
import { type CaseDefinition, onOwnServer, onServer } from '../driver-case.ts';

/** What a server does before it has its data. */
const WHILE_LOADING = new Set(['AUTH', 'SELECT', 'HELLO', 'CLIENT']);

const OK = '+OK\r\n';

/** Milliseconds that an attempt at a server that never answers may take. */
const SOON = 100;

export const connectCases: readonly CaseDefinition[] = [
  onServer('a connection is ready, and says where it leads', async (bench) => {
    const connection = await bench.connect();
    const { host, port } = connection.node;
    assert.notEqual(host, '');
    assert.ok(Number.isInteger(port));
    assert.equal(await ask(connection, 'PING'), 'PONG');
  }),

  onServer('a node that is named is the one', async (bench) => {
    const { node } = await bench.open();
    const connection = await bench.connect({ node });
    assert.deepEqual(connection.node, node);
    assert.equal(await ask(connection, 'PING'), 'PONG');
  }),

  onServer('where nobody listens: unavailable, with the cause', async (bench) => {
    const server = await bench.fakeServer(() => OK);
    await server.close();
    const error = await failure(bench.connect({ node: server.node }));
    assertError(error, 'RS_REDIS_UNAVAILABLE');
    assert.equal(error.retriable, true);
    assert.notEqual(error.cause, undefined);
    assert.ok(
      error.message.includes(String(server.node.port)),
      `the message names the place: ${error.message}`,
    );
  }),

  onServer('a server that takes the connection and says nothing is given up in time', async (bench) => {
    const server = await bench.fakeServer(() => '');
    const error = await failure(bench.connect({ node: server.node, timeout: SOON }));
    assertError(error, 'RS_REDIS_UNAVAILABLE');
  }),

  onServer('a server that hangs up at once is unavailable', async (bench) => {
    const server = await bench.fakeServer((_, socket) => {
      socket.destroy();
      return '';
    });
    const error = await failure(bench.connect({ node: server.node }));
    assertError(error, 'RS_REDIS_UNAVAILABLE');
  }),

  onServer('a signal that was aborted before ends the attempt before it begins', async (bench) => {
    const reason = { because: 'of me' };
    assert.equal(await failure(bench.connect({ signal: AbortSignal.abort(reason) })), reason);
  }),

  onServer('a signal ends the attempt, and leaves nothing open', async (bench) => {
    const abort = new AbortController();
    const reason = { because: 'of me' };
    let closed: Promise<unknown> = Promise.resolve();
    const server = await bench.fakeServer((_, socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve));
      abort.abort(reason);
      return '';
    });
    assert.equal(await failure(bench.connect({ node: server.node, signal: abort.signal })), reason);
    await within(closed);
  }),

  onServer('a signal does nothing to a connection that stands', async (bench) => {
    const abort = new AbortController();
    const connection = await bench.connect({ signal: abort.signal });
    abort.abort();
    assert.equal(await ask(connection, 'PING'), 'PONG');
  }),

  onOwnServer('a server that loads its data is connected to; who asks it is told', async (bench) => {
    const server = await bench.fakeServer((name) =>
      WHILE_LOADING.has(name) ? OK : '-LOADING Redis is loading the dataset in memory\r\n',
    );
    const connection = await bench.connect({ node: server.node });
    const reply = await ask(connection, 'GET', 'a');
    assertError(reply, 'RS_REDIS_REFUSED');
    assert.equal(reply.details.prefix, 'LOADING');
  }),

  ...['NOAUTH Authentication required.', 'DENIED Redis is running in protected mode'].map((words) =>
    onOwnServer(`a server that lets nobody in: ${words}`, async (bench) => {
      const server = await bench.fakeServer(() => `-${words}\r\n`);
      const error = await failure(bench.connect({ node: server.node }));
      assertError(error, 'RS_REDIS_AUTH');
      assert.equal(error.retriable, false);
    }),
  ),

  onOwnServer('a server that has no room is unavailable', async (bench) => {
    const server = await bench.fakeServer((_, socket) => {
      socket.end('-ERR max number of clients reached\r\n');
      return '';
    });
    const error = await failure(bench.connect({ node: server.node }));
    assertError(error, 'RS_REDIS_UNAVAILABLE');
    assert.ok(error.message.includes('max number of clients'), error.message);
  }),
];
