/**
 * Unpacks the command line of a Linux platform and runs it: as itself, as the kubectl plugin and for completion. On another
 * architecture it runs in an emulator, with the C library of the image. What cannot be run is reported with the reason.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BuildFacts } from '../build/build-facts.ts';
import type { ImageArchitecture } from '../image/debian.ts';
import { findEmulator, OWN_ARCHITECTURE } from '../image/emulator.ts';
import { debianLayer } from '../image/root-files.ts';
import { writeTar } from '../image/tar.ts';
import { ARCHIVE_FOLDER } from './archives.ts';

export interface Expected extends Pick<BuildFacts, 'version' | 'commit'> {
  readonly nodeVersion: string;
}

/** How it was run, or why it was not. @throws {Error} if it does not do what it should. */
export type ArchiveRun = { readonly ran: 'here' | 'emulated' } | { readonly notRun: string };

export function runArchive(file: string, architecture: ImageArchitecture, expected: Expected): ArchiveRun {
  const place = mkdtempSync(join(tmpdir(), 'chandler-release-'));
  try {
    execFileSync('tar', ['-xzf', file, '-C', place], { stdio: 'pipe' });
    if (architecture === OWN_ARCHITECTURE) {
      check(startedByLink(place), expected);
      return { ran: 'here' };
    }
    const emulator = findEmulator(architecture);
    if ('missing' in emulator) return { notRun: emulator.missing };
    check(emulated(place, architecture, emulator.program), expected);
    return { ran: 'emulated' };
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

// ---------------------------------------------------------------------------------------------------

/** @param name that the program is started by. */
type Run = (name: string, ...args: readonly string[]) => string;

function check(run: Run, { version, commit, nodeVersion }: Expected): void {
  for (const name of ['chandler', 'kubectl-chandler']) {
    const said = JSON.parse(run(name, 'version', '-o', 'json')) as object;
    assert.partialDeepStrictEqual(said, { version, commit, node: nodeVersion });
  }
  assert.match(run('chandler', 'why', '--help'), /^Usage: chandler why/m);
  // It knows by which name it was started: completion must never execute a command.
  assert.match(run('kubectl-chandler', '--help'), /kubectl chandler/);
  assert.match(run('kubectl_complete-chandler', 'wh'), /^why\b/m);
  assert.doesNotMatch(run('kubectl_complete-chandler', 'version'), /"?commit"?/);
}

/** As from a folder of the PATH. */
function startedByLink(place: string): Run {
  return (name, ...args) => {
    const link = join(place, `${name}.link`, name);
    if (!existsSync(link)) {
      mkdirSync(join(link, '..'));
      symlinkSync(join(place, ARCHIVE_FOLDER, 'chandler'), link);
    }
    return execFileSync(link, args, { encoding: 'utf8' });
  };
}

/** The kernel starts no scripts for an emulator, so this is what the script of the archive runs. */
function emulated(place: string, architecture: ImageArchitecture, emulator: string): Run {
  const libraries = join(place, 'libraries');
  mkdirSync(libraries);
  const archive = join(place, 'libraries.tar');
  writeFileSync(archive, writeTar(debianLayer(architecture).entries, 0));
  execFileSync('tar', ['-xf', archive, '-C', libraries, '--no-same-owner'], { stdio: 'pipe' });
  const program = join(place, ARCHIVE_FOLDER);
  const node = join(program, 'bin', 'node');
  return (name, ...args) =>
    execFileSync(emulator, ['-L', libraries, node, join(program, `${name}.js`), ...args], {
      encoding: 'utf8',
    });
}
