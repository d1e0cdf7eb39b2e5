/**
 * `node scripts/image/debian-pins.ts`: writes debian.table.ts with the versions and hashes that Debian has today. apt-get
 * reads the index of the release and checks its signature, in a folder of its own, so that the sources and architectures of
 * this machine do not matter. The mirror is CHANDLER_DEBIAN_MIRROR, or Debian's own.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { debianMirror, debianProblem, type ImageArchitecture } from './debian.ts';
import { DEBIAN_CONTENTS } from './debian-contents.table.ts';

const RELEASE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
/** For `npm run test:image`. */
const EMULATOR = 'qemu-user';

const problem =
  debianProblem() ??
  (existsSync(KEYRING) ? undefined : `there is no ${KEYRING} (Debian package debian-archive-keyring)`);
if (problem !== undefined) {
  console.error(`debian-pins: ${problem}`);
  process.exit(1);
}
const folder = mkdtempSync(join(tmpdir(), 'chandler-apt-'));
try {
  const env = { ...process.env, APT_CONFIG: prepare(folder) };
  execFileSync('apt-get', ['update'], { env, stdio: ['ignore', 'inherit', 'inherit'] });
  const rows = (architecture: ImageArchitecture) =>
    Object.keys(DEBIAN_CONTENTS).map((name) => row(name, architecture, env));
  const table = { amd64: rows('amd64'), arm64: rows('arm64') };
  const file = join(import.meta.dirname, 'debian.table.ts');
  writeFileSync(file, tableText(table, row(EMULATOR, 'amd64', env)));
  const biome = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'biome');
  execFileSync(biome, ['check', '--write', file], { stdio: 'inherit' });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

// ---------------------------------------------------------------------------------------------------

/** The path of apt's settings. */
function prepare(root: string): string {
  for (const name of ['state/lists/partial', 'cache/archives/partial'])
    mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'state', 'status'), '');
  const source = (archive: string, suite: string) =>
    `deb [signed-by=${KEYRING}] ${debianMirror()}/${archive} ${suite} main\n`;
  writeFileSync(
    join(root, 'sources.list'),
    source('debian', RELEASE) + source('debian-security', `${RELEASE}-security`),
  );
  const settings = join(root, 'apt.conf');
  writeFileSync(
    settings,
    `APT::Architecture "amd64";
APT::Architectures { "amd64"; "arm64"; };
Acquire::Languages "none";
Dir::State "${root}/state";
Dir::State::status "${root}/state/status";
Dir::Cache "${root}/cache";
Dir::Etc::sourcelist "${root}/sources.list";
Dir::Etc::sourceparts "-";
`,
  );
  return settings;
}

function row(name: string, architecture: ImageArchitecture, env: NodeJS.ProcessEnv): object {
  const shown = execFileSync('apt-cache', ['show', '--no-all-versions', `${name}:${architecture}`], {
    env,
    encoding: 'utf8',
  });
  const field = (key: string) => {
    const value = new RegExp(`^${key}: (.*)$`, 'm').exec(shown)?.[1];
    if (value === undefined) throw new Error(`apt-cache show ${name}:${architecture} has no ${key}`);
    return value;
  };
  const path = field('Filename');
  // The archive of security updates has its own folder, and nothing else begins like this.
  const archive = path.startsWith('pool/updates/') ? 'debian-security' : 'debian';
  return { name, version: field('Version'), file: `${archive}/${path}`, sha256: field('SHA256') };
}

function tableText(packages: object, emulator: object): string {
  const now = new Date().toISOString();
  return `/**
 * The Debian packages of the image, by architecture, and the emulator that its test runs the other architecture with. Written
 * by \`node scripts/image/debian-pins.ts\` from the signed indexes of ${RELEASE} and ${RELEASE}-security, on ${now.slice(0, 10)}.
 */
/** A time at which Debian had them, as its archive of snapshots names it. */
export const PINNED_AT = '${now.replaceAll(/[-:]|\.\d+/g, '')}';

export const DEBIAN_PACKAGES = ${JSON.stringify(packages)} as const;

export const EMULATOR = ${JSON.stringify(emulator)} as const;
`;
}
