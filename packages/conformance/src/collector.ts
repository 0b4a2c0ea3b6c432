import type { SinkTo } from './case.ts';

/** Takes what the sinks of a run get. */
export class Collector {
  readonly sinks: Record<string, unknown[]> = {};

  /** @param around runs the attaching of each sink; default: just that */
  sinkTo(around: (attach: () => void) => void = (attach) => attach()): SinkTo {
    return (name, stream) => {
      const values: unknown[] = [];
      this.sinks[name] = values;
      around(() => void stream.addSink((value) => void values.push(value), { uid: name, name }));
    };
  }
}
