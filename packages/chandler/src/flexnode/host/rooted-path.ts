/**
 * Resolves a path of the machine below a root prefix. Links are followed as on the machine: an absolute link starts at the
 * root prefix, and `..` does not lead above it.
 */
import { lstat, readlink } from 'node:fs/promises';
import { FlexError } from '../flex-error.ts';
import { isAbsence } from './io-error.ts';

const MAX_LINKS = 40;

/** `last`: whether the last part is followed too when it is a link. Parts that do not exist are taken as they are. */
export async function rootedPath(root: string, path: string, last: 'follow' | 'keep'): Promise<string> {
  if (!path.startsWith('/') || path.includes('\0')) {
    throw new FlexError({
      class: 'step',
      code: 'host.path',
      message: `Not an absolute path: ${JSON.stringify(path)}.`,
    });
  }
  const base = root === '/' ? '' : root.replace(/\/+$/, '');
  const todo = partsOf(path);
  const done: string[] = [];
  let links = 0;
  while (todo.length > 0) {
    const part = todo.shift()!;
    if (part === '..') {
      done.pop();
      continue;
    }
    const here = `${base}/${[...done, part].join('/')}`;
    const target = todo.length > 0 || last === 'follow' ? await linkTarget(here) : undefined;
    if (target === undefined) {
      done.push(part);
      continue;
    }
    if (++links > MAX_LINKS)
      throw Object.assign(new Error(`too many symbolic links: ${path}`), { code: 'ELOOP' });
    if (target.startsWith('/')) done.length = 0;
    todo.unshift(...partsOf(target));
  }
  return done.length === 0 ? base || '/' : `${base}/${done.join('/')}`;
}

// ---------------------------------------------------------------------------------------------------

function partsOf(path: string): string[] {
  return path.split('/').filter((part) => part !== '' && part !== '.');
}

async function linkTarget(real: string): Promise<string | undefined> {
  try {
    return (await lstat(real)).isSymbolicLink() ? await readlink(real) : undefined;
  } catch (error) {
    if (isAbsence(error)) return undefined;
    throw error;
  }
}
