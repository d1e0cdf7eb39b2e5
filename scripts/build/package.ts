/**
 * The folder that is published, apart from the bundle: package.json, the programs that npm links, README, licence, charts and the
 * bill of materials.
 * Everything that runs is bundled, so the package has no dependencies.
 */
import { chmodSync, cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BILL } from '../sbom/bills.ts';
import { launcherText } from './launcher.ts';

export interface PackageRequest {
  /** Of the repository. */
  readonly root: string;
  /** To write to. */
  readonly folder: string;
  /** The module that runs the program, from the folder. */
  readonly program: string;
  /** The bill of materials. */
  readonly bill: Buffer;
}

/** By command. kubectl finds a plugin, and what completes its arguments, by these names; the program looks which it is. */
const PROGRAMS = {
  chandler: 'chandler.js',
  'kubectl-chandler': 'kubectl-chandler.js',
  'kubectl_complete-chandler': 'kubectl_complete-chandler.js',
};
const COPIED = ['README.md', 'LICENSE', 'charts'];

export function writePackage({ root, folder, program, bill }: PackageRequest): void {
  const manifest = JSON.parse(readFileSync(join(root, 'packages/chandler/package.json'), 'utf8')) as Manifest;
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(published(manifest), undefined, 2)}\n`);
  for (const name of Object.values(PROGRAMS)) {
    writeFileSync(join(folder, name), launcherText(manifest.engines.node, `./${program}`));
    chmodSync(join(folder, name), 0o755);
  }
  writeFileSync(join(folder, BILL), bill);
  for (const name of COPIED) cpSync(join(root, name), join(folder, name), { recursive: true });
}

// ---------------------------------------------------------------------------------------------------

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly engines: { readonly node: string };
}

/** Of the package.json of packages/chandler, what a reader of the registry and npm itself need. */
const FIELDS = [
  'name',
  'version',
  'description',
  'keywords',
  'license',
  'type',
  'engines',
  'repository',
  'homepage',
  'bugs',
];

function published(manifest: Manifest): object {
  const kept = Object.entries(manifest).filter(([name]) => FIELDS.includes(name));
  // npm adds package.json, README and LICENSE by itself. The executable for flex nodes is published on its own.
  const files = [...Object.values(PROGRAMS), 'lib', 'charts', BILL];
  return { ...Object.fromEntries(kept), bin: PROGRAMS, files };
}
