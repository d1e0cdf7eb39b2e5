/** runc, which the image is run with. It says why when it cannot be had. */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../scripts/build/paths.ts';
import { debianProblem } from '../../scripts/image/debian.ts';
import { extract, type Problem, type Tool, unpackOnce } from '../../scripts/image/emulator.ts';
import { onPath } from '../cluster/control-plane/binaries.ts';

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

// ---------------------------------------------------------------------------------------------------

function downloadRunc(folder: string): Problem {
  const { status, stderr } = spawnSync('apt-get', ['download', 'runc'], { cwd: folder, encoding: 'utf8' });
  const [archive] = readdirSync(folder);
  if (status !== 0 || archive === undefined)
    return `apt-get download runc failed (apt-get update may help): ${(stderr ?? '').trim().split('\n').at(-1)}`;
  return extract(join(folder, archive), folder, './usr/sbin/runc');
}
