import type { ElementSpec, PatternSpec } from './spec.ts';

/**
 * Tells patterns apart by their structure: stages, names, order, quantifiers, negations, `within` and the strategy after
 * a match. Conditions are code, and code has no identity that survives a build; a changed condition is not noticed.
 */
export function fingerprintOf(spec: PatternSpec): string {
  const text = JSON.stringify([spec.elements.map(elementOf), spec.within ?? null, spec.skip]);
  return hash(text, 0x811c9dc5) + hash(text, 0x9747b28c);
}

function elementOf(element: ElementSpec): unknown {
  const { edge, min, max, optional, inner, after } = element;
  const common = [
    edge,
    min,
    max === Infinity ? '*' : max,
    optional,
    inner ?? 'relaxed',
    after.map(({ kind }) => kind),
  ];
  return element.kind === 'group'
    ? [common, element.elements.map(elementOf)]
    : [common, element.name, element.test !== undefined, element.until !== undefined, element.greedy];
}

/** FNV-1a over code units, with a last mix: two seeds make 64 bits. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d);
  return (value >>> 0).toString(16).padStart(8, '0');
}
