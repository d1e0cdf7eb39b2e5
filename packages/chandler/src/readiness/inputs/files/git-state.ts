/**
 * What git says about the files of the Helm values: which are not committed, and how many commits are not pushed. Nothing of the
 * repository is run or written. Without git, or outside of a repository, there is no answer.
 */
import { execFile } from 'node:child_process';
import { realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { FilePlace } from '../../model/place.ts';
import type { Inputs } from '../inputs.ts';

/** Adds what git says about the files of the releases. @param paths files and folders as the user named them. */
export async function withGitState(inputs: Inputs, paths: readonly string[]): Promise<Inputs> {
  const repositories = new Map<string, Status>();
  for (const path of paths) {
    const status = await statusOf(path);
    if (status !== undefined) repositories.set(status.root, status);
  }
  const all = [...repositories.values()];
  if (all.length === 0) return inputs;
  const changed = new Set(all.flatMap((each) => each.changed));
  const uncommitted = new Set<string>();
  const committed = new Set<string>();
  for (const { at } of inputs.releases) {
    const path = 'file' in at ? await realpath(at.file).catch(() => undefined) : undefined;
    if (path === undefined || !all.some(({ root }) => path.startsWith(`${root}${sep}`))) continue;
    (isChanged(path, changed) ? uncommitted : committed).add((at as FilePlace).file);
  }
  const counts = all.flatMap(({ unpushed }) => unpushed ?? []);
  return {
    ...inputs,
    git: {
      uncommitted,
      committed,
      ...(counts.length < all.length ? {} : { unpushed: counts.reduce((sum, count) => sum + count, 0) }),
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface Status {
  readonly root: string;
  /** Absolute paths; a folder that git does not know ends with a slash. */
  readonly changed: readonly string[];
  readonly unpushed: number | undefined;
}

const MAX_OUTPUT_BYTES = 64 * 2 ** 20;

async function statusOf(path: string): Promise<Status | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return undefined;
  const folder = await realpath(found.isDirectory() ? path : dirname(path));
  const top = await git(folder, 'rev-parse', '--show-toplevel');
  const text = await git(folder, 'status', '--porcelain=v2', '--branch', '-z', '--no-renames');
  if (top === undefined || text === undefined) return undefined;
  const root = await realpath(top.trim());
  const lines = text.split('\0');
  const ahead = lines.find((line) => line.startsWith('# branch.ab '));
  return {
    root,
    changed: lines.flatMap((line) => {
      const [kind] = line;
      if (kind === '?') return [join(root, line.slice(2))];
      return kind === '1' ? [join(root, line.split(' ').slice(8).join(' '))] : [];
    }),
    unpushed: ahead === undefined ? undefined : Number(/\+(\d+)/.exec(ahead)?.[1] ?? '0'),
  };
}

/** A program that the configuration of a repository names for the status of files is not run. */
function git(folder: string, ...args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    execFile(
      'git',
      ['-C', folder, '--no-optional-locks', '-c', 'core.fsmonitor=false', ...args],
      { maxBuffer: MAX_OUTPUT_BYTES },
      (error, stdout) => resolve(error === null ? stdout : undefined),
    );
  });
}

function isChanged(path: string, changed: ReadonlySet<string>): boolean {
  if (changed.has(path)) return true;
  for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder))
    if (changed.has(`${folder}/`)) return true;
  return false;
}
