/** The fields of INFO, all sections together. */
export type ServerInfo = ReadonlyMap<string, string>;

export function readInfo(text: string): ServerInfo {
  const info = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0 && !line.startsWith('#')) info.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return info;
}

/** A number of INFO; undefined where the server does not tell it. */
export function numberIn(info: ServerInfo, field: string): number | undefined {
  const text = info.get(field);
  const value = text === undefined || text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

export type Product = 'redis' | 'valkey' | 'dragonfly' | 'keydb';

/** All of them call themselves Redis of some version, for the sake of old clients. */
export function productOf(info: ServerInfo): { readonly product: Product; readonly version: string } {
  const valkey = info.get('valkey_version');
  if (valkey !== undefined) return { product: 'valkey', version: valkey };
  const dragonfly = info.get('dragonfly_version');
  if (dragonfly !== undefined) return { product: 'dragonfly', version: dragonfly };
  const version = info.get('redis_version') ?? 'unknown';
  return { product: info.has('mvcc_depth') ? 'keydb' : 'redis', version };
}

/** Whether `version` is `floor` or newer, `7.2` against `7.0.15`. Unknown ones are not. */
export function isAtLeast(version: string, floor: string): boolean {
  const actual = /\d+(\.\d+)*/.exec(version)?.[0].split('.').map(Number);
  if (actual === undefined) return false;
  for (const [i, wanted] of floor.split('.').map(Number).entries()) {
    const part = actual[i] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
