/** What differs between messages of one cause, and what stands for it. The order matters: later patterns match parts of earlier ones. */
const PLACEHOLDERS: readonly (readonly [RegExp, string])[] = [
  // A quote within a word is an apostrophe.
  [/(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])/gu, '<text>'],
  [/"(?:[^"\\\n]|\\.)*"/g, '<text>'],
  [/`[^`\n]*`/g, '<text>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  [/\b0x[0-9a-f]+\b/gi, '<hex>'],
  [/\b(?=[a-f]*\d)[0-9a-f]*[a-f][0-9a-f]*\b/gi, '<hex>'],
  // Ids such as `cus_9s6XKzkNRiz8i3`: long, with letters and digits.
  [/\b(?=\w*\d)(?=\w*[A-Za-z])\w{12,}\b/g, '<id>'],
  [/-?\d+(?:[.,]\d+)*/g, '<n>'],
  [/\s+/g, ' '],
];

/** Replaces what is particular to one failure, so that messages of the same cause become the same text. */
export function normalize(message: string): string {
  return PLACEHOLDERS.reduce(
    (text, [pattern, placeholder]) => text.replace(pattern, placeholder),
    message,
  ).trim();
}
