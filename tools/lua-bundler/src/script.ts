import type { Header } from './header/header.ts';

/** A script that is ready to be written: its contract, and the text that Redis gets: it and its includes, stripped. */
export interface BundledScript {
  /** The name of its file, without `.lua`. */
  readonly name: string;
  readonly header: Header;
  readonly source: string;
}
