const FENCED = /^(`{3,}|~{3,})[^]*?^\1`*$/gm;

/** Targets of the inline links, in their order; code is left out. */
export function linksOf(markdown: string): string[] {
  const prose = markdown.replace(FENCED, '').replace(/`[^`\n]*`/g, (code) => code.replace(/[()[\]]/g, ''));
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), (match) => match[1] ?? '');
}

/** The anchors that GitHub makes for the headings. */
export function anchorsOf(markdown: string): string[] {
  const headings = markdown.replace(FENCED, '').matchAll(/^#{1,6} +(.*?) *$/gm);
  return Array.from(headings, (match) =>
    (match[1] ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** The cells of the first table below a heading, without its header. */
export function tableBelow(markdown: string, heading: string): string[][] {
  const section = markdown.split(/^#{1,6} +/m).find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .slice(1, row.lastIndexOf('|'))
      .split('|')
      .map((cell) => cell.trim()),
  );
}
