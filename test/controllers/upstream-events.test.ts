import {
  EVENTS,
  NODES,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  VOLUME_ATTACHMENTS,
} from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { everyNth } from '../part.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';
import { EVENT_REASONS } from './upstream-names.table.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const advance = (ms: number) => full.stage.world.clock.advance(ms);
const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

async function waitingPod(spec: Record<string, unknown> = {}, ofPool: Record<string, unknown> = {}) {
  await full.stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await full.stage.apply(NODE_POOLS, pool('general', ofPool));
  await full.stage.apply(PODS, pod('a', spec));
}

/** A pod that runs, and then its claim is deleted. */
async function deletedClaim(
  options: Parameters<typeof settledPod>[1] = {},
  before: (claim: string) => Promise<unknown> = async () => undefined,
) {
  const name = await settledPod(full, options);
  await before(name);
  await full.stage.admin.delete(NODE_CLAIMS, { name });
}

const annotatePod = (value: string) =>
  full.stage.admin.patch(
    PODS,
    { name: 'a', namespace: 'default' },
    { type: 'merge', patch: { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } } },
  );
const blockEviction = () =>
  full.stage.apply(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'b', namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } },
  });

async function attachVolume(claim: string) {
  await full.stage.apply(PERSISTENT_VOLUMES, {
    metadata: { name: 'v' },
    spec: {
      capacity: { storage: '1Gi' },
      accessModes: ['ReadWriteOnce'],
      csi: { driver: 'elsewhere.example.com', volumeHandle: 'v' },
    },
  });
  await full.stage.apply(VOLUME_ATTACHMENTS, {
    metadata: { name: 'held', finalizers: ['example.com/held'] },
    spec: {
      attacher: 'elsewhere.example.com',
      nodeName: `aks-${claim}`,
      source: { persistentVolumeName: 'v' },
    },
  });
}

const claimWithoutClass = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'alone', labels: { 'karpenter.sh/nodepool': 'general' } },
  spec: { nodeClassRef: { ...nodeClassRef, name: 'missing' }, requirements: [], resources: { requests: {} } },
};

const NEVER = { disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '100%' }] } };

/** The template changes, so that the node drifts. */
async function drifted(before: () => Promise<unknown> = async () => undefined) {
  await settledPod(full, { pool: NEVER });
  await before();
  await advance(MINUTE_MS);
  const patch = { spec: { template: { metadata: { labels: { version: '2' } } } } };
  await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
}

/** A large node that is left with a small pod. */
async function underutilized(consolidationPolicy = 'WhenEmptyOrUnderutilized') {
  const large = [{ name: 'm', image: 'i', resources: { requests: { cpu: '9' } } }];
  const disruption = { consolidateAfter: '0s', consolidationPolicy, budgets: [{ nodes: '100%' }] };
  await waitingPod({ containers: large }, { disruption });
  await full.stage.until('the node', async () => (await full.stage.list(NODES)).length === 1);
  await advance(20_000);
  await full.stage.apply(PODS, pod('b'));
  await advance(MINUTE_MS);
  await full.stage.admin.delete(PODS, { name: 'a', namespace: 'default' });
}

/** What has to happen for each reason. */
const STORIES: Readonly<Record<string, () => Promise<unknown>>> = {
  Nominated: () => settledPod(full),
  FailedScheduling: () =>
    waitingPod({ containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '900' } } }] }),
  NoCompatibleInstanceTypes: () => {
    const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['s390x'] }];
    return waitingPod({}, { template: { spec: { nodeClassRef, requirements } } });
  },
  Evicted: () => deletedClaim(),
  Finalized: () => deletedClaim(),
  Registered: () => settledPod(full),
  NodeRegistrationHealthy: () => settledPod(full),
  FailedDraining: () => deletedClaim({}, blockEviction),
  FailedTermination: () =>
    deletedClaim({}, async () => {
      const reason = 'ScopeLocked';
      full.stage.cloud.undeletable = new CloudError('CreateFailed', 'there is a lock', { reason });
    }),
  AwaitingVolumeDetachment: () => deletedClaim({}, attachVolume),
  Disrupted: () => {
    const spec = { nodeClassRef, requirements: [], terminationGracePeriod: '1m' };
    return deletedClaim({ pool: { template: { spec } } }, blockEviction);
  },
  TerminationGracePeriodExpiring: () => {
    const spec = { nodeClassRef, requirements: [], terminationGracePeriod: '1m' };
    return deletedClaim({ pool: { template: { spec } } });
  },
  InvalidDoNotDisruptAnnotation: () => deletedClaim({}, () => annotatePod('soon')),
  DoNotDisruptUntil: () => deletedClaim({}, () => annotatePod('1h')),
  DoNotDisruptGracePeriodElapsed: () => deletedClaim({}, () => annotatePod('30s')),
  WaitingOnNodeClaimTermination: async () => {
    await settledPod(full);
    await full.stage.admin.delete(AKS_NODE_CLASSES, { name: 'default' });
  },
  InsufficientCapacityError: async () => {
    full.stage.cloud.failures = [new CloudError('InsufficientCapacity', 'nothing is left')];
    await waitingPod();
  },
  NodeClassResolutionError: () => full.stage.apply(NODE_CLAIMS, claimWithoutClass),
  UnregisteredTaintMissing: async () => {
    full.stage.cloud.bootTaints = [];
    await settledPod(full);
  },
  FailedConsistencyCheck: async () => {
    const name = await settledPod(full);
    const patch = { status: { capacity: { cpu: '1' } } };
    await full.stage.admin.patchStatus(NODES, { name: `aks-${name}` }, { type: 'merge', patch });
    await advance(11 * MINUTE_MS);
  },
  DisruptionLaunching: () => drifted(),
  DisruptionWaitingReadiness: () => drifted(),
  DisruptionTerminating: () => drifted(),
  DisruptionBlocked: async () => {
    await drifted(blockEviction);
    await advance(MINUTE_MS);
    const patch = { spec: { disruption: { budgets: [{ nodes: '0' }] } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
  },
  Unconsolidatable: () => settledPod(full),
  ConsolidationCandidate: () => underutilized(),
  ConsolidationApproved: () => underutilized('Balanced'),
  ConsolidationRejected: async () => {
    await underutilized();
    const told = async () =>
      (await full.stage.list(EVENTS)).some((event) => event['reason'] === 'ConsolidationCandidate');
    await full.stage.until('it is a candidate', told);
    const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    await full.stage.admin.patch(PODS, { name: 'b', namespace: 'default' }, { type: 'merge', patch });
  },
  NodeRepairBlocked: async () => {
    const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '9' } } }];
    await waitingPod({ containers });
    await full.stage.apply(PODS, pod('b', { containers }));
    await full.stage.until('two nodes', async () => (await full.stage.list(NODES)).length === 2);
    await advance(10_000);
    for (const { metadata } of await full.stage.list(NODES))
      full.stage.playground.standins!.stopNode(metadata.name!);
    await advance(13 * MINUTE_MS);
  },
};

describe('events of upstream', () => {
  test.each(everyNth('events of upstream', EVENT_REASONS, 4))(
    '$reason is published on $kinds',
    async ({ reason, type, kinds, message }) => {
      full = await fullStage({ settings: { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true } } });
      await STORIES[reason]!();
      const told = async () => (await full.stage.list(EVENTS)).filter((event) => event['reason'] === reason);
      const missing = async () => {
        const events = (await told()).filter(
          (event) => event['type'] === type && message.test(String(event['message'])),
        );
        const on = new Set(events.map((event) => (event['involvedObject'] as { kind: string }).kind));
        return kinds.filter((kind) => !on.has(kind));
      };
      for (let waited = 0; waited < 3 * MINUTE_MS && (await missing()).length > 0; waited += 5_000)
        await advance(5_000);
      expect({
        missing: await missing(),
        told: (await told()).map((event) => event['message']),
      }).toMatchObject({
        missing: [],
      });
    },
  );
});
