/** One line of a configuration file: a directive and its arguments. */
export type Directive = readonly [name: string, ...args: string[]];

const PLAIN = /^[\w.*:@/&~+|%-]+$/;

/** The text of a `redis.conf`. */
export function configFile(directives: readonly Directive[]): string {
  return directives.map(([name, ...args]) => [name, ...args.map(quoted)].join(' ') + '\n').join('');
}

/** As the server's own parser reads it: in double quotes, with bytes that are not printable as `\\xHH`. */
function quoted(text: string): string {
  if (PLAIN.test(text)) return text;
  const escaped = [...Buffer.from(text)].map((byte) => {
    const character = String.fromCharCode(byte);
    if (character === '"' || character === '\\') return `\\${character}`;
    return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  return `"${escaped.join('')}"`;
}
