import { type AnyReceiver, NOWHERE, multicast } from './receiver.ts';

/** Where an operator's results go. */
export class Outputs {
  /** Takes the results. */
  readonly main: AnyReceiver;
  /** Takes watermarks, status and end for the main output and all side outputs. */
  readonly control: AnyReceiver;
  readonly #sides: ReadonlyMap<string, AnyReceiver>;
  readonly #watch: ((tag: string) => AnyReceiver | undefined) | undefined;

  /** @param watch what takes the records of a side output besides those who read it */
  constructor(
    main: AnyReceiver,
    sides: ReadonlyMap<string, AnyReceiver>,
    watch?: (tag: string) => AnyReceiver | undefined,
  ) {
    this.main = main;
    this.control = multicast([main, ...sides.values()].filter((receiver) => receiver !== NOWHERE));
    this.#sides = sides;
    this.#watch = watch;
  }

  /** A side output; records for one that nobody reads go nowhere. */
  side(tag: string): AnyReceiver {
    const readers = this.#sides.get(tag) ?? NOWHERE;
    const watcher = this.#watch?.(tag);
    return watcher === undefined ? readers : multicast([readers, watcher]);
  }
}
