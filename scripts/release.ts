/**
 * `npm run release`: everything that is published with a version, in dist/release/: the npm package, the command line for each
 * platform, the flex node agent, the image, the charts, bills of materials, notes and hashes. `--tag v1.2.3` refuses a tag of
 * another version, a version without notes, and files that are not committed. `--address` is where the files can be downloaded, for
 * the krew manifest.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { buildFacts } from './build/build-facts.ts';
import { DIST, ROOT } from './build/paths.ts';
import { debianProblem } from './image/debian.ts';
import { entriesOf } from './image/root-files.ts';
import { writeTar } from './image/tar.ts';
import { ARCHIVE_FOLDER, archiveName, billName, PLATFORMS, platformArchive } from './release/archives.ts';
import { packCharts } from './release/charts.ts';
import { krewManifest } from './release/krew-manifest.ts';
import { assertTag, type PlatformNote, platformNotes, releaseNotes } from './release/notes.ts';
import { runArchive } from './release/run-archive.ts';
import { BILL } from './sbom/bills.ts';

const { values } = parseArgs({ options: { tag: { type: 'string' }, address: { type: 'string' } } });
const facts = buildFacts(ROOT);
const { version, commit } = facts;
const folder = join(DIST, 'release');
const KREW = 'krew-chandler.yaml';
try {
  release();
} catch (error) {
  console.error(`release: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
}

// ---------------------------------------------------------------------------------------------------

function release(): void {
  if (values.tag !== undefined) assertTag(values.tag, version);
  if (values.tag !== undefined && !/^[0-9a-f]+$/.test(commit))
    throw new Error(`the commit is ${commit}: a release is made from committed files`);
  const changelog = readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8');
  const notes = releaseNotes(changelog, version, values.tag !== undefined);
  const problem = debianProblem();
  if (problem !== undefined) throw new Error(`the image cannot be built here: ${problem}`);
  node('scripts/build.ts', '--all-architectures');
  node('scripts/image.ts', '--no-build');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync('npm', ['pack', DIST, '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' });
  // The chart of the same name has this name, too.
  renameSync(join(folder, `chandler-${version}.tgz`), join(folder, `chandler-npm-${version}.tgz`));
  copyFileSync(join(DIST, BILL), join(folder, billName(`chandler-npm-${version}.tgz`)));
  for (const { file, content } of packCharts(join(ROOT, 'charts'), facts)) write(file, content);
  const platforms = PLATFORMS.map(packProgram);
  packAgent();
  copyImage();
  write('release-notes.md', `${notes}\n${platformNotes(platforms, commit)}`);
  describe(platforms);
}

function node(...args: readonly string[]): void {
  execFileSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
}

function write(name: string, content: string | Buffer): void {
  writeFileSync(join(folder, name), content);
  console.log(`dist/release/${name}: ${(Buffer.byteLength(content) / 1_000_000).toFixed(1)} MB`);
}

/** Archive and bill of a platform; it is run where that is possible. */
function packProgram(platform: (typeof PLATFORMS)[number]): PlatformNote {
  const { os, architecture } = platform;
  const file = archiveName(platform, version);
  const { content, bill, nodeVersion } = platformArchive(platform, ROOT, DIST, facts);
  write(file, content);
  writeFileSync(join(folder, billName(file)), bill);
  const run =
    os === 'linux'
      ? runArchive(join(folder, file), architecture, { version, commit, nodeVersion })
      : { notRun: `there is no ${os} here` };
  if ('notRun' in run) console.log(`dist/release/${file}: *** NOT RUN *** ${run.notRun}`);
  return { os, architecture, file, nodeVersion, run };
}

/** One file, because its hashes have the name of those of the release; names inside are those that `install.sh` expects. */
function packAgent(): void {
  const entries = entriesOf(join(DIST, 'flexnode'), 'flexnode');
  const file = `chandler-flexnode-${version}.tar.gz`;
  write(file, gzipSync(writeTar(entries, 0), { level: 6 }));
  copyFileSync(join(DIST, 'flexnode', BILL), join(folder, billName(file)));
}

function copyImage(): void {
  cpSync(join(DIST, 'image', 'layout'), join(folder, 'image'), { recursive: true });
  for (const name of readdirSync(join(DIST, 'image')).filter((each) => /\.(tar|cdx\.json)$/.test(each)))
    copyFileSync(join(DIST, 'image', name), join(folder, name));
}

/** What there is, for those who publish it, and the hashes. */
function describe(programs: readonly PlatformNote[]): void {
  const names = [...filesIn(folder)].sort();
  const hashes = new Map(names.map((name) => [name, hashOf(join(folder, name))]));
  const image = JSON.parse(readFileSync(join(DIST, 'image', 'digests.json'), 'utf8')) as object;
  const platforms = programs.map(({ os, architecture, file, nodeVersion, run }) => {
    const bin = `${ARCHIVE_FOLDER}/chandler${os === 'windows' ? '.cmd' : ''}`;
    return { os, architecture, file, bin, sha256: hashes.get(file), node: nodeVersion, wasRun: 'ran' in run };
  });
  writeKrew(hashes);
  write('release.json', `${JSON.stringify({ ...facts, image, platforms }, undefined, 2)}\n`);
  hashes.set('release.json', hashOf(join(folder, 'release.json')));
  const lines = [...hashes].map(([name, hash]) => `${hash}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), lines.join(''));
  console.log(`dist/release: chandler ${version}, commit ${commit}, ${hashes.size} files`);
}

/** Archives have an address only where they are published. */
function writeKrew(hashes: Map<string, string>): void {
  if (values.address === undefined) {
    console.log(
      `dist/release/${KREW}: not written without --address, which its archives are downloaded from`,
    );
    return;
  }
  const template = readFileSync(join(ROOT, 'deploy', 'krew', 'chandler.yaml'), 'utf8');
  write(KREW, krewManifest(template, facts, values.address, hashes));
  hashes.set(KREW, hashOf(join(folder, KREW)));
}

function filesIn(place: string, prefix = ''): readonly string[] {
  return readdirSync(place, { withFileTypes: true }).flatMap((each) => {
    const name = `${prefix}${each.name}`;
    return each.isDirectory() ? filesIn(join(place, each.name), `${name}/`) : [name];
  });
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
