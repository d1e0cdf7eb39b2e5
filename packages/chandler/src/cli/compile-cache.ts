/**
 * Chooses where compiled code is cached between starts: in the cache directory of the user. The default of Node.js is a
 * directory under /tmp, which another user of a shared host could create first and fill with code of their own.
 */
import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../settings/index.ts';

/** Undefined: the user has no cache directory. */
export function compileCacheFolder(env: Environment, home: string): string | undefined {
  const chosen = env['NODE_COMPILE_CACHE'] ?? '';
  if (chosen !== '') return chosen;
  const [named] = [env['XDG_CACHE_HOME'], env['LOCALAPPDATA']].filter((folder) => isAbsolute(folder ?? ''));
  if (named !== undefined) return join(named, 'chandler', 'compiled');
  return home === '' || home === '/' ? undefined : join(home, '.cache', 'chandler', 'compiled');
}

/** Called before anything large is loaded: the second start then takes half the time. Without a directory, nothing is cached. */
export function keepCompiled(env: Environment, home: () => string): void {
  try {
    const folder = compileCacheFolder(env, home());
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((env['NODE_COMPILE_CACHE'] ?? '') !== '' || isOnlyOurs(folder)) enableCompileCache(folder);
  } catch {
    // No home directory, or a read-only disk: start without the cache.
  }
}

// ---------------------------------------------------------------------------------------------------

/** Code that another user could have written is not loaded, for example when root runs with the home of a user. */
export function isOnlyOurs(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  const self = process.geteuid?.();
  return self === undefined || (uid === self && (mode & 0o022) === 0);
}
