/**
 * `npm run test:release`: makes a release and looks at every file of it: hashes, version and commit, bills of materials, and
 * which command lines were run. What is missing on this machine is printed, and what needs it is skipped. `--no-build` takes
 * dist/release/ as it is.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { DIST, ROOT } from '../../scripts/build/paths.ts';
import { debianProblem } from '../../scripts/image/debian.ts';
import { PLATFORMS } from '../../scripts/release/archives.ts';
import { Suite } from '../dist/suite.ts';
import { npmNames, packagesInAgent, packagesInBundle } from '../image/bundle-packages.ts';

/** Nothing is downloaded from there. */
const ADDRESS = 'https://downloads.example.org';
/** What has neither version nor commit, and why. */
const WITHOUT_FACTS: readonly { readonly files: RegExp; readonly why: string }[] = [
  { files: /^SHA256SUMS$/, why: 'its form is that of sha256sum; release.json, which it lists, has them' },
  { files: /^image\//, why: 'of an image its labels have them, which are in one of the blobs' },
];

const { values } = parseArgs({ options: { 'no-build': { type: 'boolean', default: false } } });
const folder = join(DIST, 'release');
const { version, commit } = buildFacts(ROOT);
const problem = debianProblem();
if (problem !== undefined) {
  console.log('test:release: *** SKIPPED: a release has the image, which cannot be built here ***');
  console.log(`test:release: ${problem}`);
  process.exit(0);
}
const suite = new Suite();
if (!values['no-build']) await suite.step('npm run release', make);
if (suite.failed === 0) await suite.step('what was made', look);
suite.end();

// ---------------------------------------------------------------------------------------------------

async function make(): Promise<void> {
  await suite.check('ends well', () => {
    execFileSync(process.execPath, ['scripts/release.ts', '--address', ADDRESS], {
      cwd: ROOT,
      stdio: 'inherit',
    });
  });
}

async function look(): Promise<void> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => relative(folder, join(each.parentPath, each.name)))
    .sort();
  await suite.check('SHA256SUMS has the hash of every file', () => checkSums(names));
  await suite.check('every file has the version and the commit in it', () => checkFacts(names));
  await suite.check('every archive and every architecture of the image has a bill of materials', () => {
    const bills = names.filter((name) => name.endsWith('.cdx.json'));
    const subjects = names.filter((name) => /\.(tar\.gz|tgz|tar)$/.test(name) && !isChart(name));
    assert.deepEqual(bills, subjects.map((name) => name.replace(/\.(tar\.gz|tgz|tar)$/, '.cdx.json')).sort());
  });
  await suite.check('the bills list every package of the lockfile that ships, and no other', checkBills);
  await suite.check('the command line of each platform was run, or the notes say why not', checkNotes);
  await suite.check('a tag of another version, or without a section in the changelog, is refused', refuseTag);
}

function isChart(name: string): boolean {
  return readdirSync(join(ROOT, 'charts')).some((chart) => name === `${chart}-${version}.tgz`);
}

function read(name: string): Buffer {
  return readFileSync(join(folder, name));
}

function checkSums(names: readonly string[]): void {
  const lines = read('SHA256SUMS').toString().trimEnd().split('\n');
  const listed = Object.fromEntries(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
  const others = names.filter((name) => name !== 'SHA256SUMS');
  assert.deepEqual(Object.keys(listed).sort(), others);
  for (const name of others) {
    const hash = createHash('sha256').update(read(name)).digest('hex');
    assert.equal(listed[name], hash, name);
    // The name of a blob is its hash.
    if (name.startsWith('image/blobs/')) assert.equal(name, `image/blobs/sha256/${hash}`);
  }
}

function checkFacts(names: readonly string[]): void {
  const lacking = names
    .filter((name) => !WITHOUT_FACTS.some(({ files }) => files.test(name)))
    .flatMap((name) => {
      const content = /\.(tar\.gz|tgz)$/.test(name) ? gunzipSync(read(name)) : read(name);
      return [version, commit]
        .filter((fact) => !content.includes(fact))
        .map((fact) => `${name} has no ${fact}`);
    });
  assert.deepEqual(lacking, []);
}

async function checkBills(): Promise<void> {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version?: string } | undefined>;
  };
  const [shipped, ofAgent] = [await packagesInBundle(), await packagesInAgent()];
  assert.ok(shipped.length > 50 && ofAgent.length > 10, `${shipped.length} and ${ofAgent.length} packages`);
  const withoutNode = (bill: string) => npmNames(join(folder, bill)).filter((name) => name !== 'node');
  assert.deepEqual(npmNames(join(folder, `chandler-npm-${version}.cdx.json`)), shipped);
  assert.deepEqual(withoutNode(`chandler-flexnode-${version}.cdx.json`), ofAgent);
  for (const { os, architecture, node } of PLATFORMS) {
    const bill = `chandler-${version}-${os}-${architecture}.cdx.json`;
    assert.deepEqual(withoutNode(bill), shipped, bill);
    const { components } = JSON.parse(read(bill).toString()) as {
      components: readonly { name: string; version: string }[];
    };
    const { version: nodeVersion } = components.find(({ name }) => name === 'node')!;
    assert.equal(nodeVersion, packages[`node_modules/${node}`]?.version, bill);
  }
}

function checkNotes(): void {
  const { platforms } = JSON.parse(read('release.json').toString()) as {
    platforms: readonly { os: string; architecture: string; file: string; wasRun: boolean }[];
  };
  assert.equal(platforms.length, PLATFORMS.length);
  const notes = read('release-notes.md').toString();
  for (const { os, architecture, file, wasRun } of platforms) {
    const row = notes.split('\n').find((line) => line.startsWith(`| ${os}/${architecture} | \`${file}\` |`));
    assert.match(
      row ?? 'no row',
      wasRun ? /\| yes(, in QEMU)? \|$/ : /\| not run: .+ \|$/,
      `${os}/${architecture}`,
    );
    if (!wasRun)
      console.log(`     ${os}/${architecture} is not run: ${row!.split('not run: ')[1]!.slice(0, -2)}`);
  }
  assert.ok(platforms.some(({ os, wasRun }) => os === 'linux' && wasRun));
}

function refuseTag(): void {
  assert.throws(
    () =>
      execFileSync(process.execPath, ['scripts/release.ts', '--tag', 'v99.0.0'], {
        cwd: ROOT,
        stdio: 'pipe',
      }),
    /the tag must be v/,
  );
}
