import { CEP } from '@rs/cep';
import { type DataStream, defineJob, type JobDefinition, outputTag, type StreamEnvironment } from '@rs/core';
import { WatermarkStrategy } from '@rs/watermark';
import { type AccountEvent, byId } from './account-event.ts';
import { type Alert, alertOf } from './alert.ts';
import { RULE_NAMES, RULES } from './rules.ts';

export interface FraudJobOptions {
  /** Where the events come from, in the order of their arrival. */
  readonly source: (env: StreamEnvironment) => DataStream<AccountEvent>;
  /** Milliseconds by which an event may arrive after one that happened later, and still take part. */
  readonly outOfOrderness: number;
  readonly alerts: (alert: Alert) => void;
  /** Takes the events that came later than that. */
  readonly late: (event: AccountEvent) => void;
}

const LATE = outputTag<AccountEvent>('late');

/** Each rule looks at the events of each account in the order in which they happened; what they find is one stream. */
export function fraudJob(options: FraudJobOptions): JobDefinition {
  return defineJob((env) => {
    const accounts = options
      .source(env)
      .assignTimestampsAndWatermarks(
        WatermarkStrategy.forBoundedOutOfOrderness<AccountEvent>(
          options.outOfOrderness,
        ).withTimestampAssigner(({ at }) => at),
        { uid: 'times' },
      )
      .keyBy(({ account }) => account, { uid: 'accounts' });

    const found = RULE_NAMES.map((rule) =>
      CEP.pattern(accounts, RULES[rule], { order: byId, lateOutput: LATE }).select(
        (match) => alertOf(rule, match.key, match),
        { uid: rule },
      ),
    );
    const [first, ...others] = found as [DataStream<Alert>, ...DataStream<Alert>[]];
    first.union(others, { uid: 'alerts' }).addSink(options.alerts, { uid: 'alerts-out' });
    // What is late for one rule is late for all.
    first.getSideOutput(LATE).addSink(options.late, { uid: 'late-out' });
  });
}
