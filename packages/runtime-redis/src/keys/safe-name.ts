const UNSAFE = /[^A-Za-z0-9._-]/g;

/**
 * A name as a part of a key between colons. Names that need nothing stay as they are; every other character becomes `%` and four
 * hexadecimal digits, so that different names are different parts: ids of operators may contain a colon, names of states anything.
 */
export function safeName(name: string): string {
  return name.replace(UNSAFE, hexadecimal);
}

const ODD = /[%\ud800-\udfff]/g;

/**
 * Any text as the last part of a key. Text with half a character cannot be sent as it is, so it is escaped, and so is what looks like
 * it was.
 */
export function safeEnd(text: string): string {
  if (isWellFormed(text) && !text.startsWith('%')) return text;
  return `%${text.replace(ODD, hexadecimal)}`;
}

/** Whether the text has no half of a character (a lone surrogate) in it. In Node since 20, in TypeScript's library for ES2024. */
export function isWellFormed(text: string): boolean {
  return (text as string & { isWellFormed(): boolean }).isWellFormed();
}

function hexadecimal(unit: string): string {
  return `%${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
