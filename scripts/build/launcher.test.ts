import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launcherText } from './launcher.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = join(ROOT, 'packages/chandler/chandler.js');
const folder = mkdtempSync(join(tmpdir(), 'chandler-launcher-'));
const packaged = join(folder, 'chandler.js');

const old = oldNode();
if (old === undefined)
  console.log('starting chandler on an old Node.js is skipped: no Node.js before 22.18 is on the PATH');

beforeAll(() => {
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n');
  writeFileSync(join(folder, 'main.js'), "console.log('started');\n");
  writeFileSync(packaged, launcherText('>=22.18', './main.js'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(old === undefined)('on a Node.js that is too old', () => {
  test.each([
    ['the published package', packaged],
    ['the sources', SOURCES],
  ])('%s says so in one sentence', (_, program) => {
    const { status, stdout, stderr } = run(old!.path, program);
    expect(stderr).toBe(`chandler needs Node.js 22.18 or newer; this is Node.js ${old!.version}.\n`);
    expect([status, stdout]).toEqual([1, '']);
  });
});

describe('on this Node.js', () => {
  test('the published package starts', () => {
    expect(run(process.execPath, packaged)).toMatchObject({ status: 0, stdout: 'started\n' });
  });

  test('the sources start', () => {
    expect(run(process.execPath, SOURCES)).toMatchObject({ status: 0, stderr: '' });
  });
});

test('npm start and npm run chandler use the program that names an old Node.js', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  for (const name of ['start', 'chandler'])
    expect(scripts[name]).toMatch(/^node packages\/chandler\/chandler\.js( |$)/);
});

test('a range of another form than >=22.18 is an error', () => {
  expect(() => launcherText('^22', './main.js')).toThrow('engines.node is ^22');
});

// ---------------------------------------------------------------------------------------------------

function run(node: string, program: string) {
  const { status, stdout, stderr } = spawnSync(node, [program, 'version'], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** The first Node.js on the PATH that is older than the range, such as that of the operating system. */
function oldNode(): { readonly path: string; readonly version: string } | undefined {
  for (const folderOnPath of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folderOnPath, 'node');
    if (!existsSync(path)) continue;
    const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const [version, major, minor] = /(\d+)\.(\d+)\.\d+/.exec(stdout ?? '') ?? [];
    if (version !== undefined && (Number(major) < 22 || (Number(major) === 22 && Number(minor) < 18)))
      return { path, version };
  }
  return undefined;
}
