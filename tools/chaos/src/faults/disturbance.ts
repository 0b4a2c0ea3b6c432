import type { FaultKind, WorkerName } from '../schedule/fault.ts';

/** A fault as it happened. Times are those of the monotonic clock. */
export interface Disturbance {
  readonly kind: FaultKind;
  readonly from: number;
  /** When it was over: the server up again, the network healed, the new process started. */
  readonly until: number;
  readonly worker?: WorkerName;
  /** The process that it hit. */
  readonly incarnation?: string;
  readonly partition?: number;
  /** Before or after which call it was. */
  readonly point?: string;
}

const OF_SERVER: ReadonlySet<FaultKind> = new Set([
  'killClients',
  'restartServer',
  'crashServer',
  'pauseServer',
]);
const OF_NETWORK: ReadonlySet<FaultKind> = new Set([
  'delay',
  'loseReplies',
  'loseReplyOf',
  'halfClose',
  'swallow',
]);
const OF_PROCESS: ReadonlySet<FaultKind> = new Set([
  'freeze',
  'nap',
  'killConsumer',
  'killProducer',
  'stopConsumer',
  'killWorker',
  'dieAt',
  'stopWorker',
]);

/** Whether the server, or the connections to it, ended or stood still. */
export function isOfServer({ kind }: Disturbance): boolean {
  return OF_SERVER.has(kind);
}

/** Whether a process stood still, and went on. */
export function isStop({ kind }: Disturbance): boolean {
  return kind === 'freeze' || kind === 'nap';
}

/** Whether it came between a process and Redis, or held the process up. */
export function affects({ kind, worker, incarnation }: Disturbance, process: string): boolean {
  if (OF_SERVER.has(kind)) return true;
  if (OF_NETWORK.has(kind)) return worker === process.split('#')[0];
  return OF_PROCESS.has(kind) && incarnation === process;
}

/** Whether it can keep consumers from taking over: everything but what they do not notice. */
export function hindersTakeover({ kind, worker }: Disturbance): boolean {
  return OF_SERVER.has(kind) || (worker !== undefined && worker !== 'producer');
}
