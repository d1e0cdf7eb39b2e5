/**
 * Small adversarial clusters from a seed. Each run uses a random subset of the features (swarm testing), so
 * that rare combinations occur and a failure involves few features. The constraints of the pods are in
 * `random-pods.ts`.
 */
import type {
  DaemonSet,
  ExistingNode,
  InstanceType,
  Overlay,
  PoolInput,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { aDaemonSet, aNode, aPool, aType, type OfferingOptions } from './builders.ts';
import { Chance } from './chance.ts';
import { randomBoundPods, randomPods, randomVolumes, someTerminating } from './random-pods.ts';
import { FAMILY, FEATURES, type Feature, GENERATION, GPU, type Setting } from './random-setting.ts';
import { CAPACITY_TYPE, TYPE } from './shorthand.ts';

export interface RandomCluster {
  readonly input: SchedulingInput;
  readonly features: readonly Feature[];
}

/** Without these many others have nothing to show. */
const COMMON: ReadonlyMap<Feature, number> = new Map([
  ['zones', 0.75],
  ['nodes', 0.5],
  ['several pools', 0.5],
  ['bound pods', 0.4],
]);

export function randomCluster(seed: number): RandomCluster {
  const chance = new Chance(seed);
  const density = chance.one([0.1, 0.25, 0.4]);
  const features = FEATURES.filter((feature) => chance.happens(COMMON.get(feature) ?? density));
  const has = new Set<Feature>(features);
  const zones = has.has('zones') ? ['zone-1', 'zone-2', 'zone-3'].slice(0, chance.between(2, 3)) : ['zone-1'];
  const setting: Setting = { chance, has, zones };
  const types = randomTypes(setting);
  const pools = randomPools(setting, types);
  const nodes = randomNodes(setting, pools);
  const volumes = has.has('volumes') ? randomVolumes(setting, nodes) : undefined;
  const boundPods = has.has('bound pods') ? someTerminating(randomBoundPods(setting, nodes), seed) : [];
  const input: SchedulingInput = {
    pools,
    nodes,
    boundPods,
    pods: randomPods(setting, volumes),
    daemonSets: has.has('daemons') ? randomDaemons(setting) : [],
    namespaces: [
      { name: 'default', labels: { kind: 'main' } },
      { name: 'other', labels: { kind: 'side' } },
    ],
    ...(volumes ? { volumes } : {}),
    ...(has.has('overlays') ? { overlays: randomOverlays(setting) } : {}),
    wellKnownLabels: [FAMILY, GENERATION],
    options: {
      improveEffort: 0,
      ...(has.has('ignore preferences') ? { preferencePolicy: 'Ignore' } : {}),
      ...(has.has('best effort') ? { minValuesPolicy: 'BestEffort' } : {}),
      ...(has.has('priority') ? { priorityOrder: true } : {}),
      ...(has.has('reserved') && chance.happens(0.5) ? { reservedMode: 'strict' } : {}),
    },
  };
  return { input, features };
}

// ---------------------------------------------------------------------------------------------------

function randomTypes(setting: Setting): InstanceType[] {
  return Array.from({ length: setting.chance.between(3, 12) }, (_, at) => randomType(setting, at));
}

function randomType({ chance, has, zones }: Setting, at: number): InstanceType {
  const cpu = chance.one([1, 2, 2, 4, 4, 8, 16]);
  const memory = cpu * chance.one([1, 2, 4, 4, 8]);
  const capacities = has.has('spot') ? chance.some(['on-demand', 'spot']) : ['on-demand'];
  const ownZones = chance.happens(0.8) ? zones : chance.some(zones);
  const price = (cpu * 0.04 + memory * 0.003) * (0.8 + chance.next() * 0.4);
  const offerings: OfferingOptions[] = capacities.flatMap((capacity) =>
    ownZones.map((zone) => ({
      zone,
      capacity,
      price:
        Math.round(price * (capacity === 'spot' ? 0.4 : 1) * (1 + chance.between(0, 2) * 0.05) * 1e4) / 1e4,
      ...(has.has('unavailable') && chance.happens(0.25) ? { available: false } : {}),
      ...(has.has('overrides') && chance.happens(0.2)
        ? { capacityOverride: { memory: `${Math.max(1, memory / 2)}Gi` } }
        : {}),
    })),
  );
  if (has.has('reserved') && chance.happens(0.4)) {
    const id = `reservation-${chance.between(1, 2)}`;
    offerings.push({
      zone: chance.one(ownZones),
      capacity: 'reserved',
      price: 0.0001,
      reservation: { id, capacity: chance.between(0, 2) },
    });
  }
  return aType({
    name: `type-${String.fromCharCode(97 + at)}`,
    cpu,
    memory: `${memory}Gi`,
    pods: chance.one([4, 8, 29, 110]),
    arch: has.has('arch') && chance.happens(0.35) ? 'arm64' : 'amd64',
    offerings,
    labels: has.has('families')
      ? { [FAMILY]: chance.one(['c', 'm', 'r']), [GENERATION]: chance.between(3, 7) }
      : {},
    capacity: has.has('gpu') && chance.happens(0.4) ? { [GPU]: chance.between(1, 4) } : {},
    ...(has.has('overhead')
      ? {
          overhead: { kubeReserved: { cpu: '80m', memory: '256Mi' }, evictionThreshold: { memory: '100Mi' } },
        }
      : {}),
  });
}

function randomPools(setting: Setting, types: readonly InstanceType[]): PoolInput[] {
  const { chance, has } = setting;
  const count = has.has('several pools') ? chance.between(2, 4) : 1;
  return Array.from({ length: count }, (_, at) => randomPool(setting, types, `pool-${at + 1}`));
}

function randomPool(setting: Setting, types: readonly InstanceType[], name: string): PoolInput {
  const { chance, has } = setting;
  const own = chance.happens(0.7) ? types : chance.some(types);
  const taints: string[] = [];
  if (has.has('taints') && chance.happens(0.5))
    taints.push(chance.one(['team=red:NoSchedule', 'gpu:NoExecute']));
  if (has.has('soft taints') && chance.happens(0.5)) taints.push('old:PreferNoSchedule');
  const limits: Record<string, string> = {};
  if (has.has('limits')) limits['cpu'] = String(chance.between(2, 40));
  if (has.has('limits') && chance.happens(0.3)) limits['memory'] = `${chance.between(8, 80)}Gi`;
  if (has.has('node limit')) limits['nodes'] = String(chance.between(0, 4));
  return aPool({
    name,
    types: own,
    taints,
    limits,
    ...(has.has('weights') ? { weight: chance.one([1, 1, 10, 50]) } : {}),
    ...(has.has('startup taints') ? { startupTaints: ['cni:NoSchedule'] } : {}),
    ...(has.has('pool labels') ? { labels: { team: chance.one(['red', 'blue']) } } : {}),
    requirements: poolRequirements(setting),
  });
}

function poolRequirements({ chance, has, zones }: Setting): string[] {
  const requirements: string[] = [];
  if (has.has('pool requirements')) {
    if (chance.happens(0.4)) requirements.push(`zone In ${chance.some(zones).join()}`);
    if (chance.happens(0.2)) requirements.push(`zone NotIn ${chance.one(zones)}`);
    if (has.has('arch') && chance.happens(0.5))
      requirements.push(`arch In ${chance.some(['amd64', 'arm64']).join()}`);
    if (has.has('spot') && chance.happens(0.5)) requirements.push('capacity NotIn spot');
    if (has.has('families') && chance.happens(0.5)) requirements.push(`${FAMILY} In c,m`);
    if (has.has('families') && chance.happens(0.5))
      requirements.push(`${GENERATION} ${chance.one(['Gt', 'Gte', 'Lt', 'Lte'])} 5`);
  }
  if (has.has('racks')) requirements.push(`rack In ${chance.some(['r1', 'r2', 'r3']).join()}`);
  if (has.has('minValues')) {
    requirements.push(
      has.has('families') && chance.happens(0.5)
        ? `${FAMILY} Exists min=2`
        : `type Exists min=${chance.between(2, 3)}`,
    );
  }
  return requirements;
}

function randomNodes({ chance, has, zones }: Setting, pools: readonly PoolInput[]): ExistingNode[] {
  if (!has.has('nodes')) return [];
  return Array.from({ length: chance.between(1, 8) }, (_, at) => {
    const foreign = has.has('foreign nodes') && chance.happens(0.4);
    const pool = chance.one(pools).nodePool;
    const starting = has.has('starting nodes') && !foreign && chance.happens(0.4);
    const cpu = chance.one([1, 2, 4, 8]);
    const node = aNode({
      name: `node-${at + 1}`,
      cpu,
      memory: `${cpu * chance.one([1, 2, 4])}Gi`,
      pods: chance.one([3, 8, 110]),
      zone: chance.one(zones),
      type: 'type-a',
      ...(foreign ? {} : { pool: pool.metadata.name! }),
      taints: [
        ...(pool.spec.template.spec.taints ?? []).map(
          ({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`,
        ),
        ...(starting ? ['cni:NoSchedule', 'node.kubernetes.io/not-ready:NoSchedule'] : []),
      ],
      ...(starting ? { initialized: false, startupTaints: ['cni:NoSchedule'] } : {}),
      labels: {
        ...(foreign ? {} : pool.spec.template.metadata?.labels),
        ...(has.has('racks') ? { rack: chance.one(['r1', 'r2', 'r3']) } : {}),
      },
      capacity: has.has('gpu') && chance.happens(0.2) ? { [GPU]: 1 } : {},
    });
    return node;
  });
}

function randomDaemons({ chance, has, zones }: Setting): DaemonSet[] {
  return Array.from({ length: chance.between(1, 3) }, (_, at) =>
    aDaemonSet({
      name: `daemon-${at + 1}`,
      cpu: `${chance.between(1, 4) * 50}m`,
      memory: `${chance.between(1, 4) * 64}Mi`,
      ...(chance.happens(0.5) ? { tolerate: ['*'] } : {}),
      ...(chance.happens(0.3)
        ? { nodeSelector: { [chance.one(['arch', 'zone'])]: chance.one(['amd64', 'arm64', zones[0]!]) } }
        : {}),
      ...(has.has('spot') && chance.happens(0.3) ? { require: [`${CAPACITY_TYPE} In spot`] } : {}),
      ...(has.has('daemon ports') ? { ports: [9000 + at] } : {}),
    }),
  );
}

function randomOverlays({ chance, zones }: Setting): Overlay[] {
  return [1, 2].map((weight) => ({
    metadata: { name: `overlay-${weight}` },
    spec: {
      weight,
      requirements: [
        chance.happens(0.5)
          ? { key: TYPE, operator: 'In', values: [chance.one(['type-a', 'type-b', 'type-c'])] }
          : { key: 'topology.kubernetes.io/zone', operator: 'In', values: [chance.one(zones)] },
      ],
      ...chance.one([
        { price: '0.05' },
        { priceAdjustment: '-50%' },
        { priceAdjustment: '+0.1' },
        { capacity: { [GPU]: '2' } },
      ]),
    } as Overlay['spec'],
  }));
}
