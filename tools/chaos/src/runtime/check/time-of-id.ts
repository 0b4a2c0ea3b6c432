/** When an entry was written, on the monotonic clock: its id has the time of the server. */
export function timeOfId(id: string, { wallOffset }: { readonly wallOffset: number }): number {
  return Number(id.split('-')[0]) - wallOffset;
}
