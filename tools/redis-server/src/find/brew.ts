import { join } from 'node:path';
import { inspect, isExecutable, onPath, SERVERS } from './binary.ts';
import { programOf } from './binaries.ts';
import type { Place } from './place.ts';
import { run } from './run.ts';

const INSTALL_TIMEOUT_MS = 10 * 60_000;

/**
 * On macOS: Homebrew's Redis or Valkey, which need not be linked into the PATH; Redis is installed when neither is
 * there.
 */
export function brewPlace(platform: string = process.platform): Place {
  return {
    advice: 'on macOS: install Homebrew, which is then asked for Redis',
    look: async (say) => {
      const brew = platform === 'darwin' ? await onPath('brew') : undefined;
      if (brew === undefined) return undefined;
      const prefix = (await run(brew, ['--prefix'])).trim();
      const installed = async (): Promise<string | undefined> => {
        for (const name of SERVERS) {
          const command = join(prefix, 'opt', name.replace('-server', ''), 'bin', name);
          if (await isExecutable(command)) return command;
        }
        return undefined;
      };
      let command = await installed();
      if (command === undefined) {
        say('none on this machine: brew install redis (no service is started)');
        await run(brew, ['install', '--quiet', 'redis'], {
          env: { NONINTERACTIVE: '1', HOMEBREW_NO_AUTO_UPDATE: '1' },
          timeout: INSTALL_TIMEOUT_MS,
        });
        command = await installed();
      }
      return command === undefined ? undefined : programOf(await inspect({ command, env: {} }));
    },
  };
}
