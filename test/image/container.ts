/**
 * An image as a container runtime sees it: its layers, checked by their hashes and unpacked with tar, and runc with the user,
 * environment and entrypoint of its config. The root is read-only, there are no capabilities, and nothing can be written.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface ImageConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly Entrypoint: readonly string[];
  readonly Labels: Readonly<Record<string, string>>;
}

export interface Unpacked {
  readonly architecture: string;
  readonly root: string;
  readonly config: ImageConfig;
}

interface Descriptor {
  readonly digest: string;
  readonly platform?: { readonly architecture: string };
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Folders of the host that it may read, at the same place. */
  readonly mounts?: readonly string[];
  /** Runs the program of another architecture. */
  readonly emulator?: string;
}

/** @param layout the folder of an OCI image layout. */
export function unpackImage(layout: string, architecture: string, folder: string): Unpacked {
  const get = ({ digest }: Descriptor) => {
    const content = readFileSync(blobFile(layout, digest));
    assert.equal(`sha256:${createHash('sha256').update(content).digest('hex')}`, digest);
    return content;
  };
  const read = (from: Descriptor) => JSON.parse(get(from).toString());
  const [top] = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')).manifests as [Descriptor];
  const { manifests } = read(top) as { manifests: readonly Descriptor[] };
  const chosen = manifests.find(({ platform }) => platform?.architecture === architecture);
  assert.ok(chosen, `the index has no manifest for ${architecture}`);
  const manifest = read(chosen) as { config: Descriptor; layers: readonly Descriptor[] };
  const root = join(folder, `root-${architecture}`);
  mkdirSync(root, { recursive: true });
  for (const layer of manifest.layers) {
    get(layer);
    const { status, stderr } = spawnSync('tar', ['-xzf', blobFile(layout, layer.digest), '-C', root], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, `tar cannot unpack ${layer.digest}: ${stderr}`);
  }
  return { architecture, root, config: read(manifest.config).config as ImageConfig };
}

export class Container {
  readonly #runc: string;
  readonly #folder: string;
  #count = 0;

  /** @param folder for the state of runc and its bundles. */
  constructor(runc: string, folder: string) {
    this.#runc = runc;
    this.#folder = folder;
  }

  /** Starts the entrypoint with these arguments. */
  start(image: Unpacked, args: readonly string[], options: RunOptions = {}): ChildProcess {
    return this.startProgram(image, [...image.config.Entrypoint, ...args], options);
  }

  startProgram(image: Unpacked, command: readonly string[], options: RunOptions = {}): ChildProcess {
    this.#count += 1;
    const id = `chandler-image-${process.pid}-${this.#count}`;
    const bundle = join(this.#folder, id);
    mkdirSync(bundle, { recursive: true });
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(runcConfig(image, command, options)));
    const flags = ['--root', join(this.#folder, 'state'), 'run', '--bundle', bundle, id];
    return spawn(this.#runc, flags, { stdio: ['ignore', 'pipe', 'pipe'] });
  }
}

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export async function ended(child: ChildProcess): Promise<Ended> {
  let [out, err] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, out, err };
}

// ---------------------------------------------------------------------------------------------------

const EMULATOR = '/emulator';
const blobFile = (layout: string, digest: string) => join(layout, 'blobs', digest.replace(':', '/'));

function runcConfig(image: Unpacked, command: readonly string[], options: RunOptions): object {
  const { env = {}, mounts = [], emulator } = options;
  const [uid, gid] = image.config.User.split(':').map(Number);
  const readOnly = (source: string, destination: string) => ({
    source,
    destination,
    type: 'bind',
    options: ['bind', 'ro', 'nosuid', 'nodev'],
  });
  // The kernel starts scripts by their first line, an emulator does not.
  const emulated = [EMULATOR, '/usr/local/bin/node', '/opt/chandler/chandler.js', ...command.slice(1)];
  return {
    ociVersion: '1.0.2',
    process: {
      user: { uid, gid },
      args: emulator === undefined ? command : emulated,
      env: [...image.config.Env, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)],
      cwd: '/',
      capabilities: { bounding: [], effective: [], inheritable: [], permitted: [], ambient: [] },
      noNewPrivileges: true,
    },
    root: { path: image.root, readonly: true },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      {
        destination: '/dev',
        type: 'tmpfs',
        source: 'tmpfs',
        options: ['nosuid', 'mode=755', 'size=65536k'],
      },
      ...mounts.map((each) => readOnly(each, each)),
      ...(emulator === undefined ? [] : [readOnly(emulator, EMULATOR)]),
    ],
    linux: {
      // It stays in the network of the suite, which is a loopback interface and nothing else.
      namespaces: [{ type: 'pid' }, { type: 'ipc' }, { type: 'uts' }, { type: 'mount' }],
      maskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list'],
      readonlyPaths: ['/proc/sys', '/proc/sysrq-trigger'],
    },
  };
}
