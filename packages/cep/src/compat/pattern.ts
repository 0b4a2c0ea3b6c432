import { isTrue } from '../pattern/condition.ts';
import { checkHas, invalidArgument } from './check.ts';

/** A condition on a single event. Immutable. */
export class Pattern<T> {
  readonly #test: (event: T) => boolean;

  private constructor(test: (event: T) => boolean) {
    this.#test = test;
  }

  /**
   * A condition that is a function of the event. It must give the same answer for the same event; what it throws comes out
   * of the matcher's `process`.
   *
   * @throws RsError `RS_INVALID_ARGUMENT` for anything but a function
   */
  static of<T>(test: (event: T) => boolean): Pattern<T> {
    if (typeof test !== 'function') {
      throw invalidArgument('Pattern.of takes a function (event) => boolean', 'test', test);
    }
    return new Pattern(test);
  }

  /**
   * Whether the event meets the condition.
   *
   * @throws RsError `RS_ASYNC_NOT_ALLOWED` when the function returns a promise
   */
  matches(event: T): boolean {
    return isTrue(this.#test(event));
  }

  /** Both hold; `other` is asked only when this one holds. */
  and(other: Pattern<T>): Pattern<T> {
    checkPattern(other, 'and: other');
    return new Pattern((event) => this.matches(event) && other.matches(event));
  }

  /** One of both holds; `other` is asked only when this one does not. */
  or(other: Pattern<T>): Pattern<T> {
    checkPattern(other, 'or: other');
    return new Pattern((event) => this.matches(event) || other.matches(event));
  }

  negate(): Pattern<T> {
    return new Pattern((event) => !this.matches(event));
  }
}

export function checkPattern(pattern: unknown, what: string): void {
  checkHas(pattern, 'matches', what, 'a Pattern of @rs/cep/compat, such as Pattern.of((event) => event.ok)');
}
