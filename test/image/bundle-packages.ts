/**
 * The packages in the bundle, found in another way than the bill of materials finds them: bundled again with names kept, the
 * output itself says which module each part of it is from.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import { MAIN, MAIN_FLEXNODE, ROOT } from '../../scripts/build/paths.ts';
import { withoutUnusedModules } from '../../scripts/build/unused-modules.ts';

/** Names of packages of the command line and of the app of its page, sorted. */
export async function packagesInBundle(): Promise<readonly string[]> {
  const own = await packagesOf(MAIN, { splitting: true, format: 'esm' });
  const ofPage = await packagesOf(PAGE, { format: 'esm', jsx: 'automatic', jsxImportSource: 'preact' });
  return [...new Set([...own, ...ofPage])].sort();
}

/** Of the flex node agent, which is one file. */
export function packagesInAgent(): Promise<readonly string[]> {
  return packagesOf(MAIN_FLEXNODE, { format: 'cjs' });
}

/** Names of the npm packages that a bill of materials lists, sorted. @param bill its file. */
export function npmNames(bill: string): readonly string[] {
  const { components } = JSON.parse(readFileSync(bill, 'utf8')) as {
    components: readonly { name: string; purl: string }[];
  };
  const names = components.filter(({ purl }) => purl.startsWith('pkg:npm/')).map(({ name }) => name);
  return [...new Set(names)].sort();
}

// ---------------------------------------------------------------------------------------------------

const PAGE = join(ROOT, 'packages', 'chandler', 'src', 'dashboard', 'web', 'main.tsx');

/** A comment above the code of an ES module, or the key of the function around a CommonJS one. */
const MODULE = /^\/\/ (\S*node_modules\/\S+)$|^ {2}"(\S*node_modules\/[^"]+)"\(/gm;

async function packagesOf(
  entry: string,
  form: Pick<BuildOptions, 'splitting' | 'format' | 'jsx' | 'jsxImportSource'>,
): Promise<readonly string[]> {
  const { outputFiles } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: 'unwritten',
    write: false,
    bundle: true,
    ...form,
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

function nameIn(path: string): string {
  return /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)![1]!;
}
