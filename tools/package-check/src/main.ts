import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Consumer } from './consumer.ts';
import { contentProblems } from './contents.ts';
import { entryPoints, readManifest } from './manifest.ts';
import { packWithDependencies } from './pack.ts';

/** Checks the package in the working directory, which must be built, as its users would get it. */
function checkPackage(folder: string, scratch: string): string[] {
  const manifest = readManifest(folder);
  const modules = entryPoints(manifest);
  const tarballs = packWithDependencies(folder, scratch);
  const [own] = tarballs;

  // Both print their own findings and end with an exit code, which becomes an exception here.
  execFileSync('publint', ['--strict', own.path], { stdio: 'inherit' });
  execFileSync('attw', [own.path, '--profile', 'node16', '--no-emoji', '--no-color'], { stdio: 'inherit' });

  const problems = contentProblems(manifest, own.files);
  const consumer = new Consumer(join(scratch, 'consumer'));
  consumer.install(tarballs.map(({ path }) => path));
  for (const module of modules) {
    const required = consumer.required(module).join(', ');
    const imported = consumer.imported(module).join(', ');
    if (required !== imported)
      problems.push(`${module} exports ${imported} to import, ${required} to require`);
  }
  if (!consumer.errorsCrossCopies())
    problems.push('instanceof RsError does not hold across two copies of @rs/core');
  consumer.typeCheck(modules);
  return problems;
}

const scratch = mkdtempSync(join(tmpdir(), 'rs-package-check-'));
try {
  const problems = checkPackage(process.cwd(), scratch);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else
    console.log(
      'Installed from its tarball: require, import, types, errors across copies, files, dependencies: good.',
    );
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
