import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { directImports } from './direct-imports.ts';
import { ROOT } from './paths.ts';

const packages = mkdtempSync(join(tmpdir(), 'chandler-direct-'));
afterAll(() => rmSync(packages, { recursive: true, force: true }));

const FILES = {
  'lib/package.json': '{ "exports": { ".": "./src/index.ts" } }',
  'lib/src/index.ts':
    "export * from './all/index.ts';\nexport {\n  heavy as weight,\n  type Heavy,\n} from './heavy.ts';\nexport { VERSION } from './version.ts';\n",
  'lib/src/version.ts': 'export const VERSION = 1;\n',
  'lib/src/all/index.ts': "export { light } from './light.ts';\n",
  'lib/src/all/light.ts': "const light = () => 'light';\nexport { light };\n",
  'lib/src/heavy.ts':
    "export interface Heavy {}\nexport const heavy = globalThis.process.env['HEAVY'] ?? 'heavy';\n",
  'lib/src/effect/index.ts': "import './heavy-effect.ts';\nexport { light } from '../all/light.ts';\n",
  'lib/src/effect/heavy-effect.ts': "globalThis.process.title = 'heavy-effect';\n",
  'app/src/start.ts':
    "import { light as lamp, VERSION, type Heavy } from '@chandler/lib';\nconsole.log(lamp(), VERSION satisfies number);\nexport type { Heavy };\n",
  'app/src/work.ts': "import { weight, VERSION } from '@chandler/lib';\nconsole.log(weight, VERSION);\n",
  'app/src/again.ts': "export { light, type Heavy } from '@chandler/lib';\n",
  'app/src/effect.ts': "import { light } from '../../lib/src/effect/index.ts';\nconsole.log(light());\n",
};
for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(packages, name)), { recursive: true });
  writeFileSync(join(packages, name), text);
}

async function bundled(folder: string, entryPoints: readonly string[]): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: folder,
    entryPoints: [...entryPoints],
    outdir: 'out',
    write: false,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    metafile: true,
    plugins: [directImports(folder === ROOT ? join(ROOT, 'packages') : folder)],
  });
  return metafile;
}

/** Sources and packages that are loaded at once with an entry point. */
function loadedWith({ outputs }: Metafile, entry: string): readonly string[] {
  const [start] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === entry)!;
  const seen = new Set<string>();
  const visit = (file: string): readonly string[] => {
    if (seen.has(file)) return [];
    seen.add(file);
    const output = outputs[file];
    if (output === undefined) return [file];
    const imported = output.imports.filter(({ kind }) => kind === 'import-statement');
    return [...Object.keys(output.inputs), ...imported.flatMap(({ path }) => visit(path))];
  };
  return visit(start);
}

test('an entry point loads the files of the names that it imports of an index file, and no others', async () => {
  const metafile = await bundled(packages, ['app/src/start.ts', 'app/src/work.ts']);
  expect(loadedWith(metafile, 'app/src/start.ts')).toContain('lib/src/all/light.ts');
  expect(loadedWith(metafile, 'app/src/start.ts')).not.toContain('lib/src/heavy.ts');
  expect(loadedWith(metafile, 'app/src/work.ts')).toContain('lib/src/heavy.ts');
  expect(loadedWith(metafile, 'app/src/work.ts')).not.toContain('lib/src/all/light.ts');
});

test('a file that exports a name of an index file again loads only what is behind it', async () => {
  const metafile = await bundled(packages, ['app/src/again.ts', 'app/src/work.ts']);
  expect(loadedWith(metafile, 'app/src/again.ts')).toContain('lib/src/all/light.ts');
  expect(loadedWith(metafile, 'app/src/again.ts')).not.toContain('lib/src/heavy.ts');
});

test('an index file that imports for an effect keeps it', async () => {
  const metafile = await bundled(packages, ['app/src/effect.ts']);
  expect(loadedWith(metafile, 'app/src/effect.ts')).toContain('lib/src/effect/heavy-effect.ts');
});

test('an answer of why loads neither the logger nor metrics', async () => {
  const [why, world] = [
    'packages/chandler/src/cli/why/answer.ts',
    'packages/chandler/src/cli/create-world.ts',
  ];
  const loaded = loadedWith(await bundled(ROOT, [why, world]), why);
  expect(loaded).toContain('packages/chandler/src/diagnose/evidence/gather.ts');
  expect(loaded.filter((name) => ['pino', 'prom-client'].includes(name))).toEqual([]);
});

test('the start of the command line loads neither the logger nor metrics nor YAML', async () => {
  const [start, world] = ['packages/chandler/src/cli/run.ts', 'packages/chandler/src/cli/create-world.ts'];
  const metafile = await bundled(ROOT, [start, world]);
  const heavy = ['pino', 'prom-client', 'yaml'];
  expect(loadedWith(metafile, world)).toEqual(expect.arrayContaining(['pino', 'prom-client']));
  expect(loadedWith(metafile, start).filter((name) => heavy.includes(name))).toEqual([]);
});
