import { serveTasks } from '@rs/bench-harness';
import { WAYS, type WayName } from '../ways/ways.ts';
import { Tasks } from './tasks.ts';

serveTasks(new Tasks(WAYS[process.argv[2] as WayName]));
