/**
 * The Debian packages of the image: fetched with apt's own client, which knows the proxies of this machine and compares the
 * hash, kept in the cache of the user by their hash, and unpacked. What is taken from them is in `debian-contents.table.ts`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../build/paths.ts';
import { DEBIAN_PACKAGES } from './debian.table.ts';
import { DEBIAN_CONTENTS } from './debian-contents.table.ts';
import { readTar, type TarEntry } from './tar.ts';

export type ImageArchitecture = 'amd64' | 'arm64';

export interface DebianPackage {
  readonly name: string;
  readonly version: string;
  /** On the mirror. */
  readonly file: string;
  readonly sha256: string;
}

/** The mirror does not have it any more, or does not answer. */
export class NotFetchedError extends Error {}

/** What keeps Debian packages from being fetched here; undefined: nothing. */
export function debianProblem(): string | undefined {
  if (!existsSync(HELPER)) return `there is no ${HELPER} to fetch Debian packages with (Debian package apt)`;
  if (spawnSync('dpkg-deb', ['--version']).status !== 0)
    return 'there is no dpkg-deb to unpack Debian packages with (Debian package dpkg)';
  return undefined;
}

/** Has the folders `debian` and `debian-security`. */
export function debianMirror(): string {
  return (process.env['CHANDLER_DEBIAN_MIRROR'] || 'http://deb.debian.org').replace(/\/$/, '');
}

export function packagesOf(architecture: ImageArchitecture): readonly DebianPackage[] {
  return DEBIAN_PACKAGES[architecture];
}

/** The path of the package. @throws {NotFetchedError} if it cannot be fetched. @throws {Error} if it has another hash. */
export function fetchPackage({ name, version, file, sha256 }: DebianPackage): string {
  const folder = join(cacheFolder(), 'debian');
  const kept = join(folder, `${sha256}.deb`);
  if (existsSync(kept) && hashOf(kept) === sha256) return kept;
  mkdirSync(folder, { recursive: true });
  const partial = join(folder, `.${process.pid}-${basename(file)}`);
  try {
    const uri = `${debianMirror()}/${file}`;
    const { status, stderr } = spawnSync(HELPER, ['download-file', uri, partial, `SHA256:${sha256}`], {
      encoding: 'utf8',
    });
    if (status !== 0 || !existsSync(partial))
      throw new NotFetchedError(
        `${name} ${version} cannot be fetched from ${uri}: ${reasonIn(stderr)}. ` +
          'If Debian has a newer version, node scripts/image/debian-pins.ts writes it into the table',
      );
    if (hashOf(partial) !== sha256) throw new Error(`${name} ${version} has another hash than the table`);
    renameSync(partial, kept);
  } finally {
    rmSync(partial, { force: true });
  }
  return kept;
}

/** What the image takes from a package, and the record by which scanners know that it is there. */
export function contentsOf(row: DebianPackage, archive: string): readonly TarEntry[] {
  const { take } = DEBIAN_CONTENTS[row.name]!;
  const taken = readTar(dpkg('--fsys-tarfile', archive)).filter(({ name }) => take.test(name));
  if (taken.length === 0) throw new Error(`nothing of ${row.name} ${row.version} is taken`);
  const control = dpkg('--field', archive);
  // The place and form of distroless images.
  return [
    ...taken,
    { kind: 'file', name: `var/lib/dpkg/status.d/${row.name}`, mode: 0o644, content: control },
  ];
}

// ---------------------------------------------------------------------------------------------------

const HELPER = '/usr/lib/apt/apt-helper';
const LARGEST_BYTES = 512 * 1024 * 1024;

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const dpkg = (flag: string, archive: string) =>
  execFileSync('dpkg-deb', [flag, archive], { maxBuffer: LARGEST_BYTES });

function reasonIn(stderr: string | null): string {
  const lines = (stderr ?? '').split('\n').filter((line) => /^E: /.test(line));
  return lines.map((line) => line.slice(3).trim()).join('; ') || 'apt-helper does not say why';
}
