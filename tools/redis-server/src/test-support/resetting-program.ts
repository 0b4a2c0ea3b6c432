import { createConnection, createServer, type AddressInfo } from 'node:net';
import { reset } from '../fault-proxy/reset.ts';

/** Resets a connection in the moment in which it says goodbye. After that there is nothing left to do, so the process exits. */
const server = createServer((connection) => {
  connection.on('error', () => undefined).resume();
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const client = createConnection({ port, host: '127.0.0.1', allowHalfOpen: true });
  client.on('error', () => undefined).resume();
  client.once('connect', () => {
    client.end();
    // The shutdown is under way two turns later.
    process.nextTick(() => {
      process.nextTick(() => {
        reset(client);
        server.close();
      });
    });
  });
});
