import { randomInt } from 'node:crypto';
import { PortTaken } from './machine.ts';

/**
 * Below what Linux and macOS hand out by themselves, so that no outgoing connection sits on a port between two runs of a
 * server.
 */
const FIRST = 15_000;
const LAST = 32_000;
const ATTEMPTS = 20;

/**
 * Calls `start` with ports chosen at random, and again with others while it throws {@link PortTaken}. Nobody can
 * reserve a port for another process: only the start shows whether it was free.
 */
export async function withFreePorts<T>(count: number, start: (ports: number[]) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const ports = new Set<number>();
    while (ports.size < count) ports.add(randomInt(FIRST, LAST));
    try {
      return await start([...ports]);
    } catch (error) {
      if (!(error instanceof PortTaken) || attempt === ATTEMPTS) throw error;
    }
  }
}
