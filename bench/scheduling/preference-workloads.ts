/**
 * Five workloads on which the price of preferences is measured, with the instance types of Azure and one NodePool of
 * on-demand Linux nodes of the families D, E and F. Two ordinary mixes with few constraints; 300 services that prefer an even spread over zones; 40
 * StatefulSets whose volumes exist already, each in one zone; and a mix in which some services prefer memory-optimised
 * instances. Sizes come from fixed seeds.
 */
import { KarpenterLabel, KubernetesLabel } from '../../packages/chandler/src/api/index.ts';
import type {
  PersistentVolume,
  Pod,
  SchedulingInput,
  VolumeClaim,
} from '../../packages/chandler/src/scheduling/index.ts';

import { pricedAzureCatalogue } from './azure-catalogue.ts';
import { GoRand } from './go-rand.ts';
import {
  affinityTerm,
  CATALOGUE,
  HOST,
  ON_DEMAND,
  oneOf,
  type PodShape,
  podOf,
  poolOf,
  spread,
  type Workload,
  ZONE,
} from './shapes.ts';

export interface PreferenceWorkload {
  readonly name: string;
  readonly pods: number;
  readonly build: () => Promise<Workload>;
}

export const PREFERENCE_WORKLOADS: readonly PreferenceWorkload[] = (
  [
    ['mix-services', 900, mixedServices],
    ['mix-jobs', 500, mixedJobs],
    ['soft-zone-spread', 1_219, softSpread],
    ['zonal-volumes', 160, zonalVolumes],
    ['prefer-memory', 900, preferMemory],
  ] as const
).map(([name, pods, draw]) => ({ name, pods, build: () => workload(name, pods, draw) }));

// ---------------------------------------------------------------------------------------------------

interface Drawn {
  readonly pods: readonly Pod[];
  readonly volumes?: NonNullable<SchedulingInput['volumes']>;
}

type Draw = (pods: number, random: GoRand, zones: readonly string[]) => Drawn;

const SEED = 7;
const FAMILY = 'karpenter.azure.com/sku-family';

async function workload(name: string, pods: number, draw: Draw): Promise<Workload> {
  const { types, zones, wellKnownLabels } = await pricedAzureCatalogue();
  const requirements = [
    oneOf(KubernetesLabel.os, 'linux'),
    oneOf(KubernetesLabel.arch, 'amd64'),
    oneOf(KarpenterLabel.capacityType, ON_DEMAND),
    oneOf(FAMILY, 'D', 'E', 'F'),
  ];
  const inputOf = (seed: number): SchedulingInput => ({
    pools: [poolOf({ name: 'default', requirements })],
    catalogues: { [CATALOGUE]: types },
    wellKnownLabels,
    ...draw(pods, new GoRand(seed), zones),
  });
  return { name, input: inputOf(SEED), placeable: pods, earlier: (round) => inputOf(SEED + round) };
}

/** Replicas of each service, at least two, which add up to `pods`. */
function replicasOf(pods: number, services: number, random: GoRand): number[] {
  const replicas = Array.from({ length: services }, () => 2);
  for (let rest = pods - 2 * services; rest > 0; rest--)
    replicas[Math.floor(services * random.float64() ** 2)]!++;
  return replicas;
}

/** Cpu is log-uniform; memory is a multiple of it, in GiB per core. */
function sizeOf(random: GoRand, cpu: readonly [number, number], memory: readonly [number, number]) {
  const cpuMilli = Math.round(cpu[0] * (cpu[1] / cpu[0]) ** random.float64());
  const perCore = memory[0] + (memory[1] - memory[0]) * random.float64();
  return { cpuMilli, memoryMi: Math.round((cpuMilli / 1000) * perCore * 1024) };
}

function podsOf(shapes: readonly { readonly shape: PodShape; readonly count: number }[]): Pod[] {
  let index = 0;
  return shapes.flatMap(({ shape, count }) => Array.from({ length: count }, () => podOf(shape, index++)));
}

/** 60 services; every fifth must be spread over zones, every tenth over hosts. */
function mixedServices(pods: number, random: GoRand): Drawn {
  const shapes = replicasOf(pods, 60, random).map((count, index) => {
    const labels = { app: `service-${index}` };
    const spreads = [
      ...(index % 5 === 0 ? [spread(ZONE, labels, 'DoNotSchedule')] : []),
      ...(index % 10 === 5 ? [spread(HOST, labels, 'DoNotSchedule', 2)] : []),
    ];
    return {
      count,
      shape: {
        labels,
        ...sizeOf(random, [100, 2_000], [1, 6]),
        spec: { topologySpreadConstraints: spreads },
      },
    };
  });
  return { pods: podsOf(shapes) };
}

/** 40 kinds of larger pods without constraints. */
function mixedJobs(pods: number, random: GoRand): Drawn {
  const shapes = replicasOf(pods, 40, random).map((count, index) => ({
    count,
    shape: { labels: { job: `job-${index}` }, ...sizeOf(random, [500, 8_000], [1, 8]) },
  }));
  return { pods: podsOf(shapes) };
}

function softSpread(pods: number, random: GoRand): Drawn {
  const shapes = replicasOf(pods, 300, random).map((count, index) => {
    const labels = { app: `service-${index}` };
    return {
      count,
      shape: {
        labels,
        ...sizeOf(random, [100, 1_000], [1, 6]),
        spec: { topologySpreadConstraints: [spread(ZONE, labels, 'ScheduleAnyway')] },
      },
    };
  });
  return { pods: podsOf(shapes) };
}

const STATEFUL_SETS = 40;

/** The volume of each pod is in one zone, and the pods of a set prefer different hosts. */
function zonalVolumes(pods: number, random: GoRand, zones: readonly string[]): Drawn {
  const made: Pod[] = [];
  const claims: VolumeClaim[] = [];
  const volumes: PersistentVolume[] = [];
  replicasOf(pods, STATEFUL_SETS, random).forEach((count, set) => {
    const labels = { app: `set-${set}` };
    const term = { weight: 100, podAffinityTerm: affinityTerm(HOST, labels) };
    const shape = {
      labels,
      ...sizeOf(random, [250, 4_000], [2, 8]),
      spec: {
        affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [term] } },
      },
    };
    const first = Math.floor(zones.length * random.float64());
    for (let ordinal = 0; ordinal < count; ordinal++) {
      const name = `data-${set}-${ordinal}`;
      const pod = podOf(shape, made.length);
      const claim = { name: 'data', persistentVolumeClaim: { claimName: name } };
      made.push({ ...pod, spec: { ...pod.spec, volumes: [claim] } });
      claims.push({
        metadata: { name, namespace: 'default' },
        spec: { storageClassName: 'disk', volumeName: name },
        status: { phase: 'Bound' },
      });
      volumes.push(zonalVolume(name, zones[(first + ordinal) % zones.length]!));
    }
  });
  return { pods: made, volumes: { claims, volumes } };
}

function zonalVolume(name: string, zone: string): PersistentVolume {
  return {
    metadata: { name },
    spec: {
      csi: { driver: 'disk.csi.azure.com', volumeHandle: name },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [oneOf(ZONE, zone)] }] } },
    },
  } as PersistentVolume;
}

/** Every second service prefers memory-optimised instances, although it needs little memory. */
function preferMemory(pods: number, random: GoRand): Drawn {
  const shapes = replicasOf(pods, 80, random).map((count, index) => {
    const preference = { matchExpressions: [oneOf(FAMILY, 'E')] };
    const prefers = {
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 50, preference }] },
      },
    };
    return {
      count,
      shape: {
        labels: { app: `service-${index}` },
        ...sizeOf(random, [100, 2_000], index % 2 === 0 ? [1, 2] : [1, 4]),
        spec: index % 2 === 0 ? prefers : {},
      },
    };
  });
  return { pods: podsOf(shapes) };
}
