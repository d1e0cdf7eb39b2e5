import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { afterAll, expect, test } from 'vitest';
import { chunkGroups } from './chunk-groups.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-groups-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Each part of `why` is loaded by another command as well, so that each would be a chunk of its own. */
const FILES = {
  'package.json': '{ "type": "module", "sideEffects": false }',
  'packages/main.ts':
    "const [, , name] = process.argv;\nconst verbs: Record<string, () => Promise<{ text: () => string }>> = {\n  why: () => import('./why.ts'),\n  plan: () => import('./plan.ts'),\n  page: () => import('./page.ts'),\n  other: () => import('./other.ts'),\n  preset: async () => ({ text: (await import('./preset.ts')).default }),\n};\nconsole.log((await verbs[name!]!()).text());\n",
  'packages/why.ts':
    "import { causes } from './causes.ts';\nimport { read } from './read.ts';\nexport const text = () => [causes(), read()].join(' ');\n",
  'packages/plan.ts': "import { read } from './read.ts';\nexport const text = () => 'plan ' + read();\n",
  'packages/page.ts':
    "import { causes } from './causes.ts';\nimport { text as why } from './why.ts';\nexport const text = () => ['page', causes(), why()].join(' ');\n",
  'packages/preset.ts':
    "import { causes } from './causes.ts';\nconst preset = () => 'preset ' + causes();\nexport default preset;\n",
  'packages/other.ts': "export const text = () => 'other';\n",
  'packages/causes.ts': "const NAMES = ['a', 'b'];\nexport const causes = () => NAMES.join();\n",
  'packages/read.ts':
    "import { causes } from './causes.ts';\nexport const KNOWN = causes() + '!';\nexport const read = () => KNOWN;\n",
};
for (const [name, text] of Object.entries(FILES)) {
  mkdirSync(dirname(join(folder, name)), { recursive: true });
  writeFileSync(join(folder, name), text);
}

const PLAIN = {
  absWorkingDir: folder,
  entryPoints: { main: 'packages/main.ts' },
  outdir: 'out',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  metafile: true,
} as const;

const bundled = async (steps: Readonly<Record<string, readonly string[]>>): Promise<Metafile> =>
  (await build({ ...PLAIN, plugins: [await chunkGroups(PLAIN, steps)], logLevel: 'error' })).metafile;

const chunkOf = ({ outputs }: Metafile, file: string) =>
  Object.entries(outputs).find(([, { inputs }]) => (inputs[file]?.bytesInOutput ?? 0) > 0)?.[0];

const run = (verb: string) =>
  execFileSync(process.execPath, [join(folder, 'out/main.js'), verb], { encoding: 'utf8' }).trim();

test('files that the same steps load are one chunk, whatever other commands load of them', async () => {
  const plain = (await build({ ...PLAIN, write: false })).metafile;
  expect(chunkOf(plain, 'packages/read.ts')).not.toBe(chunkOf(plain, 'packages/why.ts'));
  const metafile = await bundled({ why: ['packages/why.ts'] });
  const chunk = chunkOf(metafile, 'packages/why.ts');
  expect(chunk).toBeDefined();
  expect(chunkOf(metafile, 'packages/causes.ts')).toBe(chunk);
  expect(chunkOf(metafile, 'packages/read.ts')).toBe(chunk);
  expect(chunkOf(metafile, 'packages/other.ts')).not.toBe(chunk);
  expect(['why', 'plan', 'page', 'other'].map(run)).toEqual([
    'a,b a,b!',
    'plan a,b!',
    'page a,b a,b a,b!',
    'other',
  ]);
});

test('a default export is still there', async () => {
  await bundled({ why: ['packages/why.ts'] });
  expect(run('preset')).toBe('preset a,b');
});

test('what a further step loads stays apart', async () => {
  const metafile = await bundled({ plan: ['packages/plan.ts'], why: ['packages/why.ts'] });
  expect(chunkOf(metafile, 'packages/read.ts')).not.toBe(chunkOf(metafile, 'packages/why.ts'));
  expect(['why', 'plan', 'page'].map(run)).toEqual(['a,b a,b!', 'plan a,b!', 'page a,b a,b a,b!']);
});

test('a step that nothing loads lazily is an error', async () => {
  await expect(bundled({ why: ['packages/read.ts'] })).rejects.toThrow(
    'packages/read.ts is not loaded lazily',
  );
});
