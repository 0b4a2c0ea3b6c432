import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createConnection, createServer } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { eventually } from '../eventually.ts';
import { FaultProxy } from './fault-proxy.ts';

/** Answers each piece with itself in brackets, and keeps what it got. */
let received = '';
let server: Server;
let proxy: FaultProxy;
const clients: Socket[] = [];

beforeEach(async () => {
  received = '';
  server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      received += String(bytes);
      socket.write(`<${String(bytes)}>`);
    });
    socket.on('end', () => socket.end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy = await FaultProxy.start({ to: { host: '127.0.0.1', port: (server.address() as AddressInfo).port } });
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await proxy.close();
  await proxy.close();
  server.close();
});

interface Client {
  readonly socket: Socket;
  readonly text: () => string;
  readonly ended: () => boolean;
  readonly closed: Promise<unknown>;
}

async function connect(): Promise<Client> {
  const socket = createConnection({ host: proxy.host, port: proxy.port, allowHalfOpen: true });
  clients.push(socket);
  let text = '';
  let ended = false;
  socket.on('error', () => undefined);
  socket.on('data', (bytes) => {
    text += String(bytes);
  });
  socket.on('end', () => {
    ended = true;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, 'connect');
  return { socket, text: () => text, ended: () => ended, closed };
}

async function until(what: string, condition: () => boolean): Promise<void> {
  await eventually(what, () => Promise.resolve(condition() || undefined));
}

test('without a fault everything passes, the end too', async () => {
  const client = await connect();
  client.socket.write('a');
  await until('the reply', () => client.text() === '<a>');
  expect(proxy.connections).toBe(1);
  client.socket.end();
  await client.closed;
  expect(client.ended()).toBe(true);
  await until('the connection to be gone', () => proxy.connections === 0);
  expect(proxy.accepted).toBe(1);
});

test('a delay keeps the order, also when it becomes shorter', async () => {
  const client = await connect();
  proxy.set({ kind: 'delay', millis: 80 });
  client.socket.write('slow');
  await until('the first piece to be under way', () => proxy.seen.requests === 4);
  proxy.set({ kind: 'delay', millis: 1 });
  client.socket.write('fast');
  await until('both pieces', () => received.length === 8);
  expect(received).toBe('slowfast');
});

test('a limit: everything arrives, in its time', async () => {
  const client = await connect();
  proxy.set({ kind: 'limit', bytesPerSecond: 1_000_000 });
  const started = performance.now();
  client.socket.write('a'.repeat(100_000));
  await until('all of it', () => received.length === 100_000);
  expect(performance.now() - started).toBeGreaterThan(99);
  await until('the reply', () => client.text().replaceAll(/[<>]/g, '').length === 100_000);
});

test('frozen: nothing comes any more on what stands, new ones work, and healing cuts', async () => {
  const [frozen, idle] = [await connect(), await connect()];
  frozen.socket.write('-');
  await until('the first reply', () => frozen.text() === '<->');
  await until('both connections', () => proxy.connections === 2);
  proxy.freeze();
  frozen.socket.write('a');
  await until('the piece to be lost', () => proxy.seen.requests === 2);
  const next = await connect();
  next.socket.write('b');
  await until('the reply', () => next.text() === '<b>');
  expect(received).toBe('-b');
  expect([frozen.ended(), idle.ended()]).toEqual([false, false]);
  proxy.heal();
  await frozen.closed;
});

test.each([
  ['requests', '-', 0],
  ['replies', '-a', 3],
  ['everything', '-', 0],
] as const)('swallowed %s: nothing comes until healing cuts the connection', async (what, arrived, lost) => {
  const [silent, idle] = [await connect(), await connect()];
  silent.socket.write('-');
  await until('the first reply', () => silent.text() === '<->');
  proxy.set({ kind: 'swallow', what });
  silent.socket.write('a');
  await until('everything', () => proxy.seen.requests === 2 && proxy.seen.replies === 3 + lost);
  expect(silent.ended()).toBe(false);
  proxy.heal();
  await silent.closed;
  expect(silent.text()).toBe('<->');
  expect(received).toBe(arrived);
  idle.socket.write('b');
  await until('a reply on the connection that lost nothing', () => idle.text() === '<b>');
});

test('the next reply is lost with its connection; the server did what was asked', async () => {
  const client = await connect();
  proxy.loseNextReply();
  client.socket.write('a');
  await client.closed;
  expect(received).toBe('a');
  expect(client.text()).toBe('');
  const next = await connect();
  next.socket.write('b');
  await until('the reply', () => next.text() === '<b>');
});

test('half-closed: the client sees the end, and what it sends still arrives', async () => {
  const client = await connect();
  client.socket.write('a');
  await until('the reply', () => client.text() === '<a>');
  proxy.halfClose();
  await until('the end', client.ended);
  client.socket.write('b');
  await until('the request', () => received === 'ab');
  expect(client.text()).toBe('<a>');
});

test('cut ends all connections; new ones work', async () => {
  const client = await connect();
  await until('the connection', () => proxy.connections === 1);
  proxy.cut();
  await client.closed;
  const next = await connect();
  next.socket.write('a');
  await until('the reply', () => next.text() === '<a>');
});

test('refused connections are closed at once; those that stand stay', async () => {
  const before = await connect();
  before.socket.write('a');
  await until('the reply', () => before.text() === '<a>');
  proxy.set({ kind: 'refuse' });
  const refused = createConnection({ host: proxy.host, port: proxy.port });
  refused.on('error', () => undefined);
  await new Promise((resolve) => refused.once('close', resolve));
  before.socket.write('b');
  await until('the reply', () => before.text() === '<a><b>');
});
