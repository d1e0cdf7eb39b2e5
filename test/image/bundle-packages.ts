/**
 * The packages in the bundle, found in another way than the bill of materials finds them: bundled again with names kept, the
 * output itself says which module each part of it is from.
 */
import { build } from 'esbuild';
import { MAIN, ROOT } from '../../scripts/build/paths.ts';
import { withoutUnusedModules } from '../../scripts/build/unused-modules.ts';

/** Names of packages, sorted. */
export async function packagesInBundle(): Promise<readonly string[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [MAIN],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.18',
    minifySyntax: true,
    treeShaking: true,
    legalComments: 'none',
    logLevel: 'error',
    plugins: [withoutUnusedModules],
    define: { CHANDLER_BUILD: '{}' },
  });
  const names = outputFiles.flatMap(({ text }) =>
    [...text.matchAll(MODULE)].map(([, comment, wrapper]) => nameIn(comment ?? wrapper!)),
  );
  return [...new Set(names)].sort();
}

// ---------------------------------------------------------------------------------------------------

/** A comment above the code of an ES module, or the key of the function around a CommonJS one. */
const MODULE = /^\/\/ (\S*node_modules\/\S+)$|^ {2}"(\S*node_modules\/[^"]+)"\(/gm;

function nameIn(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)![1]!;
}
