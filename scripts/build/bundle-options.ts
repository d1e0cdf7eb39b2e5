/** How esbuild bundles the program: of the build, and of benchmarks, which measure what is shipped. */
import { join } from 'node:path';
import type { BuildOptions } from 'esbuild';
import type { BuildFacts } from './build-facts.ts';
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
