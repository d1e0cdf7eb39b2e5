/** How esbuild bundles the program: of the build, and of benchmarks, which measure what is shipped. */
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import type { BuildFacts } from './build-facts.ts';
import { chunkGroups, type Steps } from './chunk-groups.ts';
import { directImports } from './direct-imports.ts';
import { ROOT } from './paths.ts';
import { withoutUnusedModules } from './unused-modules.ts';

/** Of every bundle. */
export const sharedOptions = (facts: BuildFacts) =>
  ({
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    minify: true,
    metafile: true,
    plugins: [withoutUnusedModules, directImports(join(ROOT, 'packages'))],
    define: { CHANDLER_BUILD: JSON.stringify(facts) },
  }) as const satisfies BuildOptions;

/** Of the package: what is loaded lazily gets files of its own. */
export const PACKAGE_OPTIONS = {
  splitting: true,
  format: 'esm',
  target: 'node22.18',
  legalComments: 'linked',
  // Bundled CommonJS packages ask for `require`, which an ES module does not have.
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module';\nconst require = __createRequire(import.meta.url);",
  },
} as const satisfies BuildOptions;

/** The same, where the files of `chandler why` are few. */
export async function packageOptions(facts: BuildFacts, entryPoints: Record<string, string>) {
  const plain = { ...sharedOptions(facts), ...PACKAGE_OPTIONS, entryPoints, outdir: ROOT };
  const groups = await chunkGroups(plain, STEPS_OF_WHY);
  return { ...plain, plugins: [groups, ...plain.plugins] } satisfies BuildOptions;
}

// ---------------------------------------------------------------------------------------------------

/** What `chandler why` loads one after the other. A dump is decompressed while the answer is loading. */
const STEPS_OF_WHY: Steps = {
  start: ofSource('cli', [
    'run.ts',
    'signals.ts',
    'standard-output.ts',
    'terminal/screen.ts',
    'kubectl/plugin.ts',
  ]),
  dumpFile: ofSource('cli', ['verbs/why.ts', 'why/dump-file.ts']),
  answer: ofSource('cli/why', ['answer.ts']),
  azure: ofSource('cloud/azure', ['diagnosis.ts']),
  aws: ofSource('cloud/aws', ['diagnosis.ts']),
  plan: [
    ...ofSource('diagnose/evidence', ['plan-pod.ts', 'plan-input.ts', 'unknown-sizes.ts']),
    ...ofSource('playground', ['offline-catalogue.ts']),
  ],
};

function ofSource(folder: string, files: readonly string[]): readonly string[] {
  return files.map((file) => `packages/chandler/src/${folder}/${file}`);
}
