/**
 * The field of a cell in the hash of its state. Without a namespace it is the text of the key; with one, the length of the key goes before,
 * since keys and namespaces may be any text. A key that begins with a digit has its length as well, so that no field stands for two cells.
 */
export function cellField(key: string, namespace: string): string {
  if (namespace === '' && !beginsWithDigit(key)) return key;
  return `${key.length}:${key}${namespace}`;
}

function beginsWithDigit(key: string): boolean {
  const first = key.charCodeAt(0);
  return first >= 0x30 && first <= 0x39;
}
