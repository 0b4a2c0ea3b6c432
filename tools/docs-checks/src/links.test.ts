import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from '@jest/globals';
import { anchorsOf, linksOf } from './markdown.ts';
import { PAGES, WORKSPACE } from './pages.ts';

/** Links of a page to places in this workspace that do not exist. */
function brokenLinks(page: string): string[] {
  const file = join(WORKSPACE, page);
  return linksOf(readFileSync(file, 'utf8')).filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path = '', anchor] = link.split('#');
    const target = path === '' ? file : join(dirname(file), path);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  });
}

test.each(PAGES)('the links of %s lead somewhere', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});
