/** What is installed: the image and the charts of this repository, and the same with a newer version number. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildFacts } from '../../scripts/build/build-facts.ts';
import { DIST_TEST, ROOT } from '../../scripts/build/paths.ts';
import { DEFAULT_NAME } from '../../scripts/image/image.ts';
import { copyRepository } from '../image/copy-repository.ts';
import { ARCHITECTURE } from '../machines/programs.ts';

export const REPOSITORY = DEFAULT_NAME;

/** `newer` differs in its number alone. */
export type Version = 'own' | 'newer';

const { version: OWN } = buildFacts(ROOT);
export const VERSIONS: Readonly<Record<Version, string>> = {
  own: OWN,
  newer: OWN.replace(/\d+$/, (patch) => String(Number(patch) + 1)),
};

const FOLDER = join(DIST_TEST, 'install');
const NEWER_CHARTS = join(FOLDER, 'charts');

export const ARCHIVES: readonly string[] = (Object.keys(VERSIONS) as Version[]).map(archiveOf);

export function chartOf(version: Version): string {
  return join(version === 'own' ? join(ROOT, 'charts') : NEWER_CHARTS, 'chandler');
}

export function buildImages(): void {
  const copy = mkdtempSync(join(tmpdir(), 'chandler-newer-'));
  try {
    const own = buildIn(ROOT, 'own');
    copyRepository(copy);
    for (const file of ['packages/chandler/package.json', 'charts/chandler/Chart.yaml'])
      renumber(join(copy, file));
    const newer = buildIn(copy, 'newer');
    // Not before: a build removes the folder.
    mkdirSync(FOLDER, { recursive: true });
    copyFileSync(own, archiveOf('own'));
    copyFileSync(newer, archiveOf('newer'));
    cpSync(join(copy, 'charts'), NEWER_CHARTS, { recursive: true });
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

// ---------------------------------------------------------------------------------------------------

function archiveOf(version: Version): string {
  return join(FOLDER, `${version}.tar`);
}

/** Of the package and of the chart; a dependency may have the same number. */
function renumber(file: string): void {
  const lines = readFileSync(file, 'utf8').split('\n');
  const ours = /^ *"?(app)?version"?:/i;
  const changed = lines.map((line) => (ours.test(line) ? line.replace(VERSIONS.own, VERSIONS.newer) : line));
  writeFileSync(file, changed.join('\n'));
}

/** @returns the archive to import. */
function buildIn(root: string, version: Version): string {
  execFileSync(process.execPath, ['scripts/image.ts', '--architecture', ARCHITECTURE], {
    cwd: root,
    stdio: 'inherit',
  });
  return join(root, 'dist', 'image', `chandler-${VERSIONS[version]}-image-linux-${ARCHITECTURE}.tar`);
}
