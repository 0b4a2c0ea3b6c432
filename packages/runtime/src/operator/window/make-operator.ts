import type { Gate } from '../gate.ts';
import type { Outputs } from '../outputs.ts';
import { AlignedWindowOperator } from './aligned-windows.ts';
import { ListedWindowOperator } from './listed-windows.ts';
import type { MakeContents } from './make-contents.ts';
import { MergingWindowOperator } from './merging-windows.ts';
import type { WindowOperator } from './window-operator.ts';
import type { WindowSpec } from './window-spec.ts';

/** The operator that suits the assigner. */
export function makeWindowOperator<T, A>(
  gate: Gate,
  outputs: Outputs,
  spec: WindowSpec<T>,
  contents: MakeContents<T, A>,
): WindowOperator<T, A> {
  const { accumulator } = contents;
  const make = (operator: WindowOperator<T, A>) => contents.make(operator, gate, spec);
  const { assigner } = spec;
  if (assigner.supportsWindowMerging())
    return new MergingWindowOperator(gate, outputs, spec, accumulator, make);
  if (assigner.aligned === undefined) return new ListedWindowOperator(gate, outputs, spec, accumulator, make);
  return new AlignedWindowOperator(gate, outputs, spec, assigner.aligned, accumulator, make);
}
