/** A record of one of two inputs: `0` is the first, the left one. A class, so that all of them have one shape. */
export class Sided<A, B> {
  readonly input: 0 | 1;
  readonly value: A | B;

  constructor(input: 0 | 1, value: A | B) {
    this.input = input;
    this.value = value;
  }
}
