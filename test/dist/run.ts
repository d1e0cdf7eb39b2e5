/**
 * `npm run test:dist`: builds the package, packs it, installs the tarball into an empty folder, and tries there what a user
 * would; then plays fault seeds on the bundled operator. Names of steps may be given; `--no-build` takes dist/ as it is.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../../scripts/build/paths.ts';
import { checkBasics } from './basics.ts';
import { checkCheck } from './check.ts';
import { checkFaults } from './faults.ts';
import { checkFlexnode } from './flexnode.ts';
import { assertPackage, install, pack } from './installed.ts';
import { checkKubectl } from './kubectl.ts';
import { checkLive } from './live.ts';
import { checkOffline } from './offline.ts';
import { checkPage } from './page.ts';
import { checkScenarios } from './scenarios.ts';
import { type Stage, Suite } from './suite.ts';
import { checkWhy } from './why.ts';

/** In this order. */
const STEPS: Readonly<Record<string, readonly [title: string, work: (stage: Stage) => Promise<void>]>> = {
  basics: ['version, help, options and an old Node.js', checkBasics],
  why: ['why, from dumps of the corpus', checkWhy],
  offline: ['simulate and bootstrap, over the examples', checkOffline],
  check: ['check, over installations', checkCheck],
  flexnode: ['flexnode bootstrap --dry-run', checkFlexnode],
  live: ['why, dump and simulate on a live playground', checkLive],
  page: ['the page, in a browser', checkPage],
  kubectl: ['the kubectl plugin, with a real kubectl', checkKubectl],
  scenarios: ['every scenario of the playground', checkScenarios],
  faults: ['fault seeds on the bundled operator', checkFaults],
};

const { values, positionals } = parseArgs({
  options: { 'no-build': { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.filter((name) => !(name in STEPS));
if (unknown.length > 0) {
  console.error(`no step ${unknown.join(', ')}; there are: ${Object.keys(STEPS).join(', ')}`);
  process.exit(2);
}

const suite = new Suite();
const folder = mkdtempSync(join(tmpdir(), 'chandler-dist-'));
try {
  await runAll();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
suite.end();

// ---------------------------------------------------------------------------------------------------

async function runAll(): Promise<void> {
  if (!values['no-build'] && !(await suite.step('build', build))) return;
  let stage: Stage | undefined;
  await suite.step('npm pack and npm install', async () => {
    const packed = pack(folder);
    console.log(
      `     ${packed.files.length} files, ${Math.round(packed.packedBytes / 1024)} KiB packed, ${Math.round(packed.unpackedBytes / 1024)} KiB unpacked`,
    );
    await suite.check('the tarball holds what it should, and nothing else', () => assertPackage(packed));
    await suite.check('it installs without a registry, and alone', () => {
      stage = { suite, folder, chandler: install(folder, packed) };
    });
  });
  if (stage === undefined) return;
  for (const [name, [title, work]] of Object.entries(STEPS)) {
    if (positionals.length > 0 && !positionals.includes(name)) continue;
    const given = stage;
    await suite.step(title, () => work(given));
  }
}

async function build(): Promise<void> {
  await suite.check('npm run build -- --with-operator', () => {
    execFileSync(process.execPath, ['scripts/build.ts', '--with-operator'], { cwd: ROOT, stdio: 'inherit' });
  });
}
