import { checkName } from './names.ts';

declare const VALUE: unique symbol;

/** Names a side output and carries the type of its records. Two tags with one name are the same output. */
export interface OutputTag<T> {
  readonly name: string;
  /** Carries the type; never set. Covariant, so that streams are: a stream of numbers is a stream of unknown. */
  readonly [VALUE]?: T;
}

/**
 * @example const late = outputTag<Order>('late');
 * @throws RsError `RS_INVALID_NAME`
 */
export function outputTag<T>(name: string): OutputTag<T> {
  return Object.freeze({ name: checkName(name, 'output tag') });
}
