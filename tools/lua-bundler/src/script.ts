import type { Header } from './header/header.ts';

/** A script that is ready to be written: its contract, and the stripped text of it and its includes. */
export interface BundledScript {
  /** The name of its file, without `.lua`. */
  readonly name: string;
  readonly header: Header;
  readonly source: string;
}
