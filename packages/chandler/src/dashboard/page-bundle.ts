/** How the app of the page becomes files for a browser: `npm run build` does it for the published package, the server from sources. */
import { readdir, readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';

/** The part of esbuild that is used. It is a tool of development and no dependency of the published package. */
export interface Bundler<Metafile = unknown> {
  build(options: object): Promise<{
    readonly outputFiles?: readonly { readonly path: string; readonly contents: Uint8Array }[] | undefined;
    readonly metafile?: Metafile | undefined;
  }>;
}

export interface PageBundle<Metafile = unknown> {
  /** By the name that the browser asks for. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly metafile: Metafile | undefined;
}

/** @param folder with `index.html`, `main.tsx` and `style.css`. */
export async function bundlePage<Metafile>(
  { build }: Bundler<Metafile>,
  folder: string,
): Promise<PageBundle<Metafile>> {
  const names = await readdir(folder);
  const entries = ['main.tsx', 'style.css'].filter((name) => names.includes(name));
  const { outputFiles = [], metafile } = await build({
    entryPoints: entries.map((name) => join(folder, name)),
    outdir: folder,
    bundle: true,
    write: false,
    minify: true,
    metafile: true,
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
  });
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]));
  for (const name of names)
    if (COPIED.has(extname(name))) files.set(name, await readFile(join(folder, name)));
  return { files, metafile };
}

// ---------------------------------------------------------------------------------------------------

const COPIED: ReadonlySet<string> = new Set(['.html', '.svg', '.png', '.ico', '.webmanifest']);
