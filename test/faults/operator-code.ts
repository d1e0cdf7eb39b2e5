/**
 * The operator that is played: that of the sources, or the bundle that CHANDLER_OPERATOR_BUNDLE names (made by `npm run
 * build -- --with-operator`). Loaded after the globals are in our hands, and whole: a chunk that is read in the middle of
 * a run takes real time.
 */
import './virtual-globals.ts';
import { readdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

type OperatorCode = typeof import('./operator-entry.ts');

const bundle = process.env['CHANDLER_OPERATOR_BUNDLE'];

export const code: OperatorCode =
  bundle === undefined ? await import('./operator-entry.ts') : await loadBundle(resolve(bundle));

// ---------------------------------------------------------------------------------------------------

async function loadBundle(file: string): Promise<OperatorCode> {
  const loaded = (await import(pathToFileURL(file).href)) as OperatorCode;
  const folder = dirname(file);
  for (const name of readdirSync(folder))
    if (name.endsWith('.js')) await import(pathToFileURL(join(folder, name)).href);
  return loaded;
}
