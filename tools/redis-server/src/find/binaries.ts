import { localMachine } from '../machine/local-machine.ts';
import type { Program } from '../machine/machine.ts';
import { type Binary, inspect, onPath, SERVERS, Unusable } from './binary.ts';
import type { Place } from './place.ts';

export function programOf(binary: Binary): Program {
  return {
    label: `${binary.version} from ${binary.command}`,
    machine: () => localMachine(binary),
  };
}

/** `redis-server` or `valkey-server`, as the shell would find them. */
export function pathPlace(path?: string): Place {
  return {
    advice: 'install redis-server or valkey-server so that it is on the PATH',
    look: async () => {
      const failures: string[] = [];
      for (const name of SERVERS) {
        const command = await onPath(name, path);
        if (command === undefined) continue;
        try {
          return programOf(await inspect({ command, env: {} }));
        } catch (error) {
          if (!(error instanceof Unusable)) throw error;
          failures.push(error.message);
        }
      }
      if (failures.length > 0) throw new Unusable(failures.join('; '));
      return undefined;
    },
  };
}
