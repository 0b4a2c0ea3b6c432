import type { DataStream, LatenessMode, Logger } from '@rs/core';
import type { NodeInput, SinkNode } from '../graph/node.ts';
import type { WatermarkDefaults } from './watermark-defaults.ts';

/** What streams need of the environment that made them. */
export interface BuilderHost {
  readonly logger: Logger;
  /** Milliseconds. */
  readonly windowAllowedLateness: number;
  readonly windowLatenessMode: LatenessMode;
  readonly watermarks: WatermarkDefaults;
  /** Number for the next declared node. */
  nextNumber(): number;
  /** A sink was attached: an eager engine runs the pipeline now, others keep it for later. */
  attachSink(sink: SinkNode): void;
  dataStream<T>(output: NodeInput): DataStream<T>;
  /** Runs the pipeline that ends here and gives its records; engines that cannot throw `RS_UNSUPPORTED`. */
  iterate(output: NodeInput): Iterator<unknown>;
}
