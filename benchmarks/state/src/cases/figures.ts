import { cpuFigure, type Figure, median } from '@rs/bench-harness';

/** What is told of each pass. */
export const FIGURES = {
  clientCpu: cpuFigure('client'),
  redisCpu: cpuFigure('Redis'),
  rssMb: { of: median, digits: 0, text: (mb) => `${mb} MB` },
  roundTripsPerRecord: { of: median, digits: 4, text: (calls) => `${calls} calls per record` },
} satisfies Record<string, Figure>;

/** What Redis has allocated for the sums, as if there were a million of them. */
export const MEMORY_FIGURE: Figure = {
  of: median,
  digits: 0,
  text: (mb) => `${mb} MB in Redis per million keys`,
};
