/** An API server and an ARM server that keep running, in real time, for a controller process that is killed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/azure';
import { fetchTransport, KubeClient, type KubeObject } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { NODE_CLASS, pool } from '../controllers/stage.ts';
import { FEW_SIZES } from '../operator/azure-stage.ts';
import { accountKubeconfig, accountToken, roleObjects } from './roles.ts';

export interface KillScene {
  readonly playground: Playground;
  readonly admin: KubeClient;
  /** Of the controller, which may do what deploy/rbac.yaml lists. */
  readonly env: Readonly<Record<string, string>>;
}

export interface KillSceneOptions {
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
  const { folder, seed, bootTimeMs, vmCreateMs, disruption, labels = {} } = options;
  const playground = await startPlayground({
    world: realTimeWorld(seed),
    systemNodes: 0,
    azure: {
      bootTimeMs,
      azure: { catalogue: { ...FEW_SIZES, quota: { family: 10_000, regional: 10_000 } } },
      server: { callLogLimit: 200_000, latencies: { requestMs: 5, nicPutMs: 100, vmCreateMs } },
    },
  });
  const { server, azure, url } = playground;
  const admin = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  for (const [resource, object] of roleObjects(azure!.bootstrapToken)) await admin.create(resource, object);
  await admin.create(AKS_NODE_CLASSES, NODE_CLASS as KubeObject);
  const made = pool('default', { disruption }) as KubeObject & {
    spec: { template: { metadata?: object; spec: { requirements: object[] } } };
  };
  made.spec.template.metadata = { labels };
  made.spec.template.spec.requirements.push({
    key: 'karpenter.azure.com/sku-name',
    operator: 'In',
    values: ['Standard_D2s_v5'],
  });
  await admin.create(NODE_POOLS, made);
  const kubeconfig = join(folder, 'kubeconfig');
  const token = await accountToken(admin);
  const text = accountKubeconfig({ server: url!, caPem: server.caPem, token });
  writeFileSync(kubeconfig, text, { mode: 0o600 });
  const around = { azure: azure!, serverUrl: url!, kubeconfig };
  const files = await writeControllerFiles(folder, around);
  const env = { ...controllerEnvironment(around, files), METRICS_PORT: '0', HEALTH_PROBE_PORT: '0' };
  return { playground, admin, env };
}
