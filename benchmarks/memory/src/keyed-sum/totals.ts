/** What is kept of the results, whatever their order within a window: enough to tell a wrong sum. */
export class Totals {
  results = 0;
  sum = 0;
  /** Differs when an amount is counted for the wrong key or window, which `sum` cannot tell. */
  sumOfSquares = 0;

  add(result: number): void {
    this.results += 1;
    this.sum += result;
    this.sumOfSquares += result * result;
  }

  toString(): string {
    return `${this.results} results, sum ${this.sum}, sum of squares ${this.sumOfSquares}`;
  }
}
