import { text } from 'node:stream/consumers';
import { lintFixtures, type Fixture } from './lint-fixtures.ts';

/** ESLint loads its configuration as an ES module, which it cannot do inside Jest; hence this process of its own. */
const fixtures = JSON.parse(await text(process.stdin)) as Fixture[];
process.stdout.write(JSON.stringify(await lintFixtures(process.cwd(), fixtures)));
