/** The app as the browser loads it: its three files, bundled from sources as the product does it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const WEB = join(import.meta.dirname, '..', '..', 'packages', 'chandler', 'src', 'dashboard', 'web');

export interface Asset {
  readonly type: string;
  readonly body: Uint8Array;
}

/** By path. */
export async function bundleApp(): Promise<ReadonlyMap<string, Asset>> {
  const result = await build({
    entryPoints: [join(WEB, 'main.tsx'), join(WEB, 'style.css')],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    outdir: WEB,
    write: false,
    legalComments: 'none',
  });
  const assets = new Map<string, Asset>([
    ['/', { type: 'text/html; charset=utf-8', body: readFileSync(join(WEB, 'index.html')) }],
  ]);
  for (const { path, contents } of result.outputFiles) {
    const script = path.endsWith('.js');
    assets.set(script ? '/main.js' : '/style.css', {
      type: script ? 'text/javascript; charset=utf-8' : 'text/css; charset=utf-8',
      body: contents,
    });
  }
  return assets;
}
