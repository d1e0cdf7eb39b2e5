/** What is read of a live cluster: settings of the controller, and lists that are too long to be read as a whole. */
import { describe, expect, test } from 'vitest';
import type { ObjectReader, ReadObject } from '../../../packages/chandler/src/causes/index.ts';
import {
  CHECKS,
  CLUSTER_READS,
  judge,
  NO_INPUTS,
  readCluster,
  withCluster,
} from '../../../packages/chandler/src/readiness/index.ts';
import { controller } from '../examples/cluster.ts';

const PAGE = 500;

/** A cluster with these objects, in pages. */
function readerOf(objects: Readonly<Record<string, readonly object[]>>): ObjectReader {
  const of = (kind: string) => (objects[kind] ?? []) as readonly ReadObject[];
  return {
    from: 'kubernetes',
    atMs: 0,
    kept: { records: [], unread: [] },
    get: async () => ({ why: 'notFound' }),
    list: async ({ kind }, { atMost } = {}) => ({ found: of(kind).slice(0, atMost) }),
    async *pages({ kind }) {
      for (let from = 0; from < of(kind).length; from += PAGE)
        yield { found: of(kind).slice(from, from + PAGE) };
    },
    log: async () => ({ why: 'notFound' }),
  };
}

async function verdict(id: string, objects: Readonly<Record<string, readonly object[]>>) {
  const inputs = withCluster(NO_INPUTS, await readCluster(readerOf(objects)));
  return judge(
    inputs,
    CHECKS.filter((check) => check.id === id),
    { strict: false },
  ).findings;
}

describe('a cluster with many Warning events', () => {
  const anEvent = (index: number, message: string) => ({
    metadata: { name: `event-${index}`, namespace: 'default' },
    type: 'Warning',
    involvedObject: { kind: 'NodeClaim', name: `claim-${index}` },
    message,
  });
  const events = (count: number, denied: number) =>
    Array.from({ length: count }, (_, index) =>
      anEvent(index, index === denied ? 'UnauthorizedOperation: You are not authorized' : 'BackOff'),
    );

  test('S-24 fails because of one on a page after the first', async () => {
    const [finding] = await verdict('S-24', { Event: events(600, 599) });
    expect(finding).toMatchObject({ status: 'fail', object: 'NodeClaim/claim-599' });
  });

  test('S-24 is skipped, and says what was not read, if there are too many to read', async () => {
    const [finding] = await verdict('S-24', { Event: events(5_200, -1) });
    expect(finding).toMatchObject({ status: 'skip' });
    expect(finding!.message).toContain('more than 5000 events, and the others were not read');
    const [denied] = await verdict('S-24', { Event: events(5_200, 7) });
    expect(denied).toMatchObject({ status: 'fail', object: 'NodeClaim/claim-7' });
    expect(await verdict('S-24', { Event: events(5_000, -1) })).toMatchObject([{ status: 'pass' }]);
  });

  test('S-62 shows no symptom only if all of them were read', async () => {
    const objects = { Deployment: [controller()] };
    const [finding] = await verdict('S-62', { ...objects, Event: events(5_200, -1) });
    expect(finding).toMatchObject({ status: 'skip' });
    expect(finding!.message).toContain('more than 5000 events, and the others were not read');
    const [denied] = await verdict('S-62', { ...objects, Event: events(5_200, 7) });
    expect(denied).toMatchObject({ status: 'warn', object: 'NodeClaim/claim-7' });
    expect(await verdict('S-62', { ...objects, Event: events(5_000, -1) })).toMatchObject([
      { status: 'pass' },
    ]);
  });
});

test('nothing is read that no check needs', () => {
  const named = new Set(CHECKS.flatMap(({ reads = [] }) => reads));
  const ofWorkloads = ['CronJob', 'PodDisruptionBudget'];
  const unused = CLUSTER_READS.map(({ resource: { kind }, key }) =>
    key === undefined ? kind : `${kind}/${key.name}`,
  ).filter((kind) => !named.has(kind) && !ofWorkloads.includes(kind));
  expect(unused).toEqual([]);
});

test('gates and policies in the environment of the controller are its settings', async () => {
  const env = [
    { name: 'MIN_VALUES_POLICY', value: 'BestEffort' },
    { name: 'FEATURE_GATES', value: 'ReservedCapacity=true,SpotToSpotConsolidation=true, NodeRepair=false' },
  ];
  const deployment = controller({
    pod: { containers: [{ name: 'controller', image: 'karpenter:1.14.1', env }] },
  });
  const pool = {
    metadata: { name: 'default' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [
            { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['m5', 'm6i'], minValues: 3 },
          ],
        },
      },
    },
  };
  const objects = { Deployment: [deployment], NodePool: [pool] };
  const findings = await verdict('K-26', objects);
  expect(findings.map(({ status }) => status)).toEqual(['warn']);
  const { releases } = await readCluster(readerOf(objects));
  const settings = releases[0]!.values;
  expect(JSON.stringify(plain(settings))).toContain(
    '"featureGates":{"reservedCapacity":"true","spotToSpotConsolidation":"true","nodeRepair":"false"}',
  );
});

function plain(tree: unknown): unknown {
  const { kind, entries, value } = tree as { kind: string; entries?: Map<string, unknown>; value?: unknown };
  if (kind !== 'map') return value;
  return Object.fromEntries([...entries!].map(([name, each]) => [name, plain(each)]));
}
