/** An API server and the servers of a cloud that keep running, in real time, for a controller process that is killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fetchTransport, KubeClient, type KubeObject } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import {
  type Playground,
  type PlaygroundOptions,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { FEW_SIZES } from '../operator/azure-stage.ts';
import { accountKubeconfig, accountToken, resourceOf } from './roles.ts';

export interface KillScene {
  readonly playground: Playground;
  readonly admin: KubeClient;
  /** Of the controller, which may do what the roles of deploy/ list. */
  readonly env: Readonly<Record<string, string>>;
  /** Flags of the controller. */
  readonly args: readonly string[];
}

export type KillCloudName = 'azure' | 'aws';

export interface KillSceneOptions {
  /** Default azure. */
  readonly cloud?: KillCloudName;
  /** For files of the controller. */
  readonly folder: string;
  readonly seed: number;
  readonly bootTimeMs: number;
  readonly vmCreateMs: number;
  /** Of the NodePool `default`, whose machines have two cores. */
  readonly disruption: object;
  readonly labels?: Readonly<Record<string, string>>;
}

export async function killScene(options: KillSceneOptions): Promise<KillScene> {
  const { cloud: name = 'azure', folder, seed } = options;
  const world = realTimeWorld(seed);
  const playground = await startPlayground({ world, systemNodes: 0, ...CLOUDS[name].servers(options) });
  const { server, url } = playground;
  const cloud = playground.cloud!;
  const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const object of await cloud.controllerRoles()) await admin.create(resourceOf(object), object);
  await admin.create(cloud.nodeClasses, cloud.defaultNodeClass);
  await admin.create(NODE_POOLS, poolOf(cloud.defaultPool(), CLOUDS[name].type, options));
  const kubeconfig = join(folder, 'kubeconfig');
  const token = await accountToken(admin);
  const text = accountKubeconfig({ server: url!, caPem: server.caPem, token });
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const place = { serverUrl: url!, kubeconfig };
  const env = cloud.controllerEnvironment(await cloud.writeFiles(folder, place), place);
  return {
    playground,
    admin,
    env: { ...env, METRICS_PORT: '0', HEALTH_PROBE_PORT: '0' },
    args: name === 'azure' ? [] : ['--cloud', name],
  };
}

// ---------------------------------------------------------------------------------------------------

interface KillCloud {
  servers(options: KillSceneOptions): Pick<PlaygroundOptions, 'azure' | 'aws'>;
  /** With two cores. */
  readonly type: string;
}

const CLOUDS: Readonly<Record<KillCloudName, KillCloud>> = {
  azure: {
    servers: ({ bootTimeMs, vmCreateMs }) => ({
      azure: {
        bootTimeMs,
        azure: { catalogue: { ...FEW_SIZES, quota: { family: 10_000, regional: 10_000 } } },
        server: { callLogLimit: 200_000, latencies: { requestMs: 5, nicPutMs: 100, vmCreateMs } },
      },
    }),
    type: 'Standard_D2s_v5',
  },
  aws: {
    servers: ({ bootTimeMs, vmCreateMs }) => ({
      aws: {
        bootTimeMs,
        server: {
          callLogLimit: 200_000,
          catalogue: { types: ['m5.large', 'm5.metal'] },
          latencies: { requestMs: 5, pendingMs: vmCreateMs, consistencyMs: 2 * vmCreateMs },
        },
      },
    }),
    type: 'm5.large',
  },
};

function poolOf(pool: KubeObject, type: string, { disruption, labels = {} }: KillSceneOptions): KubeObject {
  const { limits: _, ...spec } = pool['spec'] as {
    readonly limits: object;
    readonly template: { readonly spec: { readonly requirements: readonly object[] } };
  };
  const requirements = [
    { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
    { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] },
  ];
  const template = { metadata: { labels }, spec: { ...spec.template.spec, requirements } };
  return { ...pool, spec: { ...spec, disruption, template } } as KubeObject;
}
