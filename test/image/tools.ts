/** What the image is run with: runc, and an emulator for the other architecture. Each says why when it cannot be had. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/build/paths.ts';
import { EMULATOR } from '../../scripts/image/debian.table.ts';
import { debianProblem, fetchPackage, type ImageArchitecture } from '../../scripts/image/debian.ts';
import { onPath } from '../cluster/control-plane/binaries.ts';

export type Tool = { readonly program: string } | { readonly missing: string };

export const OWN_ARCHITECTURE: ImageArchitecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** From PATH, or from the package that apt has for this machine. It is unpacked, not installed. */
export function findRunc(): Tool {
  if (onPath('runc')) return { program: 'runc' };
  const program = join(cacheFolder(), 'runc', 'usr', 'sbin', 'runc');
  if (!existsSync(program)) {
    const problem = debianProblem() ?? unpackOnce('runc', downloadRunc);
    if (problem !== undefined) return { missing: `there is no runc on PATH, and ${problem}` };
  }
  const { status, stderr } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return status === 0 ? { program } : { missing: `runc of apt does not start here: ${stderr}` };
}

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

// ---------------------------------------------------------------------------------------------------

type Problem = string | undefined;

/** Into the cache, whole or not at all. */
function unpackOnce(name: string, work: (folder: string) => Problem): Problem {
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

function downloadRunc(folder: string): Problem {
  const { status, stderr } = spawnSync('apt-get', ['download', 'runc'], { cwd: folder, encoding: 'utf8' });
  const [archive] = readdirSync(folder);
  if (status !== 0 || archive === undefined)
    return `apt-get download runc failed (apt-get update may help): ${(stderr ?? '').trim().split('\n').at(-1)}`;
  return extract(join(folder, archive), folder, './usr/sbin/runc');
}

/** One member: an emulator for each of thirty architectures is half a gigabyte. */
function extract(archive: string, folder: string, member: string): Problem {
  const command = 'set -o pipefail; dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" "$3"';
  const { status, stderr } = spawnSync('bash', ['-c', command, 'bash', archive, folder, member], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `${archive} cannot be unpacked: ${stderr ?? ''}`;
}
