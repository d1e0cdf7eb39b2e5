/** The path behind links, as the kernel lists it in the table of mounts. */
import { dirname } from 'node:path';
import type { Host } from './host.ts';

const MAX_LINKS = 40;

/** Parts that do not exist are taken as they are, and so is a path with too many links. */
export async function realPath(host: Pick<Host, 'lstat'>, path: string): Promise<string> {
  const todo = partsOf(path);
  let done = '';
  let links = 0;
  for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
    if (part === '..') {
      done = dirname(done || '/').replace(/\/$/, '');
      continue;
    }
    const info = await host.lstat(`${done}/${part}`);
    if (info?.kind !== 'symlink' || info.target === undefined) {
      done = `${done}/${part}`;
      continue;
    }
    if (++links > MAX_LINKS) return path;
    if (info.target.startsWith('/')) done = '';
    todo.unshift(...partsOf(info.target));
  }
  return done || '/';
}

// ---------------------------------------------------------------------------------------------------

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}
