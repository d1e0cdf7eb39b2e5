/** What a process loads before it can answer from a dump: every package and every room beyond that is time that someone waits. */
import { join } from 'node:path';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const FROM_A_DUMP = [
  'packages/chandler/src/cli/run.ts',
  'packages/chandler/src/cli/verbs/index.ts',
  'packages/chandler/src/cli/why/dump-file.ts',
  'packages/chandler/src/cli/why/answer.ts',
];

test('an answer from a dump loads no package, and engine, sizes and cluster only when a question needs them', async () => {
  const { files, packages } = await loadedWith(FROM_A_DUMP);
  expect(packages).toEqual([]);
  const late =
    /^src\/(scheduling\/engine|playground\/azure|cloud\/azure\/instance-types|kube\/(client|credentials))/;
  expect(files.filter((file) => late.test(file))).toEqual([]);
});

test('a plan loads the engine, a live cluster its client', async () => {
  const { files } = await loadedWith([
    'packages/chandler/src/diagnose/evidence/ask-engine.ts',
    'packages/chandler/src/cli/why/open-live.ts',
  ]);
  expect(files).toContain('packages/chandler/src/scheduling/engine/pack.ts');
  expect(files).toContain('packages/kube/src/client.ts');
});

/** All that is imported at once; what is imported when it is needed is left out. */
async function loadedWith(entryPoints: readonly string[]) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: 'unused',
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    write: false,
    metafile: true,
    logLevel: 'error',
    plugins: [
      {
        name: 'later',
        setup: ({ onResolve }) =>
          onResolve({ filter: /./ }, ({ kind }) =>
            kind === 'dynamic-import' ? { path: 'node:later', external: true } : undefined,
          ),
      },
    ],
  });
  const packages = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ external, path }) => external === true && !path.startsWith('node:'))
      .map(({ path }) => `${path} by ${file}`),
  );
  return { files: Object.keys(metafile.inputs), packages };
}
