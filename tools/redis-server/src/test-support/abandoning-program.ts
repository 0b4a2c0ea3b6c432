import { startRedis } from '../index.ts';

// A program that a test starts: node … abandoning-program.ts <how it ends>. It starts servers and stops none of them;
// what it prints is where they are.

const [, , how = ''] = process.argv;

const running = await startRedis({ own: true });
const paused = await startRedis({ persistence: 'aof' });
const killed = await startRedis({ own: true });
const servers = [];
for (const { port, cli } of [running, paused, killed].map((server) => ({
  port: server.port,
  cli: server.cli.bind(server),
}))) {
  const [, directory] = (await cli('CONFIG', 'GET', 'dir')) as string[];
  const info = String(await cli('INFO', 'server'));
  servers.push({ port, directory, pid: Number(/process_id:(\d+)/.exec(info)?.[1]) });
}
await paused.pause();
await killed.kill();

process.stdout.write(`${JSON.stringify(servers)}\n`);
if (how === 'SIGKILL') process.kill(process.pid, 'SIGKILL');
if (how === 'exit') process.exit(3);
if (how === 'throw') throw new Error('a test program that fails');
