/** What is added up per customer: everything, or what falls into a window. Times in milliseconds. */
export type Work =
  | { readonly kind: 'sum'; readonly customers: number }
  | { readonly kind: 'tumbling'; readonly customers: number; readonly size: number }
  | {
      readonly kind: 'sliding';
      readonly customers: number;
      readonly size: number;
      readonly slide: number;
    }
  | { readonly kind: 'sessions'; readonly customers: number; readonly gap: number };

/** Sums by customer, or by {@link windowName}. */
export type Sums = ReadonlyMap<string, number>;

export function windowName(customer: string, start: number, end: number): string {
  return `${customer}|${start}|${end}`;
}

/** Starts of the windows that a time is in, the latest first. */
export function startsOf(at: number, size: number, slide: number): number[] {
  const starts: number[] = [];
  for (let start = at - (at % slide); start > at - size; start -= slide) starts.push(start);
  return starts;
}
