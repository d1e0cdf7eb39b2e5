/** The repository in another folder, to be built there. */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../../scripts/build/paths.ts';

/** The files of the repository as they are, with the same commit; packages are linked, not copied, where that is possible. */
export function copyRepository(to: string): void {
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
  const files = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0');
  for (const file of files.filter((name) => name !== '' && existsSync(join(ROOT, name)))) {
    mkdirSync(dirname(join(to, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(to, file));
  }
  writeFileSync(join(to, '.git'), `gitdir: ${git('rev-parse', '--absolute-git-dir')}`);
  const linked = spawnSync('cp', ['-al', join(ROOT, 'node_modules'), to], { stdio: 'ignore' });
  if (linked.status === 0) return;
  rmSync(join(to, 'node_modules'), { recursive: true, force: true });
  execFileSync('cp', ['-a', join(ROOT, 'node_modules'), to]);
}
