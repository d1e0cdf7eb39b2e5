/**
 * A cluster of real programs for stories: kube-apiserver, kube-scheduler, kube-controller-manager, with our kinds. Its kubelets are
 * stand-ins, and its audit log shows what the controller requested.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { KUBELET_VERSION, type Standins, startStandins } from '@chandler/apiserver/standins';
import type { NodeHost } from '@chandler/cloudsim';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  KubeClient,
  type KubeObject,
  type ResourceRef,
  type Transport,
  undiciTransport,
  type World,
} from '@chandler/kube';
import { expect } from 'vitest';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import { standinNodeHost } from '../../packages/chandler/src/playground/index.ts';
import type { Time } from '../e2e/phases.ts';
import { record } from '../e2e/role-use.ts';
import { accountKubeconfig, accountToken, CONTROLLER_USER } from '../e2e/roles.ts';
import { conditionOf } from '../e2e/story.ts';
import { realTimeWorld } from '../playground/cluster.ts';
import { auditFlags, readAudit } from './control-plane/audit.ts';
import { type ControlPlane, launchControlPlane } from './control-plane/launch.ts';

const { CHANDLER_TEST_BINARIES: binaries = '' } = process.env;
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-scheduler', 'kube-controller-manager'];

/** Without these, stories on a real control plane are skipped. */
export const ABSENT: readonly string[] = PROGRAMS.filter((program) => !existsSync(join(binaries, program)));
if (ABSENT.length > 0)
  console.log(`the story on a real control plane is skipped: no ${ABSENT.join(', no ')}`);

export interface RealCluster {
  readonly plane: ControlPlane;
  readonly admin: KubeClient;
  /** Files of the test. */
  readonly folder: string;
  /** What a simulated cloud needs, so that its machines join. */
  readonly environment: {
    readonly world: World;
    readonly nodeHost: NodeHost;
    readonly kubernetesVersion: string;
    readonly transport: Transport;
    readonly apiServer: { readonly url: string; readonly caPem: string };
  };
  /** For phases of a story. */
  readonly ground: Time & {
    apply(resource: ResourceRef, object: object): Promise<unknown>;
    remove(resource: ResourceRef, name: string, namespace?: string): Promise<unknown>;
    list(resource: ResourceRef): Promise<readonly KubeObject[]>;
  };
  /** A kubeconfig in which the token of the controller's account is the only credential. */
  writeKubeconfig(): Promise<string>;
  /** That the API server refused no request of the controller; they are kept for the check of its roles. */
  checkRequests(): void;
  stop(): Promise<void>;
}

/** `runsWorkloads`: false where the test plays the scheduler and the controllers of workloads. Default true. */
export async function startRealCluster({ runsWorkloads = true } = {}): Promise<RealCluster> {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-story-'));
  const plane = await launchControlPlane(binaries, {
    controllers: runsWorkloads ? 'all' : 'collectors',
    scheduler: runsWorkloads,
    moreFlags: () => ({
      server: [
        ...auditFlags(folder, CONTROLLER_USER.username),
        '--enable-admission-plugins=OwnerReferencesPermissionEnforcement',
      ],
    }),
  });
  try {
    return await furnished(plane, folder);
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

/** For a controller that runs as a process beside others. */
export const PROCESS_VARIABLES: Readonly<Record<string, string>> = {
  METRICS_PORT: '0',
  HEALTH_PROBE_PORT: '0',
  LOG_LEVEL: 'debug',
};

// ---------------------------------------------------------------------------------------------------

async function furnished(plane: ControlPlane, folder: string): Promise<RealCluster> {
  const caPem = readFileSync(plane.caFile, 'utf8');
  const wire = undiciTransport({
    server: plane.url,
    ca: caPem,
    identify: async () => ({ headers: { authorization: `Bearer ${plane.token}` } }),
  });
  const admin = new KubeClient({ transport: wire.send });
  await installKinds(admin);
  const { world } = realTimeWorld();
  const kubelets: Standins = await startStandins({
    world,
    transport: wire.send,
    without: ['scheduler', 'workloads', 'disruption', 'node-lifecycle', 'volumes', 'service-accounts'],
  });
  return {
    plane,
    admin,
    folder,
    environment: {
      world,
      nodeHost: standinNodeHost(kubelets),
      kubernetesVersion: KUBELET_VERSION.replace(/^v/, ''),
      transport: wire.send,
      apiServer: { url: plane.url, caPem },
    },
    ground: groundOf(admin),
    async writeKubeconfig() {
      const kubeconfig = join(folder, 'kubeconfig');
      const token = await accountToken(admin);
      writeFileSync(kubeconfig, accountKubeconfig({ server: plane.url, caPem, token }), { mode: 0o600 });
      return kubeconfig;
    },
    checkRequests() {
      const requests = readAudit(folder);
      expect(requests.length).toBeGreaterThan(100);
      expect(requests.filter(({ code }) => code === 401 || code === 403)).toEqual([]);
      record(requests.map(({ code: _, ...request }) => request));
    },
    async stop() {
      await kubelets.stop();
      await wire.close();
      await plane.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function installKinds(admin: KubeClient): Promise<void> {
  for (const definition of builtinCrds() as unknown as KubeObject[])
    await admin.create(CUSTOM_RESOURCE_DEFINITIONS, definition);
  const established = (each: KubeObject) => conditionOf(each, 'Established')?.status === 'True';
  while (!(await admin.list(CUSTOM_RESOURCE_DEFINITIONS)).items.every(established)) await sleep(100);
}

function groundOf(admin: KubeClient): RealCluster['ground'] {
  return {
    nowMs: () => Date.now(),
    pause: () => sleep(100),
    say: (line) => console.log(line),
    apply: (resource, object) => admin.create(resource, object as KubeObject),
    remove: (resource, name, namespace) =>
      admin.delete(resource, { name, ...(namespace === undefined ? {} : { namespace }) }),
    list: async (resource) => (await admin.list(resource)).items,
  };
}
