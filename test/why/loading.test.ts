/** What a process loads before it can answer from a dump: every package and every module beyond that is time that someone waits. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FROM_A_DUMP = [
  'packages/chandler/src/cli/run.ts',
  'packages/chandler/src/cli/verbs/index.ts',
  'packages/chandler/src/cli/why/dump-file.ts',
  'packages/chandler/src/cli/why/answer.ts',
  'packages/chandler/src/cloud/azure/diagnosis.ts',
];

test('an answer from a dump loads no package, and engine, sizes and cluster only when a question needs them', async () => {
  const { files, packages } = await loadedWith(FROM_A_DUMP);
  expect(packages).toEqual([]);
  const late =
    /^packages\/(cloudsim|apiserver|chandler\/src\/(scheduling\/engine|controllers|operator\/operator\.ts|playground\/(?!scenarios)|cloud\/azure\/(instance-types|vm\/launch)))/;
  expect(files.filter((file) => late.test(file))).toEqual([]);
});

test('a plan loads the engine, a live cluster its client', async () => {
  const { files } = await loadedWith([
    'packages/chandler/src/diagnose/evidence/plan-pod.ts',
    'packages/chandler/src/cli/why/open-live.ts',
  ]);
  expect(files).toContain('packages/chandler/src/scheduling/engine/pack.ts');
  expect(files).toContain('packages/kube/src/client/client.ts');
});

/** All that is imported at once; what is imported when it is needed is left out. */
async function loadedWith(entryPoints: readonly string[]) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: 'unused',
    bundle: true,
    treeShaking: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'error',
    plugins: [
      {
        name: 'later',
        setup: ({ onResolve }) => {
          onResolve({ filter: /./ }, ({ kind }) =>
            kind === 'dynamic-import' ? { path: 'node:later', external: true } : undefined,
          );
          // As the build does: what nobody uses of an entry point is left out.
          onResolve({ filter: /^@chandler\// }, ({ path }) => ({ path: sourceOf(path), sideEffects: false }));
          onResolve({ filter: /^\.\.?\// }, ({ path, resolveDir }) => ({
            path: join(resolveDir, path),
            sideEffects: false,
          }));
        },
      },
    ],
  });
  const outputs = Object.values(metafile.outputs);
  const files = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput === 0 ? [] : [file])),
  );
  const packages = outputs.flatMap(({ imports }) =>
    imports
      .filter(({ external, path }) => external === true && !path.startsWith('node:'))
      .map(({ path }) => path),
  );
  return { files: [...new Set(files)], packages: [...new Set(packages)] };
}

/** `@chandler/kube/tls` -> the file that the package's `exports` names. */
function sourceOf(specifier: string): string {
  const [, name = '', ...rest] = specifier.split('/');
  const manifest = JSON.parse(readFileSync(join(ROOT, 'packages', name, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string>>;
  };
  const key = rest.length === 0 ? '.' : `./${rest.join('/')}`;
  return join(ROOT, 'packages', name, manifest.exports[key]!);
}
