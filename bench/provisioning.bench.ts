/**
 * 1,000 pods that are created together: from the end of their batch window to the creation of the claims for
 * all of them, on the embedded API server, with Azure's full catalogue. A second round needs one node per
 * pod: there the client-side rate limit (200 requests per second, burst 300) decides. Real time; the CPU time
 * of the process is reported as well.
 */
import { ADMIN } from '@chandler/apiserver';
import { fetchTransport, KubeClient, type KubeObject, type Log, type LogFields, PODS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../packages/chandler/src/api/index.ts';
import { startPlayground } from '../packages/chandler/src/playground/index.ts';
import { isProvisionable } from '../packages/chandler/src/state/index.ts';

import { azureOperator } from './azure-operator.ts';
import { newPod } from './pods.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const COUNT = 1000;
const IDLE_MS = 1000;

interface Round {
  readonly windowToClaimsMs: number;
  readonly cpuMs: number;
  readonly claims: number;
  readonly placed: number;
}

let told: { message: string; fields: LogFields; atMs: number }[] = [];
/** When the last pod was seen to have no place, before the first plan of a round. */
let lastSeenMs = 0;
const log: Log = {
  ...benchWorld().log,
  info: (message, fields = {}) => void told.push({ message, fields, atMs: performance.now() }),
  with: () => log,
};
const world = { ...benchWorld(), log };
const playground = await startPlayground({
  world,
  port: false,
  systemNodes: 0,
  azure: { azure: { catalogue: { quota: { family: 100_000, regional: 100_000 } } } },
});
const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
const operator = await azureOperator({ world, playground });
await operator.start();
await until(async () => operator.isLeading);
await admin.create(AKS_NODE_CLASSES, {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: 'default' },
  spec: {},
});
await admin.create(NODE_POOLS, poolOf('mixed', []));
const own = { key: 'karpenter.azure.com/sku-name', operator: 'In', values: ['Standard_D2s_v5'] };
await admin.create(NODE_POOLS, poolOf('own', [own]));
await until(async () =>
  (await admin.list(NODE_POOLS)).items.every((pool) =>
    (pool['status'] as { conditions?: { type: string; status: string }[] } | undefined)?.conditions?.some(
      ({ type, status }) => type === 'Ready' && status === 'True',
    ),
  ),
);

operator.context!.stores.pods.store.subscribe(({ object, type }) => {
  const planned = told.some(({ message }) => message === 'computed plan for pending pods');
  if (type !== 'deleted' && !planned && isProvisionable(object)) lastSeenMs = performance.now();
});

const mixed = await round((index) => podFor('mixed', index));
const each = await round((index) => podFor('own', index, '1100m'));
await operator.stop();
await playground.stop();
report({
  name: 'provisioning',
  figures: {
    pods: COUNT,
    windowToClaimsMs: rounded(mixed.windowToClaimsMs),
    cpuMs: rounded(mixed.cpuMs),
    claims: mixed.claims,
    nodeEachWindowToClaimsMs: rounded(each.windowToClaimsMs),
    nodeEachCpuMs: rounded(each.cpuMs),
    nodeEachClaims: each.claims,
  },
  goals: { windowToClaimsMs: atMost(mixed.windowToClaimsMs, 2000) },
  checked: [
    assertWork(mixed.placed === COUNT, 'every pod was planned onto a claim'),
    assertWork(each.claims === COUNT, 'and in the second round onto one of its own'),
  ],
});
process.exit(0);

// ---------------------------------------------------------------------------------------------------

async function round(make: (index: number) => KubeObject): Promise<Round> {
  told = [];
  lastSeenMs = 0;
  const before = (await admin.list(NODE_CLAIMS)).items.length;
  await Promise.all(Array.from({ length: COUNT }, (_, index) => admin.create(PODS, make(index))));
  const cpuBefore = process.cpuUsage();
  await until(async () => sum('nodeclaim created', 'pods') >= COUNT);
  const { user, system } = process.cpuUsage(cpuBefore);
  const claims = (await admin.list(NODE_CLAIMS)).items.length - before;
  const endMs = Math.max(
    ...told.filter(({ message }) => message === 'nodeclaim created').map(({ atMs }) => atMs),
  );
  const result = {
    windowToClaimsMs: endMs - lastSeenMs - IDLE_MS,
    cpuMs: (user + system) / 1000,
    claims,
    placed: sum('nodeclaim created', 'pods'),
  };
  await admin.deleteCollection(PODS, { namespace: 'default' });
  await until(async () => (await admin.list(PODS, { limit: 1 })).items.length === 0);
  return result;
}

function sum(message: string, field: string): number {
  return told
    .filter((line) => line.message === message)
    .reduce((total, { fields }) => total + Number(fields[field] ?? 0), 0);
}

function poolOf(name: string, requirements: readonly object[]): KubeObject {
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { spec: { nodeClassRef, requirements } } },
  };
}

/** As clusters have them, 200 apps with a wish for zones; or all alike. */
function podFor(pool: string, index: number, cpu?: string): KubeObject {
  const pod = newPod(index);
  // Nobody owns them here, and what has an owner that does not exist would be collected.
  delete pod.metadata.ownerReferences;
  const spec = pod['spec'] as { nodeSelector: object; containers: { resources: { requests: object } }[] };
  spec.nodeSelector = { ...spec.nodeSelector, 'karpenter.sh/nodepool': pool };
  if (cpu !== undefined) spec.containers[0]!.resources.requests = { cpu };
  return pod;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await world.clock.sleep(20);
}
