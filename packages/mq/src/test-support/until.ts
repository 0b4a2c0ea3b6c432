import { eventually } from '@rs/redis-server';

/** Waits until it is so, asking again and again. @throws Error after `timeout` milliseconds */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  timeout = 10_000,
): Promise<void> {
  await eventually(what, async () => ((await isSo()) ? true : undefined), {
    timeout,
    tolerate: () => false,
  });
}

/** A door that handlers wait at until it is opened. */
export class Door {
  readonly opened: Promise<void>;
  open: () => void = () => undefined;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
