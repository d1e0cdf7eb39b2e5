/** Where the build and the tests of what it makes find things. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');
/** The published package. */
export const DIST = join(ROOT, 'dist');
/** Bundles for tests, which are not published. */
export const DIST_TEST = join(ROOT, 'dist-test');
export const MAIN = join(ROOT, 'packages/chandler/src/cli/main.ts');
export const MAIN_FLEXNODE = join(ROOT, 'packages/chandler/src/cli/flexnode-main.ts');
export const OPERATOR_ENTRY = join(ROOT, 'test', 'faults', 'operator-entry.ts');

/** Of the user: what is built or fetched once is kept there. */
export function cacheFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'chandler');
}
