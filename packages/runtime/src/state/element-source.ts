import type { CellAddress, KeyAddress, StoredCell, StoredPage } from './stored.ts';

/** Where the committed elements of large maps are read from, while user code waits for them. */
export interface ElementSource {
  /** The committed cell at the address; `undefined` when nothing is stored. */
  read(address: CellAddress): Promise<StoredCell | undefined>;
  /** The committed cells of a key whose namespaces come after `after`; see `StateBackend.scan`. */
  scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage>;
  /** A read has failed for which user code waits: nothing that it makes of the error may have an effect. */
  failed(error: unknown): void;
}
