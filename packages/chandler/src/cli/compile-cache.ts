/**
 * Where compiled code is kept between starts: in the user's own cache. Node would take a folder under /tmp, which whoever
 * comes first on a shared machine may make, and with it what others run.
 */
import { mkdirSync, statSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { isAbsolute, join } from 'node:path';
import type { Environment } from '../settings/index.ts';

/** Undefined: there is no such place. */
export function compileCacheFolder(env: Environment, home: string): string | undefined {
  const chosen = env['NODE_COMPILE_CACHE'] ?? '';
  if (chosen !== '') return chosen;
  const [named] = [env['XDG_CACHE_HOME'], env['LOCALAPPDATA']].filter((folder) => isAbsolute(folder ?? ''));
  if (named !== undefined) return join(named, 'chandler', 'compiled');
  return home === '' || home === '/' ? undefined : join(home, '.cache', 'chandler', 'compiled');
}

/** Before anything large is loaded: the second start then takes half the time. Without a place it is done without. */
export function keepCompiled(env: Environment, home: () => string): void {
  try {
    const folder = compileCacheFolder(env, home());
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    if ((env['NODE_COMPILE_CACHE'] ?? '') !== '' || isOnlyOurs(folder)) enableCompileCache(folder);
  } catch {
    // A user without a home, a disk that takes nothing: it starts as it did the first time.
  }
}

// ---------------------------------------------------------------------------------------------------

/** What somebody else could have put there is not run: root with the home of a user, say. */
export function isOnlyOurs(folder: string): boolean {
  const { uid, mode } = statSync(folder);
  const self = process.geteuid?.();
  return self === undefined || (uid === self && (mode & 0o022) === 0);
}
