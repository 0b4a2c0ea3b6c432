import type { Request, Response } from './protocol.ts';

/** Makes this process one that does what a {@link Worker} calls for, until that is gone. */
export function serveTasks(tasks: object): void {
  process.on('message', (request: Request) => void answer(tasks, request));
  process.on('disconnect', () => process.exit());
}

async function answer(tasks: object, { number, task, input }: Request): Promise<void> {
  let response: Response;
  try {
    const methods = tasks as Readonly<Record<string, (input: unknown) => Promise<unknown>>>;
    response = { number, output: await methods[task]?.(input) };
  } catch (error) {
    response = { number, failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
  process.send?.(response);
}
