/**
 * `npm run test:image`: builds the image twice, in two folders, and compares the digests; compares the bill of materials with
 * the bundle; and runs the image under runc. What is missing on this machine is printed, and what needs it is skipped.
 * `--no-build` takes dist/ as it is, and does not build a second time.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DIST, ROOT } from '../../scripts/build/paths.ts';
import { debianProblem, fetchPackage, NotFetchedError, packagesOf } from '../../scripts/image/debian.ts';
import { findEmulator, OWN_ARCHITECTURE } from '../../scripts/image/emulator.ts';
import { ARCHITECTURES, type BuiltImage } from '../../scripts/image/image.ts';
import { onPath } from '../cluster/control-plane/binaries.ts';
import { Suite } from '../dist/suite.ts';
import { npmNames, packagesInBundle } from './bundle-packages.ts';
import { copyRepository } from './copy-repository.ts';
import { findRunc } from './tools.ts';

const MAX_PACKED_BYTES = 120_000_000;

const { values } = parseArgs({ options: { 'no-build': { type: 'boolean', default: false } } });
const say = (line: string) => console.log(`test:image: ${line}`);
const problem = debianProblem() ?? notFetched();
if (problem !== undefined) {
  say('*** SKIPPED: the image cannot be built here ***');
  say(problem);
  process.exit(0);
}

const suite = new Suite();
const folder = mkdtempSync(join(tmpdir(), 'chandler-image-'));
try {
  if (!values['no-build']) {
    await suite.step('build', () => suite.check('npm run image', () => void image(ROOT)));
    await suite.step('build in another folder', () => suite.check('has the same digests', compareBuilds));
  }
  await suite.step('what was built', checkBuilt);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
suite.end();
if (suite.failed === 0) runScene();

// ---------------------------------------------------------------------------------------------------

/** Debian removes old versions from its mirrors: then the table has to be written again, and nothing can be built here. */
function notFetched(): string | undefined {
  try {
    for (const architecture of ARCHITECTURES) packagesOf(architecture).forEach(fetchPackage);
    return undefined;
  } catch (error) {
    if (error instanceof NotFetchedError) return error.message;
    throw error;
  }
}

function image(root: string): BuiltImage {
  execFileSync(process.execPath, ['scripts/image.ts'], { cwd: root, stdio: 'inherit' });
  return digestsIn(root);
}

function digestsIn(root: string): BuiltImage {
  return JSON.parse(readFileSync(join(root, 'dist', 'image', 'digests.json'), 'utf8')) as BuiltImage;
}

function compareBuilds(): void {
  const other = join(folder, 'another', 'place');
  copyRepository(other);
  assert.deepEqual(image(other), digestsIn(ROOT));
}

async function checkBuilt(): Promise<void> {
  await suite.check('both architectures are under 120 MB compressed', () => {
    const { platforms } = digestsIn(ROOT);
    assert.deepEqual(
      platforms.map(({ architecture }) => architecture),
      ARCHITECTURES,
    );
    for (const { architecture, packedBytes } of platforms)
      assert.ok(packedBytes < MAX_PACKED_BYTES, `linux/${architecture} has ${packedBytes} bytes`);
  });
  await suite.check('the bills of materials list the packages in the bundle, and no others', async () => {
    const expected = await packagesInBundle();
    assert.ok(expected.length > 50, `${expected.length} packages`);
    assert.deepEqual(npmNames(join(DIST, 'sbom.cdx.json')), expected);
    const { version } = JSON.parse(readFileSync(join(DIST, 'package.json'), 'utf8')) as { version: string };
    for (const architecture of ARCHITECTURES) {
      const bill = join(DIST, 'image', `chandler-${version}-image-linux-${architecture}.cdx.json`);
      assert.deepEqual(
        npmNames(bill).filter((name) => name !== 'node'),
        expected,
      );
    }
  });
}

function runScene(): void {
  const runc = findRunc();
  const lacking = 'missing' in runc ? runc.missing : whatLacks();
  if (lacking !== undefined || 'missing' in runc) {
    say('*** SKIPPED: the image is not run ***');
    say(lacking!);
    return;
  }
  const other = OWN_ARCHITECTURE === 'amd64' ? 'arm64' : 'amd64';
  const emulator = findEmulator(other);
  if ('missing' in emulator) say(`*** SKIPPED: linux/${other} is not run *** ${emulator.missing}`);
  const place = mkdtempSync(join(tmpdir(), 'chandler-image-'));
  try {
    const args = [join(DIST, 'image', 'layout'), place, runc.program];
    if ('program' in emulator) args.push(emulator.program);
    const scene = join(import.meta.dirname, 'scene.ts');
    // A network of its own, with a loopback interface and nothing else.
    const { status } = spawnSync(
      'unshare',
      ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, scene, ...args],
      { cwd: ROOT, stdio: 'inherit' },
    );
    if (status !== 0) process.exitCode = 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function whatLacks(): string | undefined {
  if (process.getuid?.() !== 0) return 'running it takes root: a container is started';
  for (const tool of ['unshare', 'ip', 'tar'])
    if (!onPath(tool)) return `there is no ${tool} on PATH (Debian packages util-linux, iproute2, tar)`;
  return undefined;
}
