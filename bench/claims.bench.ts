/**
 * 2,000 pods with one node each, from pending to initialized, by a whole operator against the API server and
 * the ARM server with Azure's limits, in virtual time. Azure's limit on writes is the minimum; the benchmark
 * measures how close the total time is to it, without any 429.
 */
import { parseArgs } from 'node:util';
import { ADMIN } from '@chandler/apiserver';
import { fetchTransport, KubeClient, type KubeObject, PODS } from '@chandler/kube';
import { VirtualClock } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../packages/chandler/src/api/index.ts';
import { DEFAULT_RATES } from '../packages/chandler/src/arm/index.ts';
import { startPlayground } from '../packages/chandler/src/playground/index.ts';
import { azureOperator } from './azure-operator.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';
import '../test/e2e/loaded-modules.ts';

const { values } = parseArgs({ options: { claims: { type: 'string', default: '2000' } } });
const CLAIMS = Number(values.claims);
/** From the last write of a launch to a node that is initialized: boot, registration, the kubelet's own pace. */
const TAIL_S = 30;

const clock = new VirtualClock(Date.now());
const world = { ...benchWorld(), clock };
const quota = { family: 10 * CLAIMS, regional: 10 * CLAIMS };
const playground = await driven(
  startPlayground({
    world,
    port: false,
    systemNodes: 0,
    // Heartbeats of thousands of nodes would be all that is measured.
    standinOptions: { heartbeatMs: 240_000, nodeGraceMs: 3_600_000 },
    azure: {
      azure: { catalogue: { quota } },
      server: { throttle: true, callLogLimit: 100 * CLAIMS, tokenLifetimeMs: 86_400_000 },
    },
  }),
);
const { arm } = playground.azure!;
const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
const operator = await azureOperator({ world, playground });
await driven(operator.start());
await clock.until(() => operator.isLeading);
await driven(setTheScene());
const startMs = clock.monotonic();
const cpuBefore = process.cpuUsage();
const { store } = operator.context!.stores.claims;
await clock.until(
  () => store.size >= CLAIMS && [...store.values()].every((claim) => isTrue(claim, 'Initialized')),
  1_000,
);
const virtualSeconds = (clock.monotonic() - startMs) / 1000;
const { user, system } = process.cpuUsage(cpuBefore);
const calls = arm.resources.calls();
const writes = calls.filter(({ method }) => method === 'PUT' || method === 'PATCH').length;
const { perSecond, burst } = DEFAULT_RATES.write;
const boundSeconds = Math.max(0, writes - burst) / perSecond + TAIL_S;
const throttled = calls.filter(({ status }) => status === 429);
const residentMb = process.memoryUsage().rss / 2 ** 20;
report({
  name: 'claims',
  figures: {
    claims: store.size,
    virtualSeconds: rounded(virtualSeconds),
    boundSeconds: rounded(boundSeconds),
    writesPerLaunch: rounded(writes / CLAIMS),
    callsPerLaunch: rounded(calls.length / CLAIMS),
    cpuMsPerClaim: rounded((user + system) / 1000 / CLAIMS),
    residentMb: rounded(residentMb),
  },
  goals: { virtualSeconds: atMost(virtualSeconds, boundSeconds * 1.1) },
  checked: [
    assertWork(store.size === CLAIMS, 'there are as many claims as pods, and no more'),
    assertWork(arm.resources.vms().length === CLAIMS, 'every claim has its machine'),
    assertWork(throttled.length === 0, `Azure never had to say 429${throttledText()}`),
  ],
});
process.exit(0);

// ---------------------------------------------------------------------------------------------------

/** Nothing, or what was asked too often. */
function throttledText(): string {
  const [first] = throttled;
  return first === undefined ? '' : `: ${throttled.length} times, first to ${first.method} ${first.path}`;
}

/** Moves time on until it is settled. */
async function driven<T>(promise: Promise<T>): Promise<T> {
  let settled = false;
  const done = promise.finally(() => {
    settled = true;
  });
  await clock.until(() => settled, 10);
  return done;
}

async function setTheScene(): Promise<void> {
  await admin.create(AKS_NODE_CLASSES, {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec: {},
  });
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  const requirements = [
    { key: 'karpenter.azure.com/sku-name', operator: 'In' as const, values: ['Standard_D2s_v5'] },
    { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand'] },
  ];
  await admin.create(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: { template: { spec: { nodeClassRef, requirements } } },
  });
  // A machine of two cores has room for one of them.
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1100m' } } }];
  for (let at = 0; at < CLAIMS; at++)
    await admin.create(PODS, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `p${at}`, namespace: 'default' },
      spec: { containers },
    });
}

function isTrue(claim: KubeObject, type: string): boolean {
  const status = claim['status'] as { conditions?: { type: string; status: string }[] } | undefined;
  return status?.conditions?.some((each) => each.type === type && each.status === 'True') === true;
}
