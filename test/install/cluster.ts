/**
 * The cluster to install on: a real control plane and two machines as nodes, in two zones, with the taint of a node pool for
 * system pods. `helm` and `kubectl` are those that people use.
 */
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KubeClient, undiciTransport } from '@chandler/kube';
import { findTools } from '../charts/tools.ts';
import { auditFlags } from '../cluster/control-plane/audit.ts';
import { findBinaries } from '../cluster/control-plane/binaries.ts';
import { CONTROLLER_USER } from '../e2e/roles.ts';
import { PAUSE_IMAGE, startClusterNode, stopPods } from '../machines/cluster-node.ts';
import { findBaseTree, type Machine } from '../machines/machine.ts';
import { type NodePlane, startNodePlane } from '../machines/node-plane.ts';
import { writeImage } from '../machines/pause-image.ts';
import { ARCHITECTURE, findPrograms } from '../machines/programs.ts';
import { BRIDGE, GATEWAY, NODES_OF_CLUSTER, type NodePlace } from './network.table.ts';

export const NAMESPACE = 'kube-system';

export interface Ran {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

export interface InstallCluster {
  readonly plane: NodePlane;
  readonly caPem: string;
  readonly admin: KubeClient;
  readonly transport: ReturnType<typeof undiciTransport>['send'];
  readonly machines: ReadonlyMap<string, Machine>;
  /** Of the test; `audit.log` is in it. */
  readonly folder: string;
  kubectl(...args: string[]): string;
  /** What `kubectl logs --follow` prints of a pod from now on, until the pod ends. */
  follow(pod: string): () => string;
  /** It may take minutes, and other things go on meanwhile. */
  helm(...args: string[]): Promise<Ran>;
}

/** @param images archives that the nodes import. @param ends gets what ends it, in the order of the start. */
export async function startInstallCluster(
  folder: string,
  images: readonly string[],
  ends: (() => Promise<void>)[],
): Promise<InstallCluster> {
  const silent = () => undefined;
  const [binaries, programs, base, tools] = [
    await findBinaries(silent),
    await findPrograms(silent),
    await findBaseTree(silent),
    await findTools(silent),
  ];
  if ('missing' in binaries || 'missing' in programs || 'missing' in base || 'missing' in tools)
    throw new Error('run run.ts');
  const plane = await startNodePlane(binaries.folder, {
    address: GATEWAY,
    serviceAccounts: true,
    serverFlags: () => auditFlags(folder, CONTROLLER_USER.username),
  });
  ends.push(() => plane.stop());
  const caPem = readFileSync(plane.caFile, 'utf8');
  const wire = undiciTransport({
    server: plane.url,
    ca: caPem,
    identify: async () => ({ headers: { authorization: `Bearer ${plane.token}` } }),
  });
  ends.push(() => wire.close());
  const pause = join(folder, 'pause.tar');
  writeImage({
    program: join(programs.folder, 'pause'),
    name: PAUSE_IMAGE,
    architecture: ARCHITECTURE,
    work: join(folder, 'pause'),
    file: pause,
  });
  const machines = new Map<string, Machine>();
  for (const place of NODES_OF_CLUSTER) {
    const machine = await startClusterNode({
      plane,
      caPem,
      programs: programs.folder,
      base: base.folder,
      folder: join(folder, place.name),
      name: place.name,
      network: networkOf(place),
      labels: { 'topology.kubernetes.io/zone': place.zone },
      taints: [{ key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }],
      images: [pause, ...images],
    });
    ends.push(() => machine.stop());
    ends.push(() => stopPods(machine));
    spawnSync('ip', ['route', 'add', place.podRange, 'via', place.address]);
    machines.set(place.name, machine);
  }
  const admin = new KubeClient({ transport: wire.send });
  const env = helmEnvironment(folder, plane.kubeconfig);
  return {
    plane,
    caPem,
    admin,
    transport: wire.send,
    machines,
    folder,
    kubectl(...args) {
      const all = ['--kubeconfig', plane.kubeconfig, ...args];
      const run = spawnSync(join(binaries.folder, 'kubectl'), all, { encoding: 'utf8' });
      assert.equal(run.status, 0, `kubectl ${args.join(' ')}: ${run.stderr}`);
      return run.stdout;
    },
    follow(pod) {
      const flags = ['logs', '--follow', '--tail=0', '--namespace', NAMESPACE, pod];
      const child = spawn(join(binaries.folder, 'kubectl'), ['--kubeconfig', plane.kubeconfig, ...flags], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (more: string) => {
        text += more;
      });
      return () => text;
    },
    helm: (...args) =>
      promisify(execFile)(tools.helm, args, { env, maxBuffer: 64 * 1024 * 1024 }).then(
        ({ stdout, stderr }) => ({ status: 0, out: stdout, err: stderr }),
        ({ code, stdout, stderr }) => ({ status: Number(code), out: stdout, err: stderr }),
      ),
  };
}

const PATIENCE_MS = 180_000;

/** Looks until the answer is undefined: then it is as wanted. Otherwise the answer is what is lacking. */
export async function untilNothingLacks(
  what: string,
  look: () => Promise<string | undefined> | string | undefined,
  limitMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const lacking = await look();
    if (lacking === undefined) return;
    if (Date.now() > deadline) throw new Error(`waited ${limitMs / 1000} s until ${what}: ${lacking}`);
    await sleep(250);
  }
}

// ---------------------------------------------------------------------------------------------------

function networkOf({ address, podRange }: NodePlace) {
  const routes = NODES_OF_CLUSTER.filter((other) => other.address !== address).map((other) => ({
    range: other.podRange,
    via: other.address,
  }));
  return { bridge: BRIDGE, gateway: GATEWAY, address, podRange, routes };
}

/** Nothing of the user's: no repositories, plugins or clusters. */
function helmEnvironment(folder: string, kubeconfig: string): NodeJS.ProcessEnv {
  const home = join(folder, 'helm');
  return {
    ...process.env,
    KUBECONFIG: kubeconfig,
    HELM_CONFIG_HOME: home,
    HELM_CACHE_HOME: home,
    HELM_DATA_HOME: home,
  };
}
