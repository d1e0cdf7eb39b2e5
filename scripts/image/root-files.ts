/** The layers of the image: Debian's libraries with the few files of /etc that programs ask for, Node.js, and the bundle. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { launcherText } from '../build/launcher.ts';
import { BILL } from '../sbom/bills.ts';
import { contentsOf, fetchPackage, type ImageArchitecture, packagesOf } from './debian.ts';
import type { Layer } from './layout.ts';
import type { TarEntry } from './tar.ts';

/** The user that the image runs as, by the convention of minimal images. */
export const NONROOT = 65532;
const HOME = 'home/nonroot';
const PROGRAM_FOLDER = 'opt/chandler';
const NODE = 'usr/local/bin/node';

/** As Kubernetes and Docker start it. */
export const IMAGE_PROGRAM = '/usr/local/bin/chandler';

export function debianLayer(architecture: ImageArchitecture): Layer {
  const packages = packagesOf(architecture);
  return {
    title: `Debian: ${packages.map(({ name, version }) => `${name} ${version}`).join(', ')}`,
    entries: [...packages.flatMap((row) => contentsOf(row, fetchPackage(row))), ...ETC, ...FOLDERS],
  };
}

/** @param folder of the registry package of Node.js for the architecture. */
export function nodeLayer(folder: string, version: string): Layer {
  const file = (name: string, from: string, mode: number): TarEntry => ({
    kind: 'file',
    name,
    mode,
    content: readFileSync(join(folder, from)),
  });
  return {
    title: `Node.js ${version}`,
    entries: [file(NODE, 'bin/node', 0o755), file('usr/share/doc/nodejs/LICENSE', 'LICENSE', 0o644)],
  };
}

/** @param dist the folder that is published. What is in it is what its package.json lists. */
export function programLayer(dist: string, sbom: Buffer): Layer {
  const manifest = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly engines: { readonly node: string };
    readonly files: readonly string[];
  };
  const names = [...manifest.files, 'package.json', 'LICENSE'].filter((name) => name !== BILL);
  // There is no `env` in the image, so the first line names Node.js itself.
  const start = launcherText(manifest.engines.node, './lib/main.js', `/${NODE}`);
  const entries = names.flatMap((name) => entriesOf(join(dist, name), `${PROGRAM_FOLDER}/${name}`));
  return {
    title: `chandler ${manifest.version}`,
    entries: [
      ...entries.map((entry) =>
        entry.name === STARTER && entry.kind === 'file' ? { ...entry, content: Buffer.from(start) } : entry,
      ),
      { kind: 'file', name: `${PROGRAM_FOLDER}/${BILL}`, mode: 0o644, content: sbom },
      { kind: 'link', name: IMAGE_PROGRAM.slice(1), mode: 0o777, target: `/${STARTER}` },
    ],
  };
}

/** Files and folders below a path, with plain modes whatever the umask was. */
export function entriesOf(path: string, name: string): readonly TarEntry[] {
  const found = statSync(path);
  if (found.isDirectory())
    return [
      { kind: 'folder', name, mode: 0o755 },
      ...readdirSync(path).flatMap((each) => entriesOf(join(path, each), `${name}/${each}`)),
    ];
  const mode = (found.mode & 0o100) === 0 ? 0o644 : 0o755;
  return [{ kind: 'file', name, mode, content: readFileSync(path) }];
}

// ---------------------------------------------------------------------------------------------------

const STARTER = `${PROGRAM_FOLDER}/chandler.js`;

const text = (name: string, content: string): TarEntry => ({
  kind: 'file',
  name,
  mode: 0o644,
  content: Buffer.from(content),
});

const ETC: readonly TarEntry[] = [
  text(
    'etc/passwd',
    `root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:${NONROOT}:${NONROOT}:nonroot:/${HOME}:/sbin/nologin\n`,
  ),
  text('etc/group', `root:x:0:\nnobody:x:65534:\nnonroot:x:${NONROOT}:\n`),
  // Without it, names of /etc/hosts (`hostAliases` of a pod) are asked for last.
  text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
];

const FOLDERS: readonly TarEntry[] = [
  { kind: 'folder', name: HOME, mode: 0o700, owner: NONROOT },
  { kind: 'folder', name: 'tmp', mode: 0o1777 },
  ...['dev', 'proc', 'run', 'sys'].map((name) => ({ kind: 'folder' as const, name, mode: 0o755 })),
];
