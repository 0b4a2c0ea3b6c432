import { StreamExecutionEnvironment } from '@rs/runtime-memory';
import { WatermarkStrategy } from '@rs/watermark';
import { TumblingWindow } from '@rs/window';
import { double, isEven, type Reading, reading, WINDOW_MS } from './input.ts';
import { Totals } from './totals.ts';

/** Filter, map and a keyed tumbling sum as an eager pipeline, from a source that makes its records one by one. */
export function sumByPipeline(records: number, onRecord: (index: number) => void): Totals {
  const totals = new Totals();
  StreamExecutionEnvironment.getExecutionEnvironment()
    .addSource<Reading>({
      run(ctx) {
        for (let index = 0; index < records; index++) {
          onRecord(index);
          // An eager run is synchronous: there is nothing to wait for.
          void ctx.collectWithTimestamp(reading(index), index);
        }
      },
    })
    .assignTimestampsAndWatermarks(WatermarkStrategy.forBoundedOutOfOrderness(0))
    .filter(isEven)
    .map(double)
    .keyBy(({ sensor }) => sensor)
    .window(TumblingWindow.of(WINDOW_MS))
    .sum(({ doubled }) => doubled)
    .addSink((sum) => totals.add(Number(sum)));
  return totals;
}
