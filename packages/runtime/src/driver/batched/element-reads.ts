import type { Task } from '../../operator/task.ts';
import type { ElementSource } from '../../state/element-source.ts';
import type { CellAddress, KeyAddress, StoredCell, StoredPage } from '../../state/stored.ts';
import type { StateBackend } from './backend.ts';

/** What was asked for in one turn, so that many elements cost one call of the backend. */
interface Asked {
  readonly addresses: CellAddress[];
  readonly cells: Promise<readonly (StoredCell | undefined)[]>;
}

/**
 * Reads elements of large maps while user functions wait for them, also while a commit is on its way: what that changes is in
 * memory, so it makes no difference whether a read comes before it or after.
 */
export class ElementReads implements ElementSource {
  readonly #backend: StateBackend;
  readonly #task: Task;
  #asked: Asked | undefined;
  #failing = false;

  constructor(backend: StateBackend, task: Task) {
    this.#backend = backend;
    this.#task = task;
    task.onRewind(() => {
      this.#failing = false;
    });
  }

  /** True when the task has failed by the backend, not by user code. */
  get failing(): boolean {
    return this.#failing;
  }

  async read(address: CellAddress): Promise<StoredCell | undefined> {
    const { addresses, cells } = (this.#asked ??= this.#ask());
    const position = addresses.push(address) - 1;
    return (await cells)[position];
  }

  async scan(address: KeyAddress, after: string | undefined, limit: number): Promise<StoredPage> {
    return this.#backend.scan(address, after, limit);
  }

  failed(error: unknown): void {
    this.#failing ||= !this.#task.stopped;
    this.#task.fail(error);
  }

  #ask(): Asked {
    const addresses: CellAddress[] = [];
    const cells = Promise.resolve().then(() => {
      this.#asked = undefined;
      return this.#backend.read(addresses);
    });
    return { addresses, cells };
  }
}
