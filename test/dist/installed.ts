/**
 * The package as a user gets it: packed, and installed into an empty folder without a registry, so that nothing but the
 * tarball can be in it.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { DIST, ROOT } from '../../scripts/build/paths.ts';
import { Program } from './program.ts';

/** Where `node` is the Node 24 of the repository. */
const BIN = join(ROOT, 'node_modules', '.bin');

/** The published files and the bundle may grow up to here. */
const MAX_PACKED_BYTES = 5 * 1024 * 1024;

const PROGRAMS = ['chandler.js', 'kubectl-chandler.js', 'kubectl_complete-chandler.js'];

export interface Packed {
  readonly tarball: string;
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

export function pack(folder: string): Packed {
  const text = execFileSync('npm', ['pack', DIST, '--json', '--pack-destination', folder], {
    cwd: folder,
    encoding: 'utf8',
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [{ filename, files, size, unpackedSize }] = JSON.parse(text) as [
    { filename: string; files: { path: string }[]; size: number; unpackedSize: number },
  ];
  return {
    tarball: join(folder, filename),
    files: files.map(({ path }) => path),
    packedBytes: size,
    unpackedBytes: unpackedSize,
  };
}

/** Beside the programs, the bundle and the charts. */
const OTHER_FILES = ['package.json', 'README.md', 'LICENSE', 'sbom.cdx.json'];

export function assertPackage({ files, packedBytes }: Packed): void {
  const needed = [...OTHER_FILES, ...PROGRAMS, 'lib/main.js', 'lib/highs.wasm'];
  for (const name of needed) assert.ok(files.includes(name), `the package has no ${name}`);
  assert.ok(files.includes('charts/chandler-crd/Chart.yaml'), 'the package has no chart');
  const others = files.filter(
    (name) => ![...PROGRAMS, ...OTHER_FILES].includes(name) && !/^(lib|charts)\//.test(name),
  );
  assert.deepEqual(others, [], 'the package has files that do not belong in it');
  assert.ok(
    packedBytes < MAX_PACKED_BYTES,
    `the tarball has ${packedBytes} bytes, more than ${MAX_PACKED_BYTES}`,
  );
}

export function install(folder: string, { tarball }: Packed): Program {
  const place = join(folder, 'installed');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"private": true}\n');
  execFileSync('npm', ['install', '--omit=dev', '--offline', '--no-audit', '--no-fund', tarball], {
    cwd: place,
    env: environment(folder),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const packages = readdirSync(join(place, 'node_modules')).filter((name) => !name.startsWith('.'));
  assert.deepEqual(packages, ['chandler'], 'the package brought others along');
  return new Program({
    command: [join(place, 'node_modules', '.bin', 'chandler')],
    cwd: place,
    env: environment(folder),
  });
}

/** Nothing of whoever runs the suite: no kubeconfig, no credentials, a home of its own. */
export function environment(folder: string): Record<string, string> {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  return {
    PATH: `${BIN}${delimiter}${process.env['PATH'] ?? ''}`,
    HOME: home,
    TMPDIR: folder,
    NO_COLOR: '1',
  };
}
