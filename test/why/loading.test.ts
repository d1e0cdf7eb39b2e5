/** What the bundle loads before it can answer from a dump: every package and every module beyond that is time that someone waits. */
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

test.each(['azure', 'aws'])(
  '%s: an answer from a dump loads no package but the parser of YAML in options, and engine, sizes and cluster only when a question needs them',
  async (cloud) => {
    const { files, packages } = await loadedWith([
      ...FROM_A_DUMP,
      `packages/chandler/src/cloud/${cloud}/diagnosis.ts`,
    ]);
    expect(packages).toEqual(['yaml']);
    const late =
      /^packages\/(cloudsim\/|kube\/src\/client\/(client|credentials)\.ts|chandler\/src\/(scheduling\/engine|cloud\/azure\/instance-types|cloud\/aws\/(launch|instances|wire\/aws-calls)|controllers|operator\/azure)\/)/;
    expect(files.filter((file) => late.test(file))).toEqual([]);
  },
);

test('a plan loads the engine, a live cluster its client', async () => {
  const { files } = await loadedWith([
    'packages/chandler/src/diagnose/evidence/plan-pod.ts',
    'packages/chandler/src/cli/why/open-live.ts',
  ]);
  expect(files).toContain('packages/chandler/src/scheduling/engine/pack.ts');
  expect(files).toContain('packages/kube/src/client/client.ts');
});

/** Every dependency but the packages of this repository, which are bundled. */
const EXTERNAL = [
  '@aws-sdk/*',
  '@azure/*',
  '@kubernetes/*',
  '@peculiar/*',
  'highs',
  'pino',
  'prom-client',
  'undici',
  'yaml',
];

/** All that is imported at once, without what tree shaking drops; what is imported when it is needed is left out. */
async function loadedWith(entryPoints: readonly string[]) {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [...entryPoints],
    outdir: 'unused',
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: EXTERNAL,
    treeShaking: true,
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
  const outputs = Object.values(metafile.outputs);
  const packages = outputs.flatMap(({ imports }) =>
    imports
      .filter(({ external, path }) => external === true && !path.startsWith('node:'))
      .map(({ path }) => path),
  );
  const files = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : [])),
  );
  return { files: [...new Set(files)], packages: [...new Set(packages)] };
}
