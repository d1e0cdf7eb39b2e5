/**
 * The files of the app for the browser. In the published package they lie beside the program; from sources they are bundled at
 * the first request.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { type Bundler, bundlePage } from './page-bundle.ts';

export interface Asset {
  readonly type: string;
  readonly body: Uint8Array;
  /** Changes with the content. */
  readonly tag: string;
}

/** By the path of the URL: `/`, `/main.js`. */
export type Assets = ReadonlyMap<string, Asset>;

/** @param folder of the sources of the app. */
export function pageAssets(folder: string = join(import.meta.dirname, 'web')): () => Promise<Assets> {
  let assets: Promise<Assets> | undefined;
  return () => {
    assets ??= readAssets(folder);
    // The next request tries again.
    assets.catch(() => {
      assets = undefined;
    });
    return assets;
  };
}

// ---------------------------------------------------------------------------------------------------

/** Where `npm run build` puts them. */
const BUILT = join(import.meta.dirname, 'page');
/** A name that the build of the published package does not follow. */
const BUNDLER: string = 'esbuild';

const TYPES: Readonly<Record<string, string | undefined>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.webmanifest': 'application/manifest+json',
};

async function readAssets(folder: string): Promise<Assets> {
  const files = existsSync(join(BUILT, 'index.html')) ? await readBuilt() : await bundled(folder);
  const assets = new Map<string, Asset>();
  for (const [name, body] of files) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue;
    const tag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
    assets.set(name === 'index.html' ? '/' : `/${name}`, { type, body, tag });
  }
  return assets;
}

async function readBuilt(): Promise<ReadonlyMap<string, Uint8Array>> {
  const names = await readdir(BUILT);
  const bodies = await Promise.all(names.map((name) => readFile(join(BUILT, name))));
  return new Map(names.map((name, at) => [name, bodies[at]!]));
}

async function bundled(folder: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const bundler = (await import(BUNDLER)) as Bundler;
  return (await bundlePage(bundler, folder)).files;
}
