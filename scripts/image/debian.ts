/**
 * The Debian packages of the image: fetched with apt's own client, which knows the proxies of this machine and compares the
 * hash, kept in the cache of the user by their hash, and unpacked. What is taken from them is in `debian-contents.table.ts`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../build/paths.ts';
import { DEBIAN_PACKAGES, PINNED_AT } from './debian.table.ts';
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
export function debianMirror(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return (env['CHANDLER_DEBIAN_MIRROR'] || DEBIAN).replace(/\/$/, '');
}

/**
 * Where a package is looked for, in this order. Debian removes versions from its mirrors when there are newer ones, and keeps
 * all of them in its archive of snapshots, by time. Whoever names a mirror wants no other.
 */
export function addressesOf(file: string, mirror = debianMirror()): readonly string[] {
  const [archive, ...path] = file.split('/');
  const old = `${SNAPSHOTS}/${archive}/${PINNED_AT}/${path.join('/')}`;
  return mirror === DEBIAN ? [`${mirror}/${file}`, old] : [`${mirror}/${file}`];
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
  const failures: string[] = [];
  try {
    for (const address of addressesOf(file)) {
      const { status, stderr } = spawnSync(HELPER, ['download-file', address, partial, `SHA256:${sha256}`], {
        encoding: 'utf8',
      });
      if (status !== 0 || !existsSync(partial)) {
        failures.push(reasonIn(stderr, address));
        continue;
      }
      if (hashOf(partial) !== sha256) throw new Error(`${name} ${version} has another hash than the table`);
      renameSync(partial, kept);
      return kept;
    }
  } finally {
    rmSync(partial, { force: true });
  }
  throw new NotFetchedError(notFetchedText(`${name} ${version}`, failures));
}

/** @param failures one sentence for each address. */
export function notFetchedText(what: string, failures: readonly string[]): string {
  return (
    `${what} cannot be fetched. ${failures.join('. ')}. To take the versions that Debian has today, run ` +
    'node scripts/image/debian-pins.ts and commit the table. To build with the old ones, set CHANDLER_DEBIAN_MIRROR ' +
    'to a mirror that keeps them, with the folders debian and debian-security'
  );
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

const DEBIAN = 'http://deb.debian.org';
/** Answers with the state of the archive at a time. What is fetched is compared with its hash, so plain HTTP is enough. */
const SNAPSHOTS = 'http://snapshot.debian.org/archive';
const HELPER = '/usr/lib/apt/apt-helper';
const LARGEST_BYTES = 512 * 1024 * 1024;

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

const dpkg = (flag: string, archive: string) =>
  execFileSync('dpkg-deb', [flag, archive], { maxBuffer: LARGEST_BYTES });

function reasonIn(stderr: string | null, address: string): string {
  const lines = (stderr ?? '')
    .split('\n')
    .filter((line) => line.startsWith('E: ') && !line.includes('Download Failed'));
  const reasons = lines.map((line) => line.slice(3).replace(`Failed to fetch ${address}`, '').trim());
  return `${address}: ${reasons.join('; ') || 'apt-helper does not say why'}`;
}
