/** What a build is made from: the version of package.json, and the commit with its time. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The same shape as in `packages/chandler/src/settings/build.ts`, which reads it. */
export interface BuildFacts {
  readonly version: string;
  /** `unknown` where there is no repository (an unpacked archive); ends in `-dirty` when files were changed. */
  readonly commit: string;
  readonly time: string;
}

export function buildFacts(root: string): BuildFacts {
  const { version } = JSON.parse(readFileSync(join(root, 'packages/chandler/package.json'), 'utf8')) as {
    version: string;
  };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', root, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const dirty = git('status', '--porcelain', '--untracked-files=no') === '' ? '' : '-dirty';
    return {
      version,
      commit: `${git('rev-parse', '--short=12', 'HEAD')}${dirty}`,
      time: git('show', '-s', '--format=%cI', 'HEAD'),
    };
  } catch {
    return { version, commit: 'unknown', time: 'unknown' };
  }
}
