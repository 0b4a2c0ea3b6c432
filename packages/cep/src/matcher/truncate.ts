/** Shortens a list. Setting its length is a slow call, and lists here get shorter by a few, with every event. */
export function truncate(list: unknown[], length: number): void {
  while (list.length > length) list.pop();
}
