import { strict as assert } from 'node:assert';
import { ask, assertError } from '../bench.ts';
import { type CaseDefinition, onOwnServer, onServer } from '../driver-case.ts';

export const replyCases: readonly CaseDefinition[] = [
  onServer('there is one reply for each command, in order', async (bench) => {
    const connection = await bench.open();
    const commands = Array.from({ length: 500 }, (_, index) => ({ name: 'ECHO', args: [index] }));
    assert.deepEqual(
      await connection.send(commands),
      commands.map(({ args }) => String(args[0])),
    );
  }),

  onServer('who asks is told each reply in order, once, before all are there', async (bench) => {
    const connection = await bench.open();
    const told: unknown[] = [];
    let fulfilled = false;
    const commands = Array.from({ length: 50 }, (_, index) => ({ name: 'ECHO', args: [index] }));
    const sending = connection.send(commands, (reply, at) => told.push([reply, at, fulfilled]));
    const replies = await sending.then((all) => {
      fulfilled = true;
      return all;
    });
    // A driver may leave it out.
    if (told.length > 0) {
      assert.deepEqual(
        told,
        replies.map((reply, at) => [reply, at, false]),
      );
    }
  }),

  onServer('without commands there are no replies', async (bench) => {
    const connection = await bench.open();
    assert.deepEqual(await connection.send([]), []);
  }),

  onServer('what is sent in one turn is executed in order', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('order');
    const values = Array.from({ length: 50 }, (_, index) => String(index));
    await Promise.all(values.map((value) => connection.send([{ name: 'RPUSH', args: [key, value] }])));
    assert.deepEqual(await ask(connection, 'LRANGE', key, 0, -1), values);
  }),

  onServer('replies are text, or Buffer for the commands that ask for it', async (bench) => {
    const connection = await bench.open();
    const replies = await connection.send([
      { name: 'ECHO', args: ['a'] },
      { name: 'ECHO', args: ['b'], binary: true },
      { name: 'ECHO', args: ['c'], binary: false },
    ]);
    assert.deepEqual(replies, ['a', Buffer.from('b'), 'c']);
  }),

  ...['HGETALL', 'hgetall'].map((name) =>
    onServer(`pairs are flat: ${name}`, async (bench) => {
      const connection = await bench.open();
      const key = bench.key('hash');
      await ask(connection, 'HSET', key, 'a', 1, 'b', 2);
      assert.deepEqual(await ask(connection, name, key), ['a', '1', 'b', '2']);
    }),
  ),

  onServer('scores are text', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('scores');
    await ask(connection, 'ZADD', key, 1, 'a', 2.5, 'b');
    assert.equal(await ask(connection, 'ZSCORE', key, 'b'), '2.5');
    assert.deepEqual(await ask(connection, 'ZRANGE', key, 0, -1, 'WITHSCORES'), ['a', '1', 'b', '2.5']);
    assert.deepEqual(await ask(connection, 'ZPOPMIN', key), ['a', '1']);
  }),

  onServer('entries of streams are nested lists', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('stream');
    await ask(connection, 'XADD', key, '1-1', 'f', 'v');
    assert.deepEqual(await ask(connection, 'XREAD', 'STREAMS', key, '0'), [[key, [['1-1', ['f', 'v']]]]]);
    assert.equal(await ask(connection, 'XREAD', 'STREAMS', key, '1-1'), null);
  }),

  onServer('integers are numbers, and what is missing is null', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('missing');
    assert.equal(await ask(connection, 'EXISTS', key), 0);
    assert.equal(await ask(connection, 'GET', key), null);
    assert.deepEqual(await ask(connection, 'HMGET', key, 'a'), [null]);
    assert.deepEqual(await ask(connection, 'LRANGE', key, 0, -1), []);
    assert.deepEqual(await ask(connection, 'EVAL', 'return {1, true, {false, "x"}}', 0), [1, 1, [null, 'x']]);
  }),

  onServer('an error reply stands in its place, and the others stay', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('error');
    const [, wrong, text] = await connection.send([
      { name: 'SET', args: [key, 'x'] },
      { name: 'LPUSH', args: [key, 'y'] },
      { name: 'GET', args: [key] },
    ]);
    assertError(wrong, 'RS_REDIS_REPLY');
    assert.equal(wrong.details.prefix, 'WRONGTYPE');
    assert.equal(text, 'x');
  }),

  onServer('an error reply inside of a list, too: in a script and in a transaction', async (bench) => {
    const connection = await bench.open();
    const key = bench.key('nested');
    const script = "return {1, redis.error_reply('FENCED by me'), {redis.error_reply('LOADING x')}}";
    const [list, , , , results] = await connection.send([
      { name: 'EVAL', args: [script, 0], binary: true },
      { name: 'MULTI', args: [] },
      { name: 'SET', args: [key, 'x'] },
      { name: 'LPUSH', args: [key, 'y'] },
      { name: 'EXEC', args: [] },
    ]);
    assert.ok(Array.isArray(list) && Array.isArray(list[2]) && Array.isArray(results));
    assertError(list[1], 'RS_REDIS_REPLY');
    assert.deepEqual(list[1].details, { reply: 'FENCED by me', prefix: 'FENCED' });
    assertError(list[2][0], 'RS_REDIS_REFUSED');
    assert.equal(results[0], 'OK');
    assertError(results[1], 'RS_REDIS_REPLY');
  }),

  onOwnServer('a redirection tells where to', async (bench) => {
    const server = await bench.fakeServer((name) => {
      if (name === 'GET') return '-MOVED 866 ::1:7001\r\n';
      return name === 'TTL' ? '-ASK 866 :7001\r\n' : '+PONG\r\n';
    });
    const connection = await bench.connect({ node: server.node });
    const moved = await ask(connection, 'GET', 'a');
    assertError(moved, 'RS_REDIS_REFUSED');
    const { reply, ...where } = moved.details;
    assert.equal(reply, 'MOVED 866 ::1:7001');
    assert.deepEqual(where, { prefix: 'MOVED', slot: 866, host: '::1', port: 7001 });
    const ask7001 = await ask(connection, 'TTL', 'a');
    assertError(ask7001, 'RS_REDIS_REFUSED');
    assert.equal(ask7001.details.host, '');
  }),

  onOwnServer('a reply may come in any pieces', async (bench) => {
    const server = await bench.fakeServer((name, socket) => {
      if (name !== 'GET') return '+PONG\r\n';
      for (const byte of Buffer.from('*3\r\n$2\r\né\r\n:-12\r\n$-1\r\n')) socket.write(Buffer.of(byte));
      return '';
    });
    const connection = await bench.connect({ node: server.node });
    assert.deepEqual(await ask(connection, 'GET', 'a'), ['é', -12, null]);
  }),
];
