/**
 * How far an out log was delivered, as a commit stores it: the id of the last entry, and for a topic whose positions are no longer
 * those of the task's history, the name of the history that they belong to.
 */
export interface Cursor {
  readonly id: string;
  readonly gen?: string | undefined;
}

export function cursorText({ id, gen }: Cursor): string {
  return gen === undefined ? id : `${id} ${gen}`;
}

/** @param text `undefined` for a sink that nothing was delivered to */
export function cursorOf(text: string | undefined): Cursor {
  const [id, gen] = (text ?? '0-0').split(' ');
  return { id: id ?? '0-0', gen };
}
