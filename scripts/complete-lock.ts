/**
 * `npm run lock`: writes a package-lock.json (of the repository, and of `site/`) that is complete for every platform. npm omits optional packages
 * of other platforms that the registry in use does not serve, and `npm ci` then reports the lockfile as out
 * of sync. This script adds them back from their names and parents; they have no integrity hash, because they
 * were not downloaded.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

const ROOT = join(import.meta.dirname, '..');
const SYSTEMS = [
  'android',
  'darwin',
  'freebsd',
  'netbsd',
  'openbsd',
  'openharmony',
  'aix',
  'sunos',
  'linux',
  'win32',
];
const PROCESSORS = [
  'arm64',
  'x64',
  'ia32',
  'ppc64',
  'riscv64',
  's390x',
  'loong64',
  'mips64el',
  'wasm32',
  'arm',
];

const manifests = readdirSync(join(ROOT, 'packages')).map((name) => join('packages', name, 'package.json'));
lock(ROOT, manifests);
lock(join(ROOT, 'site'), []);

/** Writes the lockfile of the package in `root`, which has `manifests` as workspaces. */
function lock(root: string, manifests: readonly string[]): void {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-lock-'));
  try {
    // In a separate folder: installed packages must not affect the lockfile.
    for (const name of ['package.json', ...manifests]) cpSync(join(root, name), join(folder, name));
    cpSync(join(ROOT, '.npmrc'), join(folder, '.npmrc'));
    const run = spawnSync('npm', ['install', '--package-lock-only'], {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    if (run.status !== 0) throw new Error('npm install --package-lock-only failed');
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    const added = complete(lock.packages);
    lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
    writeFileSync(join(root, 'package-lock.json'), `${JSON.stringify(lock, null, 2)}\n`);
    console.log(
      `${join(relative(ROOT, root), 'package-lock.json')} written; ${added} packages of other platforms added`,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function complete(packages: Record<string, LockEntry>): number {
  let added = 0;
  for (const [path, parent] of Object.entries({ ...packages })) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const place = `node_modules/${name}`;
      if (path === '' || place in packages || `${path}/${place}` in packages) continue;
      packages[place] = entryOf(name, version, parent.dev === true);
      added++;
    }
  }
  return added;
}

function entryOf(name: string, version: string, dev: boolean): LockEntry {
  const words = name.split('/').at(-1)!;
  const system = SYSTEMS.find((known) => words.includes(known));
  const processor = PROCESSORS.find((known) => words.includes(`-${known}`));
  const libc = words.includes('musl') ? 'musl' : words.includes('gnu') ? 'glibc' : undefined;
  return {
    version: version.replace(/^[\^~]/, ''),
    ...(processor === undefined ? {} : { cpu: [processor] }),
    ...(dev ? { dev } : {}),
    ...(libc === undefined ? {} : { libc: [libc] }),
    optional: true,
    ...(system === undefined ? {} : { os: [system] }),
  };
}
