import { PUBLISHED } from '@rs/lint-rules';
import { SCOPE, exportedFiles, runtimeDependencies, type Manifest } from './manifest.ts';

const BELONGS = /^(dist|src)\/|^(package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
/** What users look for: what they may do with the package, how it is used, what has changed. */
const DEMANDED = ['LICENSE', 'README.md', 'CHANGELOG.md'];
const TEST_CODE = /\.test(-d)?\.ts$|\/test-support\//;

/**
 * What is wrong with a package as it would be published: files that are missing or do not belong there, dependencies
 * outside of the package table.
 *
 * @param files paths in the tarball
 * @returns one line per problem
 */
export function contentProblems(manifest: Manifest, files: readonly string[]): string[] {
  const present = new Set(files);
  return [
    ...DEMANDED.filter((file) => !present.has(file)).map((file) => `${file} is missing`),
    ...files.filter((file) => !BELONGS.test(file)).map((file) => `${file} does not belong into the package`),
    ...files.filter((file) => TEST_CODE.test(file)).map((file) => `${file} is test code`),
    ...Object.values(manifest.exports)
      .flatMap((target) => exportedFiles(target))
      .filter((file) => !present.has(file))
      .map((file) => `${file} is named in "exports" but is not in the package`),
    ...forbiddenDependencies(manifest).map((name) => `${name} is not in the package table as a dependency`),
  ];
}

function forbiddenDependencies(manifest: Manifest): string[] {
  const row = PUBLISHED[manifest.name.slice(SCOPE.length)];
  if (row === undefined) return [`(all of them: ${manifest.name} is not in the table)`];
  const allowed = new Set([...row.mayDependOn.map((name) => SCOPE + name), ...row.thirdParty]);
  return runtimeDependencies(manifest).filter((name) => !allowed.has(name));
}
