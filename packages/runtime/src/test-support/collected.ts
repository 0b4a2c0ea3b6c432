/** Everything that an asynchronous loop gives. */
export async function collected<T>(iterable: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of iterable) all.push(one);
  return all;
}
