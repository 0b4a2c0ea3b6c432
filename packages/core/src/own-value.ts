/**
 * What a record has under an id, where the id may be any text: a name such as `constructor`, under which nothing was put, is no property of
 * the record.
 */
export function ownValue<T>(record: Readonly<Record<string, T>>, id: string): T | undefined {
  return Object.hasOwn(record, id) ? record[id] : undefined;
}
