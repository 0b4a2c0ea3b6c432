import { type AnyReceiver, NOWHERE, multicast } from './receiver.ts';

/** Where an operator's results go. */
export class Outputs {
  /** Takes the results. */
  readonly main: AnyReceiver;
  /** Takes watermarks, status and end for the main output and all side outputs. */
  readonly control: AnyReceiver;
  readonly #sides: ReadonlyMap<string, AnyReceiver>;

  constructor(main: AnyReceiver, sides: ReadonlyMap<string, AnyReceiver>) {
    this.main = main;
    this.control = multicast([main, ...sides.values()].filter((receiver) => receiver !== NOWHERE));
    this.#sides = sides;
  }

  /** A side output; records for one that nobody reads go nowhere. */
  side(tag: string): AnyReceiver {
    return this.#sides.get(tag) ?? NOWHERE;
  }
}
