/** Processes that faults are aimed at: the producer, and those that work, by number. */
export type WorkerName = 'producer' | `consumer-${number}` | `worker-${number}`;

/** A moment in the life of a process: right before it sends such a call for the n-th time from now on, or right after the reply. */
export interface FaultPoint {
  /** Name of a script, or a command. */
  readonly call: string;
  readonly when: 'before' | 'after';
  readonly nth: number;
}

/** Something that goes wrong. Times are in milliseconds. */
export type Fault =
  /** kill -9; a new process takes its place. */
  | {
      readonly kind: 'killConsumer' | 'killProducer' | 'killWorker';
      readonly worker: WorkerName;
      readonly restartAfter: number;
    }
  /** kill -9 at a point of its work; with `fresh` in the first moments of a new process. */
  | {
      readonly kind: 'dieAt';
      readonly worker: WorkerName;
      readonly point: FaultPoint;
      readonly fresh: boolean;
      readonly restartAfter: number;
    }
  /** SIGSTOP for longer than the lease, then SIGCONT. */
  | { readonly kind: 'freeze'; readonly worker: WorkerName; readonly lasts: number }
  /** SIGSTOP for less than the lease: it is to be kept. */
  | { readonly kind: 'nap'; readonly worker: WorkerName; readonly lasts: number }
  /** An orderly `close`, and a new process. */
  | {
      readonly kind: 'stopConsumer' | 'stopWorker';
      readonly worker: WorkerName;
      readonly restartAfter: number;
    }
  /** `CLIENT KILL TYPE normal` */
  | { readonly kind: 'killClients' }
  /** An orderly end of the server, and a new start from its append-only file. */
  | { readonly kind: 'restartServer' }
  /** kill -9 of the server, and a new start. */
  | { readonly kind: 'crashServer'; readonly down: number }
  /** The server stands still (SIGSTOP) and goes on: connections stand, and leases end meanwhile. */
  | { readonly kind: 'pauseServer'; readonly lasts: number }
  | { readonly kind: 'flushScripts' }
  | { readonly kind: 'destroyGroup'; readonly partition: number }
  /** Everything on the worker's network arrives late. */
  | { readonly kind: 'delay'; readonly worker: WorkerName; readonly millis: number; readonly lasts: number }
  /** The server does what it is asked, and its replies are lost with their connections. */
  | { readonly kind: 'loseReplies'; readonly worker: WorkerName; readonly times: number }
  /** The same for the reply to one call. */
  | { readonly kind: 'loseReplyOf'; readonly worker: WorkerName; readonly point: FaultPoint }
  /** The worker sees the end of its connections; what it still sends arrives. */
  | { readonly kind: 'halfClose'; readonly worker: WorkerName }
  /** Connections stand, and nothing passes. */
  | {
      readonly kind: 'swallow';
      readonly worker: WorkerName;
      readonly what: 'requests' | 'replies' | 'everything';
      readonly lasts: number;
    };

export type FaultKind = Fault['kind'];

export type FaultOf<Kind extends FaultKind> = Extract<Fault, { readonly kind: Kind }>;

/** A fault, so many milliseconds after the beginning. */
export interface ScheduledFault {
  readonly at: number;
  readonly fault: Fault;
}
