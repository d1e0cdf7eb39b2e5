/**
 * The programs that the test machine is given, built from the Go module proxy into the user's cache: kubelet and its
 * companions, containerd, runc and the CNI plugins, packed the way their makers publish them. Says why when they cannot be had.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ArtifactKind, layoutPath } from '../../packages/chandler/src/flexnode/testing.ts';
import { cacheFolder, KUBERNETES_VERSION, onPath, withLock } from '../cluster/control-plane/binaries.ts';

export const CONTAINERD_VERSION = '2.4.2';
export const RUNC_VERSION = '1.5.2';
export const CNI_VERSION = '1.9.1';

export interface Published {
  /** `runc/1.5.2/amd64`. */
  readonly key: string;
  readonly file: string;
  readonly sha256: string;
}

export type Programs =
  | { readonly folder: string; readonly mirror: string; readonly published: readonly Published[] }
  | { readonly missing: string };

export async function findPrograms(say: (line: string) => void): Promise<Programs> {
  const name = `flexnode-${KUBERNETES_VERSION}-${CONTAINERD_VERSION}-${RUNC_VERSION}-${CNI_VERSION}`;
  const folder = join(cacheFolder(), name);
  if (BUILDS.some(({ program }) => !existsSync(join(folder, program)))) {
    for (const tool of ['go', 'gcc', 'tar'])
      if (!onPath(tool)) return { missing: `there is no ${tool} on PATH` };
    if (!existsSync('/usr/include/seccomp.h'))
      return { missing: 'there is no seccomp.h to build runc with (Debian package libseccomp-dev)' };
    mkdirSync(folder, { recursive: true });
    const failed = await withLock(join(folder, 'building'), say, () => buildAll(folder, say));
    if (failed !== undefined) return { missing: failed };
  }
  return { folder, mirror: join(folder, 'mirror'), published: pack(folder) };
}

export const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'amd64';

// ---------------------------------------------------------------------------------------------------

interface Build {
  readonly program: string;
  readonly source: string;
  readonly module: string;
  readonly stamp?: string;
  readonly cgo?: true;
}

const RUNTIME = join(import.meta.dirname, 'programs');
const KUBERNETES = join(import.meta.dirname, '..', 'cluster', 'control-plane');

const PLUGINS = ['ipam/host-local', 'main/bridge', 'main/loopback', 'meta/portmap'];
const RUNTIMES = ['containerd', 'containerd-shim-runc-v2', 'ctr'];
const KUBERNETES_PROGRAMS = ['kubelet', 'kubectl', 'kubeadm'] as const;
/** Run by nodes of a cluster, and by no flex node: it is built, and not published. */
const NODE_PROGRAMS = [...KUBERNETES_PROGRAMS, 'kube-proxy'] as const;

const BUILDS: readonly Build[] = [
  ...RUNTIMES.map((program) => ({
    program,
    source: `github.com/containerd/containerd/v2/cmd/${program}`,
    module: RUNTIME,
    stamp: `github.com/containerd/containerd/v2/version.Version=${CONTAINERD_VERSION}`,
  })),
  ...PLUGINS.map((plugin) => ({
    program: plugin.split('/')[1]!,
    source: `github.com/containernetworking/plugins/plugins/${plugin}`,
    module: RUNTIME,
    stamp: `github.com/containernetworking/plugins/pkg/utils/buildversion.BuildVersion=v${CNI_VERSION}`,
  })),
  {
    program: 'runc',
    source: 'github.com/opencontainers/runc',
    module: RUNTIME,
    stamp: `main.version=${RUNC_VERSION}`,
    cgo: true,
  },
  { program: 'pause', source: './pause', module: RUNTIME },
  ...NODE_PROGRAMS.map((program) => ({
    program,
    source: `k8s.io/kubernetes/cmd/${program}`,
    module: KUBERNETES,
    stamp: `k8s.io/component-base/version.gitVersion=v${KUBERNETES_VERSION}`,
  })),
];

function buildAll(folder: string, say: (line: string) => void): string | undefined {
  for (const { program, source, module, stamp, cgo } of BUILDS) {
    if (existsSync(join(folder, program))) continue;
    say(`building ${program} (once)`);
    const partial = join(folder, `.${program}.${process.pid}`);
    const link = ['-s -w', stamp && `-X ${stamp}`, cgo && '-extldflags -static'].filter(Boolean).join(' ');
    const flags = [
      'build',
      '-trimpath',
      ...(cgo ? ['-tags', 'netgo osusergo seccomp'] : []),
      '-ldflags',
      link,
    ];
    const result = spawnSync('go', [...flags, '-o', partial, source], {
      cwd: module,
      env: { ...process.env, CGO_ENABLED: cgo ? '1' : '0' },
      encoding: 'utf8',
    });
    if (result.status !== 0) {
      rmSync(partial, { force: true });
      const last = (result.stderr ?? String(result.error)).trim().split('\n').slice(-3).join(' | ');
      return `go build of ${program} failed: ${last}`;
    }
    renameSync(partial, join(folder, program));
  }
  return undefined;
}

/** As their makers publish them, in the layout of a mirror: single programs, and archives with their members. */
function pack(folder: string): readonly Published[] {
  const out = join(folder, 'mirror');
  return REQUESTS.map(({ kind, version, pack: members }) => {
    const file = join(out, layoutPath({ kind, version, architecture: ARCHITECTURE }));
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file)) {
      if (members === undefined) copyFileSync(join(folder, kind), file);
      else archive(folder, file, members.prefix, members.names);
    }
    const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');
    return { key: `${kind}/${version}/${ARCHITECTURE}`, file, sha256 };
  });
}

interface Package {
  readonly kind: ArtifactKind;
  readonly version: string;
  readonly pack?: { readonly prefix: string; readonly names: readonly string[] };
}

const REQUESTS: readonly Package[] = [
  { kind: 'runc', version: RUNC_VERSION },
  { kind: 'containerd', version: CONTAINERD_VERSION, pack: { prefix: 'bin', names: RUNTIMES } },
  {
    kind: 'cni-plugins',
    version: CNI_VERSION,
    pack: { prefix: '.', names: PLUGINS.map((plugin) => plugin.split('/')[1]!) },
  },
  ...KUBERNETES_PROGRAMS.map((kind) => ({ kind, version: KUBERNETES_VERSION })),
];

function archive(folder: string, file: string, prefix: string, members: readonly string[]): void {
  const partial = `${file}.${process.pid}`;
  const flags = ['--owner=0', '--group=0', '--mode=0755', `--transform=s,^,${prefix}/,`];
  const result = spawnSync('tar', ['-czf', partial, '-C', folder, ...flags, ...members], {
    encoding: 'utf8',
  });
  if (result.status !== 0) throw new Error(`tar of ${file} failed: ${result.stderr}`);
  renameSync(partial, file);
}
