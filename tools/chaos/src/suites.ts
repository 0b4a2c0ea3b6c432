import { reportOf as reportOfMq } from './mq/report/report.ts';
import { textReport as textOfMq } from './mq/report/text-report.ts';
import { runChaos } from './mq/run/run-chaos.ts';
import type { Suite } from './run/suite.ts';
import { reportOf as reportOfRuntime } from './runtime/report/report.ts';
import { textReport as textOfRuntime } from './runtime/report/text-report.ts';
import { runRuntime } from './runtime/run/run-runtime.ts';
import type { SuiteName } from './options.ts';

export const SUITES: Readonly<Record<SuiteName, Suite>> = {
  mq: async (options) => {
    const run = await runChaos(options);
    if (run === undefined) return undefined;
    const report = reportOfMq(run, options.seconds);
    return { report, text: (colors) => textOfMq(report, colors) };
  },
  runtime: async (options) => {
    const run = await runRuntime(options);
    if (run === undefined) return undefined;
    const report = reportOfRuntime(run, options.seconds);
    return { report, text: (colors) => textOfRuntime(report, colors) };
  },
};
