import { WAYS, type WayName } from '../ways/ways.ts';
import type { Request, Response } from './protocol.ts';
import { Tasks } from './tasks.ts';

const tasks = new Tasks(WAYS[process.argv[2] as WayName]);

process.on('message', (request: Request) => void answer(request));
process.on('disconnect', () => process.exit());

async function answer({ number, task, input }: Request): Promise<void> {
  let response: Response;
  try {
    const call = tasks[task].bind(tasks) as (input: unknown) => Promise<unknown>;
    response = { number, output: await call(input) };
  } catch (error) {
    response = { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(response);
}
