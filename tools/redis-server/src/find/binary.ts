import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { LocalCommand } from '../machine/local-machine.ts';
import { run } from './run.ts';

/** The servers we take, by the names of their binaries. */
export const SERVERS = ['redis-server', 'valkey-server'] as const;

/** The oldest versions that have everything the packages use. */
export const FLOOR = { Redis: '7.0', Valkey: '7.2' } as const;

export interface Binary extends LocalCommand {
  /** Such as `Redis 7.0.15`. */
  readonly version: string;
}

/** Something that is there and cannot be used, and why: it is named in the error when nothing else is found. */
export class Unusable extends Error {}

/**
 * Asks a server's binary for its version.
 *
 * @throws Unusable when it does not run here or is older than {@link FLOOR}
 */
export async function inspect({ command, env }: LocalCommand): Promise<Binary> {
  let printed: string;
  try {
    printed = await run(command, ['--version'], { env });
  } catch (error) {
    throw new Unusable(`${command} does not run: ${(error as Error).message}`, { cause: error });
  }
  const version = versionIn(printed, command);
  if (version === undefined)
    throw new Unusable(`${command} is no Redis: it says ${JSON.stringify(printed.trim())}`);
  if (!version.recent) throw new Unusable(`${command} is ${version.text}; ${floorText()} is needed`);
  return { command, env, version: version.text };
}

export function floorText(): string {
  return `Redis ${FLOOR.Redis} or Valkey ${FLOOR.Valkey} or newer`;
}

/** Reads `Redis server v=7.0.15 sha=…`; early Valkeys call themselves just `Server`. */
export function versionIn(printed: string, command = ''): { text: string; recent: boolean } | undefined {
  const match = /^(\w*) ?server v=((\d+)\.(\d+)\.\d+)/im.exec(printed);
  if (match === null) return undefined;
  const [, self = '', number = '', major, minor] = match;
  const name = /valkey/i.test(self + command) ? 'Valkey' : 'Redis';
  const [floorMajor, floorMinor] = FLOOR[name].split('.');
  const recent =
    Number(major) > Number(floorMajor) ||
    (Number(major) === Number(floorMajor) && Number(minor) >= Number(floorMinor));
  return { text: `${name} ${number}`, recent };
}

/** The first directory of `path` that has the program, with the program's name; undefined when none has it. */
export async function onPath(program: string, path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  for (const directory of path.split(delimiter)) {
    const file = join(directory, program);
    if (directory !== '' && (await isExecutable(file))) return file;
  }
  return undefined;
}

export async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
