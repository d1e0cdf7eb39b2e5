/** Which packages of the lockfile ship: those of which the bundler put at least a byte into the bundle. */
import type { Metafile } from 'esbuild';

export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, in base64. */
  readonly integrity: string;
  readonly licence: string;
}

export interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage | undefined>>;
}

interface LockedPackage {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
}

/** By name and version. @throws {Error} naming each package that the lockfile does not know, or without a hash or licence. */
export function shippedPackages(
  { outputs }: Pick<Metafile, 'outputs'>,
  lock: Lockfile,
): readonly ShippedPackage[] {
  const folders = new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs)
        .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
        .flatMap(([path]) => packageFolder(path) ?? []),
    ),
  );
  const problems: string[] = [];
  const found = new Map<string, ShippedPackage>();
  for (const folder of folders) {
    const { version, integrity, license: licence } = lock.packages[folder] ?? {};
    const name = folder.slice(folder.lastIndexOf(MODULES) + MODULES.length);
    if (version === undefined || integrity === undefined)
      problems.push(`${folder} has no version or no hash in the lockfile`);
    else if (licence === undefined) problems.push(`${folder} has no licence in the lockfile`);
    else found.set(`${name}@${version}`, { name, version, integrity, licence });
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
}

/** `node_modules/@a/b` of `node_modules/@a/b/dist/c.js`, the innermost where packages are nested; as keys of the lockfile. */
export function packageFolder(path: string): string | undefined {
  return /^(?:[^:]*:)?((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
}

// ---------------------------------------------------------------------------------------------------

const MODULES = 'node_modules/';
