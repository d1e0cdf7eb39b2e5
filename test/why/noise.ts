/**
 * Things that are a little broken in every real cluster and do not concern the object in question: each is a few objects
 * beside those of a case. Their names begin with `noise-`. What keeps the pods of a case from the NodePools differs: a taint
 * that none tolerates, the name of the NodePool that they select, or a family of sizes or an architecture that they select.
 */
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';

import { awsClaim, awsClass, awsNode, awsPool } from './aws-objects.ts';
import { aClass, aPool, type PoolWords } from './cluster-objects.ts';
import { POD_NOISES } from './noise-pods.ts';
import { aClaim, aNode, anEvent, aPod, before, merged } from './objects.ts';

/** Builders of one cloud. */
export interface Makers {
  readonly claim: typeof aClaim;
  readonly class: typeof aClass;
  readonly node: typeof aNode;
  readonly pool: typeof aPool;
  /** A node that this cloud has not made. */
  readonly foreignProviderId: string;
  /** The node class of another cloud. */
  readonly foreignClass: { readonly group: string; readonly kind: string };
  /** A label of sizes that has numbers. */
  readonly cpuLabel: string;
  /** A label of families of sizes, with one for the pods and one for noise. */
  readonly family: { readonly key: string; readonly own: string; readonly other: string };
  /** A size of the family for noise that is not the largest of it. */
  readonly oneSize: string;
}

/** What keeps the pods of a case from NodePools that are noise. */
export const WAYS_APART = ['taint', 'label', 'size', 'arch'] as const;

export type Apart = (typeof WAYS_APART)[number];

/** What pods of a case, which are meant for the NodePool `default`, select. */
export function selectorFor(apart: Apart, { family }: Makers): Readonly<Record<string, string>> {
  if (apart === 'taint') return {};
  if (apart === 'arch') return { [ARCH_LABEL]: 'amd64' };
  return apart === 'label' ? { [POOL_LABEL]: 'default' } : { [family.key]: family.own };
}

export const AZURE_MAKERS: Makers = {
  claim: aClaim,
  class: aClass,
  node: aNode,
  pool: aPool,
  foreignProviderId: 'aws:///eu-west-1a/i-0fedcba9876543210',
  foreignClass: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' },
  cpuLabel: 'karpenter.azure.com/sku-cpu',
  family: { key: 'karpenter.azure.com/sku-family', own: 'D', other: 'E' },
  oneSize: 'Standard_E8s_v5',
};

export const AWS_MAKERS: Makers = {
  claim: awsClaim,
  class: awsClass,
  node: awsNode,
  pool: awsPool,
  foreignProviderId: 'kind://docker/noise/noise-foreign',
  foreignClass: { group: 'karpenter.azure.com', kind: 'AKSNodeClass' },
  cpuLabel: 'karpenter.k8s.aws/instance-cpu',
  family: { key: 'karpenter.k8s.aws/instance-category', own: 'm', other: 'c' },
  oneSize: 'c6i.2xlarge',
};

export interface Noise {
  readonly name: string;
  readonly make: (makers: Makers, apart: Apart) => readonly ReadObject[];
}

/** What decides whether something concerns the pod of a case. */
export interface Concern {
  readonly cause: string | undefined;
  /** Its NodePools are of some zones, so that another one may have a zone that they lack. */
  readonly isOfZones: boolean;
}

/**
 * Where the case is that there is no NodePool, one more is no noise. A pod without a selector may be meant for a NodePool
 * without taints as well as for one with a taint that it does not tolerate. Where its own NodePool is not ready either, or is
 * not right for it, to repair any other one is right as well: with a class that is not broken, it would take the pod.
 */
export function isNoiseFor({ cause = '', isOfZones }: Concern, apart: Apart, { make }: Noise): boolean {
  const pools = make(AZURE_MAKERS, apart).filter(({ kind }) => kind === 'NodePool');
  if (cause === 'configuration.no-pools') return pools.length === 0;
  const isOfOwnPool = OF_OWN_POOL.test(cause) || (isOfZones && cause === 'scheduling.topology');
  if (isOfOwnPool && pools.some(({ metadata }) => metadata.name === OPEN_AND_BROKEN)) return false;
  return cause !== 'L6.2' || apart !== 'taint' || !pools.some(({ metadata }) => metadata.name === UNTAINTED);
}

/** Causes that only concern the NodePool that a pod is meant for: another one may take the pod. */
const OF_OWN_POOL =
  /^(?:L6\.[24]$|configuration\.|planning\.pool-not-ready$|aws-pods\.too-many-volumes$|scheduling\.(?:volume-elsewhere|storage-class-elsewhere|pool-without-types|pool-static|no-type|size-unknown)$)/;

const UNTAINTED = 'noise-untainted';
const OPEN_AND_BROKEN = 'noise-left';

export const NOISES: readonly Noise[] = [
  {
    name: 'a NodePool of others is at its limit',
    make: (makers, apart) => [
      makers.pool(
        dedicated(
          makers,
          apart,
          'noise-full',
          { limits: { cpu: '10' } },
          { resources: { cpu: '10', nodes: '3' } },
        ),
      ),
    ],
  },
  {
    name: 'a NodePool of others has requirements that no size meets',
    make: (makers, apart) => [
      makers.pool(
        dedicated(makers, apart, 'noise-impossible', {}, {}, [
          { key: makers.cpuLabel, operator: 'Gt', values: ['100000'] },
        ]),
      ),
    ],
  },
  {
    name: 'a NodePool without taints has requirements that no size meets',
    make: (makers, apart) => [
      makers.pool(
        dedicated(makers, apart === 'taint' ? 'label' : apart, UNTAINTED, {}, {}, [
          { key: makers.cpuLabel, operator: 'Gt', values: ['100000'] },
        ]),
      ),
    ],
  },
  {
    name: 'a NodePool of others allows one size',
    make: (makers, apart) => [
      makers.pool(
        dedicated(makers, apart, 'noise-one-size', {}, {}, [
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [makers.oneSize] },
        ]),
      ),
    ],
  },
  {
    name: 'a NodePool has a taint and a label for another team',
    make: (makers, apart) => [
      makers.pool(
        dedicated(makers, apart, 'noise-team', {}, {}, [
          { key: 'noise-team', operator: 'In', values: ['data'] },
        ]),
      ),
    ],
  },
  {
    name: 'a claim of another NodePool failed for another pod and is retained',
    make: (makers, apart) => [
      makers.pool(dedicated(makers, apart, 'noise-failing')),
      makers.claim({
        name: 'noise-failing-a1b2c',
        pool: 'noise-failing',
        upTo: 'created',
        age: '20m',
        conditions: {
          Launched: { status: 'False', reason: 'CreateFailed', message: 'QuotaExceeded: no cores left' },
        },
      }),
      pendingFor('noise-failing-a1b2c'),
      ...nominated('noise-failing-a1b2c'),
    ],
  },
  {
    name: 'the NodeClass of another NodePool is broken',
    make: (makers, apart) => [
      makers.class({
        name: 'noise-class',
        conditions: { SubnetsReady: { status: 'False', reason: 'SubnetNotFound', message: 'no subnet' } },
      }),
      withClass(
        makers.pool({
          ...dedicated(makers, apart, 'noise-broken'),
          conditions: { NodeClassReady: { status: 'False', reason: 'UnhealthyDependents' } },
        }),
        'noise-class',
      ),
    ],
  },
  {
    name: 'the NodeClass of a NodePool that any pod may use is broken',
    make: (makers) => [
      makers.class({
        name: 'noise-left-class',
        conditions: { SubnetsReady: { status: 'False', reason: 'SubnetNotFound', message: 'no subnet' } },
      }),
      withClass(
        makers.pool({
          name: OPEN_AND_BROKEN,
          conditions: { NodeClassReady: { status: 'False', reason: 'UnhealthyDependents' } },
        }),
        'noise-left-class',
      ),
    ],
  },
  {
    name: 'the NodeClass of another NodePool does not exist',
    make: (makers, apart) => [
      withClass(
        makers.pool({
          ...dedicated(makers, apart, 'noise-classless'),
          conditions: { NodeClassReady: { status: 'False', reason: 'NodeClassNotFound' } },
        }),
        'noise-missing',
      ),
    ],
  },
  {
    name: 'there is a node of another provider',
    make: ({ node, foreignProviderId }) => [
      node({
        name: 'noise-foreign',
        claim: null,
        metadata: SOMEWHERE,
        spec: { providerID: foreignProviderId },
      }),
    ],
  },
  {
    name: 'there are old events about objects of the same names',
    make: () => [
      oldEvent(
        'Pod/shop/web',
        'FailedScheduling',
        '0/3 nodes are available: 3 Insufficient noise-memory.',
        '5h',
      ),
      oldEvent('Pod/shop/web', 'Nominated', 'Pod should schedule on: nodeclaim/noise-gone-12345', '4h'),
      oldEvent('NodePool/default', 'LaunchesStopped', 'noise-old: too many launches fail', '3h'),
      oldEvent('NodeClaim/default-x7k2p', 'FailedLaunch', 'noise-old: SkuNotAvailable', '3h'),
    ],
  },
  {
    name: 'there are old events about the same objects',
    make: () => [
      anEvent(
        {
          on: 'NodePool/default',
          reason: 'LaunchesStopped',
          message: 'noise-old',
          by: 'karpenter',
          ago: '5h',
        },
        9200,
      ),
      anEvent(
        { on: 'NodePool/default', reason: 'FailedLaunch', message: 'noise-old', by: 'karpenter', ago: '5h' },
        9201,
      ),
    ],
  },
  {
    name: 'another node is not Ready',
    make: ({ node, claim }) => [
      claim({ name: 'noise-sick-x1y2z', pool: 'noise-sick', age: '3h' }),
      node({
        name: 'noise-sick-node',
        claim: 'noise-sick-x1y2z',
        age: '3h',
        metadata: { labels: { ...SOMEWHERE.labels, [POOL_LABEL]: 'noise-sick' } },
        ready: {
          status: 'Unknown',
          reason: 'NodeStatusUnknown',
          message: 'noise-kubelet stopped',
          ago: '1h',
        },
      }),
    ],
  },
  {
    name: 'there are twenty healthy NodePools for other teams',
    make: (makers, apart) =>
      Array.from({ length: 20 }, (_, index) =>
        makers.pool(dedicated(makers, apart, `noise-healthy-${String(index).padStart(2, '0')}`)),
      ),
  },
  {
    name: 'a NodePool with a taint for other pods allows everything',
    make: (makers) => [makers.pool(dedicated(makers, 'taint', 'noise-open'))],
  },
  {
    name: 'there is a NodePool of another provider',
    make: (makers, apart) => [
      merged(makers.pool(dedicated(makers, apart, 'noise-elsewhere')), {
        spec: { template: { spec: { nodeClassRef: makers.foreignClass } } },
      }),
    ],
  },
  ...POD_NOISES,
];

// ---------------------------------------------------------------------------------------------------

type Loose = Readonly<Record<string, unknown>>;

/** The region of a node decides which sizes there are, which would concern a pod. */
const SOMEWHERE = { labels: { 'topology.kubernetes.io/region': null } };

const POOL_LABEL = 'karpenter.sh/nodepool';
const ARCH_LABEL = 'kubernetes.io/arch';

function dedicated(
  { family }: Makers,
  apart: Apart,
  name: string,
  spec: Loose = {},
  status: Loose = {},
  more: readonly Loose[] = [],
): PoolWords {
  const taints = apart === 'taint' ? [{ key: 'noise-dedicated', value: name, effect: 'NoSchedule' }] : [];
  const sizes = apart === 'size' ? [{ key: family.key, operator: 'In', values: [family.other] }] : [];
  const archs = apart === 'arch' ? [{ key: ARCH_LABEL, operator: 'In', values: ['arm64'] }] : [];
  const requirements = [...more, ...sizes, ...archs];
  return { name, status, spec: { ...spec, template: { spec: { requirements, taints } } } };
}

function withClass(pool: ReadObject, name: string): ReadObject {
  const spec = structuredClone(pool['spec']) as { template: { spec: { nodeClassRef: { name: string } } } };
  spec.template.spec.nodeClassRef.name = name;
  return { ...pool, spec };
}

function pendingFor(claim: string): ReadObject {
  const tolerations = [{ key: 'noise-dedicated', operator: 'Exists' }];
  const nodeSelector = { [POOL_LABEL]: 'noise-failing' };
  const spec = { tolerations, nodeSelector };
  return aPod({ name: `noise-pod-of-${claim}`, namespace: 'noise', age: '25m', spec });
}

function nominated(claim: string): readonly ReadObject[] {
  return [
    anEvent(
      {
        on: `Pod/noise/noise-pod-of-${claim}`,
        type: 'Normal',
        reason: 'Nominated',
        message: `Pod should schedule on: nodeclaim/${claim}`,
        by: 'karpenter',
        ago: '20m',
      },
      9001,
    ),
  ];
}

/** About an object that had the name before. */
function oldEvent(on: string, reason: string, message: string, ago: string): ReadObject {
  const event = anEvent({ on, reason, message, by: 'karpenter', ago }, 9100);
  const involved = event['involvedObject'] as Loose;
  return {
    ...event,
    metadata: { ...event.metadata, name: `noise-${reason}`.toLowerCase(), creationTimestamp: before(ago) },
    involvedObject: { ...involved, uid: `noise-uid-${String(involved['name'])}` },
  };
}
