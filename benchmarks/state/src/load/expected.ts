import { payments } from './payment.ts';
import { startsOf, type Sums, windowName, type Work } from './work.ts';

/** What has to come out, computed in the plainest way. */
export function expectedSums(work: Work, records: number): Sums {
  const sums = new Map<string, number>();
  const add = (name: string, amount: number): void => void sums.set(name, (sums.get(name) ?? 0) + amount);
  if (work.kind === 'sessions') return sessionSums(work.customers, work.gap, records);
  for (const { customer, amount, at } of payments(records, work.customers)) {
    if (work.kind === 'sum') {
      add(customer, amount);
    } else {
      const { size, slide } = work.kind === 'sliding' ? work : { size: work.size, slide: work.size };
      for (const start of startsOf(at, size, slide)) add(windowName(customer, start, start + size), amount);
    }
  }
  return sums;
}

/** @throws Error naming the first sum that is wrong, missing or too many */
export function checkSums(sums: Sums, expected: Sums): void {
  for (const [name, sum] of expected) {
    if (sums.get(name) !== sum) throw new Error(`the sum of ${name} is ${sums.get(name)}, not ${sum}`);
  }
  if (sums.size === expected.size) return;
  const [surplus] = [...sums.keys()].filter((name) => !expected.has(name));
  throw new Error(`there are ${sums.size} sums, not ${expected.size}; one too many is ${surplus}`);
}

function sessionSums(customers: number, gap: number, records: number): Sums {
  const byCustomer = new Map<string, { at: number; amount: number }[]>();
  for (const { customer, amount, at } of payments(records, customers)) {
    byCustomer.set(customer, [...(byCustomer.get(customer) ?? []), { at, amount }]);
  }
  const sums = new Map<string, number>();
  for (const [customer, all] of byCustomer) {
    let session = { start: -Infinity, last: -Infinity, sum: 0 };
    const end = (): void => {
      if (session.sum > 0) sums.set(windowName(customer, session.start, session.last + gap), session.sum);
    };
    for (const { at, amount } of all) {
      if (at - session.last >= gap) {
        end();
        session = { start: at, last: at, sum: 0 };
      }
      session = { start: session.start, last: at, sum: session.sum + amount };
    }
    end();
  }
  return sums;
}
