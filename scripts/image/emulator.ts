/** Programs that are unpacked from Debian packages into the user's cache: the emulator that runs programs of another architecture. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../build/paths.ts';
import { EMULATOR } from './debian.table.ts';
import { debianProblem, fetchPackage, type ImageArchitecture } from './debian.ts';

/** `missing`: why it cannot be had. */
export type Tool = { readonly program: string } | { readonly missing: string };

export const OWN_ARCHITECTURE: ImageArchitecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** Runs programs of `architecture` on this machine; must be linked statically, because it runs inside the image. */
export function findEmulator(architecture: ImageArchitecture): Tool {
  const name = `qemu-${architecture === 'arm64' ? 'aarch64' : 'x86_64'}`;
  const named = `${name}-static`;
  const there = (process.env['PATH'] ?? '').split(':').find((folder) => existsSync(join(folder, named)));
  if (there !== undefined) return { program: join(there, named) };
  if (OWN_ARCHITECTURE !== 'amd64')
    return { missing: `there is no ${named} on PATH (Debian package qemu-user-static)` };
  const program = join(cacheFolder(), EMULATOR.name, 'usr', 'bin', name);
  if (existsSync(program)) return { program };
  try {
    const problem =
      debianProblem() ??
      unpackOnce(EMULATOR.name, (folder) => extract(fetchPackage(EMULATOR), folder, `./usr/bin/${name}`));
    return problem === undefined ? { program } : { missing: problem };
  } catch (error) {
    return { missing: error instanceof Error ? error.message : String(error) };
  }
}

/** What went wrong; undefined: nothing. */
export type Problem = string | undefined;

/** Into the cache, whole or not at all. */
export function unpackOnce(name: string, work: (folder: string) => Problem): Problem {
  mkdirSync(cacheFolder(), { recursive: true });
  const folder = mkdtempSync(join(cacheFolder(), `.${name}-`));
  try {
    const problem = work(folder);
    if (problem === undefined) renameSync(folder, join(cacheFolder(), name));
    return problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One member: an emulator for each of thirty architectures is half a gigabyte. */
export function extract(archive: string, folder: string, member: string): Problem {
  const command = 'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" "$3"';
  const { status, stderr } = spawnSync('bash', ['-c', command, 'bash', archive, folder, member], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `${archive} cannot be unpacked: ${stderr ?? ''}`;
}
