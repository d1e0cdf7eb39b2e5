/**
 * The applications of the field workload: 300 of them, a few large and many small, with realistic
 * constraints, and ten more that are unschedulable. `field-workload.ts` decides where their pods are.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type { LabelRequirement, PodSpec } from '../../packages/chandler/src/scheduling/index.ts';

import type { GoRand } from './go-rand.ts';
import { affinityTerm, HOST, ON_DEMAND, oneOf, type PodShape, spread, ZONE } from './shapes.ts';

/** On the nodes and in the taint of a pool that belongs to one team. */
export const DEDICATED = 'example.com/dedicated';

export interface App extends PodShape {
  readonly labels: { readonly app: string; readonly team: string };
  readonly replicas: number;
  /** The team of the pool that it runs on. */
  readonly dedicated: string | undefined;
  readonly arch: string | undefined;
  readonly onDemand: boolean;
  /** Whether copies of it may already run anywhere: not where zone affinity decides. */
  readonly runsAnywhere: boolean;
}

/** Sizes follow a power law and add up to `pods`. */
export function fieldApps(pods: number, random: GoRand): App[] {
  const shares = Array.from({ length: APPS }, (_, rank) => (rank + 1) ** -0.8);
  const sum = shares.reduce((a, b) => a + b);
  const replicas = shares.map((share) => Math.max(1, Math.floor((share / sum) * pods)));
  for (let rest = pods - replicas.reduce((a, b) => a + b), i = 0; rest > 0; rest--, i++) {
    replicas[i % APPS]!++;
  }
  return replicas.map((count, rank) => fieldApp(rank, count, random));
}

/** Ten kinds of pods that fit nowhere, each for another reason. */
export function impossibleShapes(): PodShape[] {
  return IMPOSSIBLE.map((reason, index) => {
    const labels = { app: `impossible-${index}`, team: `team-${index}` };
    const soft = [spread(ZONE, labels, 'ScheduleAnyway'), spread(HOST, labels, 'ScheduleAnyway')];
    return {
      namespace: `team-${index}`,
      labels,
      cpuMilli: 500,
      memoryMi: 1024,
      ...reason,
      spec: { topologySpreadConstraints: soft, ...reason.spec },
    };
  });
}

// ---------------------------------------------------------------------------------------------------

const APPS = 300;
/** Hosts that a large application is spread over: fewer pods than that, and each gets a host of its own. */
const HOSTS_PER_APP = 200;

function fieldApp(rank: number, replicas: number, random: GoRand): App {
  const labels = { app: `app-${rank}`, team: `team-${rank % 20}` };
  const cpuMilli = Math.round(50 * 80 ** random.float64());
  const memoryMi = Math.round((cpuMilli / 1000) * (0.5 + 5.5 * random.float64()) * 1024);
  const traits = fieldTraits(rank, replicas, random);
  return {
    namespace: labels.team,
    labels,
    replicas,
    cpuMilli,
    memoryMi,
    dedicated: traits.dedicated,
    arch: traits.arch,
    onDemand: traits.onDemand,
    runsAnywhere: traits.affinity !== 'zone',
    spec: fieldSpec(labels, traits),
  };
}

interface Traits {
  readonly zoneSpread: boolean;
  /** The skew between hosts that it would rather keep to. */
  readonly hostSkew: number | undefined;
  readonly affinity: 'zone' | 'anti-host' | 'prefer-anti-zone' | undefined;
  readonly dedicated: string | undefined;
  readonly arch: string | undefined;
  readonly onDemand: boolean;
}

function fieldTraits(rank: number, replicas: number, random: GoRand): Traits {
  const chance = (share: number) => random.float64() < share;
  const small = rank >= APPS / 2;
  return {
    zoneSpread: chance(0.7),
    hostSkew: chance(0.4) ? Math.ceil(replicas / HOSTS_PER_APP) : undefined,
    affinity:
      small && rank % 10 === 0
        ? 'anti-host'
        : rank % 33 === 7
          ? 'prefer-anti-zone'
          : rank % 33 === 20
            ? 'zone'
            : undefined,
    dedicated: rank % 10 === 3 ? `team-${12 + (rank % 8)}` : undefined,
    arch: rank % 20 === 5 ? 'arm64' : chance(0.3) ? 'amd64' : undefined,
    onDemand: chance(0.1),
  };
}

function fieldSpec(labels: Record<string, string>, traits: Traits): Omit<PodSpec, 'containers'> {
  const selector: Record<string, string> = {};
  if (traits.dedicated !== undefined) selector[DEDICATED] = traits.dedicated;
  if (traits.arch !== undefined) selector[KubernetesLabel.arch] = traits.arch;
  if (traits.onDemand) selector[KarpenterLabel.capacityType] = ON_DEMAND;
  const spreads = [
    ...(traits.zoneSpread ? [spread(ZONE, labels, 'ScheduleAnyway')] : []),
    ...(traits.hostSkew === undefined ? [] : [spread(HOST, labels, 'ScheduleAnyway', traits.hostSkew)]),
  ];
  return {
    ...(Object.keys(selector).length > 0 ? { nodeSelector: selector } : {}),
    ...(spreads.length > 0 ? { topologySpreadConstraints: spreads } : {}),
    ...(traits.affinity === undefined ? {} : { affinity: AFFINITY[traits.affinity](labels) }),
    ...(traits.dedicated === undefined
      ? {}
      : {
          tolerations: [{ key: DEDICATED, operator: 'Equal', value: traits.dedicated, effect: 'NoSchedule' }],
        }),
  };
}

const AFFINITY: Record<
  NonNullable<Traits['affinity']>,
  (labels: Record<string, string>) => NonNullable<PodSpec['affinity']>
> = {
  zone: (labels) => ({
    podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(ZONE, labels)] },
  }),
  'anti-host': (labels) => ({
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(HOST, labels)] },
  }),
  'prefer-anti-zone': (labels) => ({
    podAntiAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 10, podAffinityTerm: affinityTerm(ZONE, labels) },
      ],
    },
  }),
};

const onlyOn = (...matchExpressions: LabelRequirement[]) => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] },
    },
  },
});

const IMPOSSIBLE: readonly Partial<PodShape>[] = [
  { cpuMilli: 1_000_000 },
  { memoryMi: 100 * 1024 * 1024 },
  { resources: { 'nvidia.com/gpu': '1' } },
  { spec: { nodeSelector: { [ZONE]: 'zone-9' } } },
  { spec: { nodeSelector: { 'example.com/rack': 'r1' } } },
  { spec: { nodeSelector: { [KubernetesLabel.arch]: 's390x' } } },
  { spec: { nodeSelector: { [DEDICATED]: 'team-12' } } },
  { spec: onlyOn(oneOf(ZONE, 'zone-1'), { key: ZONE, operator: 'NotIn', values: ['zone-1'] }) },
  { spec: onlyOn(oneOf(KubernetesLabel.instanceType, 'not.sold')) },
  {
    spec: {
      affinity: {
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [affinityTerm(ZONE, { app: 'nowhere' })],
        },
      },
    },
  },
];
