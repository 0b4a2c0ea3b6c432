import type { StreamItem } from '../../operator/stream-item.ts';

/**
 * One item of the task's input. Inputs are numbered as `taskInputs` lists them.
 *
 * `advance`: event time has come this far at some inputs, whatever the watermark generators behind them have seen; `ended`
 * are the inputs that bring nothing any more.
 */
export type InputItem =
  | ({ readonly input: number } & StreamItem)
  | {
      readonly type: 'advance';
      readonly timestamp: number;
      readonly inputs: readonly number[];
      readonly ended: readonly number[];
    };
