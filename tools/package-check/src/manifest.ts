import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The parts of a package.json that the checks look at. */
export interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, ExportTarget>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export type ExportTarget = string | { readonly [condition: string]: ExportTarget };

export const SCOPE = '@rs/';

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Every module a user can import: `@rs/core`, `@rs/runtime-memory/testing` … */
export function entryPoints({ name, exports }: Manifest): string[] {
  return Object.keys(exports)
    .filter((path) => path !== './package.json')
    .map((path) => name + path.slice(1));
}

/** Every file named by an export target, without the leading `./`. */
export function exportedFiles(target: ExportTarget): string[] {
  return typeof target === 'string'
    ? [target.replace(/^\.\//, '')]
    : Object.values(target).flatMap((inner) => exportedFiles(inner));
}

/** All packages a package depends on at run time. */
export function runtimeDependencies(manifest: Manifest): string[] {
  return [manifest.dependencies, manifest.peerDependencies, manifest.optionalDependencies].flatMap(
    (section) => Object.keys(section ?? {}),
  );
}
