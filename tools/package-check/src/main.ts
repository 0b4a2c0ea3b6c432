import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startRedis } from '@rs/redis-server';
import { Consumer } from './consumer.ts';
import { contentProblems } from './contents.ts';
import { type Example, firstExample } from './example.ts';
import { entryPoints, readManifest } from './manifest.ts';
import { packWithDependencies } from './pack.ts';
import { thirdPartyOf } from './third-party.ts';

/** What users of a package that stands on @rs/redis have besides it. */
const REDIS_CLIENT = 'ioredis';

/** Packages that need nothing of Node.js. */
const FOR_PAGES: ReadonlySet<string> = new Set(['@rs/core', '@rs/watermark', '@rs/window', '@rs/cep']);

/** Checks the package in the working directory, which must be built, as its users would get it. */
async function checkPackage(folder: string, scratch: string): Promise<string[]> {
  const manifest = readManifest(folder);
  const modules = entryPoints(manifest);
  const tarballs = packWithDependencies(folder, scratch);
  const [own] = tarballs;

  // Both print their own findings and end with an exit code, which becomes an exception here.
  execFileSync('publint', ['--strict', own.path], { stdio: 'inherit' });
  execFileSync('attw', [own.path, '--profile', 'node16', '--no-emoji', '--no-color'], { stdio: 'inherit' });

  const problems = contentProblems(manifest, own.files);
  const usesRedis = manifest.dependencies?.['@rs/redis'] !== undefined;
  // Examples use plain names: with a server that others use, they might meet in it.
  const redis = usesRedis ? await startRedis({ own: true }) : undefined;
  try {
    const consumer = new Consumer(
      join(scratch, 'consumer'),
      redis === undefined ? {} : { REDIS_URL: redis.url },
    );
    const folders = tarballs.map((tarball) => tarball.folder);
    consumer.install(
      tarballs.map(({ path }) => path),
      thirdPartyOf(folders, usesRedis ? [REDIS_CLIENT] : []),
    );
    for (const module of modules) {
      const required = consumer.required(module).join(', ');
      const imported = consumer.imported(module).join(', ');
      if (required !== imported)
        problems.push(`${module} exports ${imported} to import, ${required} to require`);
    }
    if (!consumer.errorsCrossCopies())
      problems.push('instanceof RsError does not hold across two copies of @rs/core');
    const example = firstExample(folder);
    consumer.typeCheck(modules, example);
    // A job that has run before goes on where it was.
    const empty = async (): Promise<void> => void (await redis?.cli('FLUSHALL'));
    if (example !== undefined)
      problems.push(...(await exampleProblems(consumer, example, empty, FOR_PAGES.has(manifest.name))));
  } finally {
    await redis?.stop();
  }
  return problems;
}

/** Whether the first example of the README prints what it promises, however it is loaded. */
async function exampleProblems(
  consumer: Consumer,
  example: Example,
  before: () => Promise<void>,
  forPages: boolean,
): Promise<string[]> {
  const forms = {
    esm: () => consumer.runModule(example),
    commonjs: () => consumer.runCommonJs(example),
    bundle: () => consumer.runBundled(example),
    ...(forPages ? { page: () => consumer.runInPage(example) } : {}),
  };
  const promised = example.output?.map((line) => `${line}\n`).join('');
  const problems: string[] = [];
  for (const [form, run] of Object.entries(forms)) {
    await before();
    const printed = run();
    if (promised !== undefined && printed !== promised)
      problems.push(`the first example of README.md promises\n${promised}and prints as ${form}\n${printed}`);
  }
  return problems;
}

const scratch = mkdtempSync(join(tmpdir(), 'rs-package-check-'));
try {
  const problems = await checkPackage(process.cwd(), scratch);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else
    console.log(
      'Installed from its tarball: require, import, types, errors across copies, files, dependencies, first example, bundles: good.',
    );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
