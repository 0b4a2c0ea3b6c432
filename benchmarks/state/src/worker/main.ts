import { serveTasks } from '@rs/bench-harness';
import { WAYS, type WayName } from '../ways/ways.ts';
import { Member } from './member.ts';
import { Tasks } from './tasks.ts';

const [, , role] = process.argv;

serveTasks(role === 'member' ? new Member() : new Tasks(WAYS[role as WayName]));
