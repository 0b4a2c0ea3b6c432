import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { containerMachine } from '../machine/container-machine.ts';
import { PortTaken } from '../machine/machine.ts';
import { Unusable } from './binary.ts';
import type { Place } from './place.ts';

export const IMAGE = 'redis:7.4-alpine';

const SOCKETS = [
  '/var/run/docker.sock',
  join(homedir(), '.docker/run/docker.sock'),
  join(homedir(), '.docker/desktop/docker.sock'),
  join(homedir(), '.colima/default/docker.sock'),
  join(homedir(), '.rd/docker.sock'),
];

/**
 * Redis in a container, when a Docker daemon answers. Testcontainers removes containers also after a crash of this
 * process.
 */
export function dockerPlace(): Place {
  return {
    advice: 'start a Docker daemon',
    look: async (say) => {
      // Loading testcontainers takes a second: not where there is nothing to ask.
      if ((process.env['DOCKER_HOST'] ?? '') === '' && !SOCKETS.some((socket) => existsSync(socket))) {
        return undefined;
      }
      const { GenericContainer, getContainerRuntimeClient, Wait } = await import('testcontainers');
      try {
        await getContainerRuntimeClient();
      } catch (error) {
        throw new Unusable(`no Docker daemon answers: ${(error as Error).message}`, { cause: error });
      }
      say(`none on this machine: using ${IMAGE} in Docker`);
      return {
        label: `Redis from the image ${IMAGE}`,
        machine: async (ports) => {
          const container = new GenericContainer(IMAGE)
            .withCommand(['sleep', 'infinity'])
            .withExposedPorts(...ports.map((port) => ({ container: port, host: port })))
            // Its servers are waited for one by one.
            .withWaitStrategy(Wait.forSuccessfulCommand('true'));
          try {
            return containerMachine(await container.start(), '/tmp/rs-redis');
          } catch (error) {
            const message = String((error as Error).message);
            throw /already allocated|already in use/i.test(message) ? new PortTaken(message) : error;
          }
        },
      };
    },
  };
}
