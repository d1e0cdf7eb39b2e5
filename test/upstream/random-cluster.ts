/**
 * Random small clusters of the differential run: a catalogue of machine families, up to four NodePools, existing nodes,
 * daemons, and 5 to 40 pending pods. The pods are in `random-workloads.ts`.
 */
import type {
  DaemonSet,
  ExistingNode,
  InstanceType,
  PoolInput,
  SchedulingInput,
  VolumeFacts,
} from '../../packages/chandler/src/scheduling/index.ts';
import { aDaemonSet, aNode, aPool, aType, type OfferingOptions } from '../scheduling/builders.ts';
import { Chance } from '../scheduling/chance.ts';
import { daemonsOn } from '../scheduling/check-capacity.ts';
import { existingFinalNodes } from '../scheduling/final-nodes.ts';
import { ARCH, CAPACITY_TYPE, ZONE } from '../scheduling/shorthand.ts';
import { DRIVER, drawFeatures, FAMILY, type Feature, GENERATION, GPU, type Setting } from './features.ts';
import { NODE_CLASS_REF } from './objects.ts';
import { randomBoundPods, randomPods, randomVolumes } from './random-workloads.ts';

export interface RandomCluster {
  readonly input: SchedulingInput;
  readonly features: readonly Feature[];
}

export function randomCluster(seed: number): RandomCluster {
  const chance = new Chance(seed);
  const features = drawFeatures(chance);
  const drawn = new Set(features);
  const has = (feature: Feature) => drawn.has(feature);
  const zones = has('zones') ? ['zone-1', 'zone-2', 'zone-3'].slice(0, chance.between(2, 3)) : ['zone-1'];
  const setting: Setting = { chance, has, zones };
  const types = randomTypes(setting);
  const pools = randomPools(setting, types);
  const nodes = has('nodes') ? randomNodes(setting, pools, types) : [];
  const volumes = has('volumes') ? randomVolumes(setting, nodes) : undefined;
  const input: SchedulingInput = {
    pools,
    nodes,
    boundPods: has('bound pods') ? randomBoundPods(setting, nodes) : [],
    pods: randomPods(setting, volumes),
    daemonSets: has('daemons') ? randomDaemons(setting) : [],
    namespaces: [
      { name: 'default', labels: { kind: 'main' } },
      { name: 'other', labels: { kind: 'side' } },
      { name: 'kube-system', labels: {} },
    ],
    ...(volumes ? { volumes: withLimits(volumes, types) } : {}),
    wellKnownLabels: [FAMILY, GENERATION],
    options: {
      ...(has('ignore preferences') ? { preferencePolicy: 'Ignore' } : {}),
      ...(has('best effort') ? { minValuesPolicy: 'BestEffort' } : {}),
    },
  };
  return { input: withDaemonPods(input), features };
}

// ---------------------------------------------------------------------------------------------------

/** On nodes that exist the daemons are running. */
function withDaemonPods(input: SchedulingInput): SchedulingInput {
  const running = existingFinalNodes(input, { placements: [] }).flatMap((node) =>
    daemonsOn(input, node).map((pod) => ({
      metadata: {
        ...pod.metadata,
        name: `${pod.metadata.name}-${node.name}`,
        uid: `${pod.metadata.name}-${node.name}`,
        ownerReferences: [daemonOwner(pod.metadata.name!)],
      },
      spec: { ...pod.spec, nodeName: node.name },
      status: { phase: 'Running' },
    })),
  );
  return { ...input, boundPods: [...(input.boundPods ?? []), ...running] };
}

function daemonOwner(pod: string) {
  const name = pod.replace(/-pod$/, '');
  return { apiVersion: 'apps/v1', kind: 'DaemonSet', name, uid: `DaemonSet/${name}`, controller: true };
}

/** The limits of the types once more, for a planner that reads them with the volumes. */
function withLimits(volumes: VolumeFacts, types: readonly InstanceType[]): VolumeFacts {
  const limits = types.flatMap(({ name, volumeAttachmentLimits: known = {} }) =>
    known[DRIVER] === undefined ? [] : [[name, known[DRIVER]] as const],
  );
  if (limits.length === 0) return volumes;
  return { ...volumes, newNodeLimits: { [DRIVER]: Object.fromEntries(limits) } };
}

/** GiB for a core. */
const FAMILIES: Readonly<Record<string, number>> = { c: 2, m: 4, r: 8 };

function randomTypes(setting: Setting): InstanceType[] {
  const { chance } = setting;
  const made = new Map<string, InstanceType>();
  for (let count = chance.between(4, 16); count > 0; count -= 1) {
    const type = randomType(setting);
    made.set(type.name, type);
  }
  return [...made.values()];
}

function randomType(setting: Setting): InstanceType {
  const { chance, has, zones } = setting;
  const family = chance.one(Object.keys(FAMILIES));
  const cpu = chance.one([1, 2, 2, 4, 4, 8, 8, 16, 32]);
  const memory = cpu * FAMILIES[family]!;
  const generation = chance.between(3, 7);
  const arm = has('arm') && chance.happens(0.4);
  const gpus = has('gpu') && chance.happens(0.3) ? chance.one([1, 2, 4]) : 0;
  const price =
    (cpu * 0.032 + memory * 0.0042 + gpus * 0.6) * (arm ? 0.82 : 1) * (1.1 - 0.03 * (generation - 3));
  return {
    ...aType({
      name: `${family}${generation}${arm ? 'g' : ''}${gpus > 0 ? `x${gpus}` : ''}.${cpu}`,
      cpu,
      memory: `${memory}Gi`,
      pods: chance.one([8, 15, 29, 58, 110]),
      arch: arm ? 'arm64' : 'amd64',
      offerings: randomOfferings(setting, price, chance.happens(0.85) ? zones : chance.some(zones)),
      labels: { [FAMILY]: family, [GENERATION]: generation },
      capacity: gpus > 0 ? { [GPU]: gpus } : {},
      ...(has('overhead')
        ? {
            overhead: {
              kubeReserved: { cpu: '70m', memory: `${300 + 20 * cpu}Mi` },
              evictionThreshold: { memory: '100Mi' },
            },
          }
        : {}),
    }),
    ...(has('volume limits') ? { volumeAttachmentLimits: { [DRIVER]: chance.between(1, 4) } } : {}),
  };
}

function randomOfferings(
  { chance, has }: Setting,
  price: number,
  zones: readonly string[],
): OfferingOptions[] {
  const capacities = has('spot')
    ? chance.one([['on-demand', 'spot'], ['on-demand', 'spot'], ['on-demand'], ['spot']])
    : ['on-demand'];
  return capacities.flatMap((capacity) =>
    zones.map((zone) => ({
      zone,
      capacity,
      price: round(capacity === 'spot' ? price * (0.25 + chance.next() * 0.3) : price),
      ...(has('unavailable') && chance.happens(0.2) ? { available: false } : {}),
    })),
  );
}

function round(price: number): number {
  return Math.round(price * 1e4) / 1e4;
}

function randomPools(setting: Setting, types: readonly InstanceType[]): PoolInput[] {
  const count = setting.has('several pools') ? setting.chance.between(2, 4) : 1;
  return Array.from({ length: count }, (_, at) => randomPool(setting, types, `pool-${at + 1}`));
}

function randomPool(setting: Setting, types: readonly InstanceType[], name: string): PoolInput {
  const { chance, has } = setting;
  const taints: string[] = [];
  if (has('taints') && chance.happens(0.4))
    taints.push(chance.one(['team=red:NoSchedule', 'dedicated:NoExecute']));
  if (has('soft taints') && chance.happens(0.5)) taints.push('old:PreferNoSchedule');
  const pool = aPool({
    name,
    types: chance.happens(0.75) ? types : chance.some(types),
    taints,
    limits: randomLimits(setting),
    ...(has('weights') ? { weight: chance.one([1, 10, 50]) } : {}),
    ...(has('startup taints') ? { startupTaints: ['cni:NoSchedule'] } : {}),
    ...(has('pool labels') ? { labels: { team: chance.one(['red', 'blue']) } } : {}),
    requirements: poolRequirements(setting),
  });
  const { template } = pool.nodePool.spec;
  const spec = {
    ...pool.nodePool.spec,
    template: { ...template, spec: { ...template.spec, nodeClassRef: NODE_CLASS_REF } },
  };
  return { ...pool, nodePool: { ...pool.nodePool, spec } };
}

function randomLimits({ chance, has }: Setting): Record<string, string> {
  const limits: Record<string, string> = {};
  if (has('limits')) limits['cpu'] = String(chance.between(4, 64));
  if (has('limits') && chance.happens(0.3)) limits['memory'] = `${chance.between(16, 200)}Gi`;
  if (has('node limits')) limits['nodes'] = String(chance.between(1, 6));
  return limits;
}

function poolRequirements({ chance, has, zones }: Setting): string[] {
  const requirements: string[] = [];
  if (has('pool requirements')) {
    if (chance.happens(0.3)) requirements.push(`zone In ${chance.some(zones).join()}`);
    if (zones.length > 1 && chance.happens(0.15)) requirements.push(`zone NotIn ${chance.one(zones)}`);
    if (has('arm') && chance.happens(0.5))
      requirements.push(`arch In ${chance.some(['amd64', 'arm64']).join()}`);
    if (has('spot') && chance.happens(0.5))
      requirements.push(`capacity In ${chance.some(['spot', 'on-demand']).join()}`);
    if (chance.happens(0.3)) requirements.push(`${FAMILY} In ${chance.some(Object.keys(FAMILIES)).join()}`);
    if (chance.happens(0.3)) requirements.push(`${GENERATION} ${chance.one(['Gt', 'Lt'])} 4`);
  }
  if (has('racks')) requirements.push(`rack In ${chance.some(['r1', 'r2', 'r3']).join()}`);
  if (has('minValues') && chance.happens(0.7)) {
    requirements.push(
      chance.one([`${FAMILY} Exists min=2`, `type Exists min=${chance.between(2, 4)}`, 'zone Exists min=2']),
    );
  }
  return merged(requirements);
}

/** minValues belong to the requirement of their key: a second one for the same key is dropped. */
function merged(requirements: readonly string[]): string[] {
  const keys = new Set<string>();
  return requirements.filter((text) => {
    const key = text.split(' ')[0]!;
    if (text.includes('min=') && keys.has(key)) return false;
    keys.add(key);
    return true;
  });
}

function randomNodes(
  setting: Setting,
  pools: readonly PoolInput[],
  types: readonly InstanceType[],
): ExistingNode[] {
  return Array.from({ length: setting.chance.between(1, 8) }, (_, at) =>
    randomNode(setting, `node-${at + 1}`, setting.chance.one(pools), setting.chance.one(types)),
  );
}

function randomNode(setting: Setting, name: string, pool: PoolInput, type: InstanceType): ExistingNode {
  const { chance, has, zones } = setting;
  const foreign = has('foreign nodes') && chance.happens(0.4);
  const starting = has('starting nodes') && !foreign && chance.happens(0.4);
  const { template } = pool.nodePool.spec;
  const startup = starting ? (template.spec.startupTaints ?? []) : [];
  const node = aNode({
    name,
    zone: chance.one(zones),
    type: type.name,
    ...(foreign ? {} : { pool: pool.nodePool.metadata.name! }),
    labels: {
      ...(foreign ? {} : template.metadata?.labels),
      ...(has('racks') ? { rack: chance.one(['r1', 'r2', 'r3']) } : {}),
      ...Object.fromEntries([FAMILY, GENERATION, ARCH].map((key) => [key, firstValue(type, key)])),
      ...(foreign ? {} : { [CAPACITY_TYPE]: chance.one(valuesOf(type, CAPACITY_TYPE)) }),
    },
  });
  const { 'karpenter.sh/initialized': _, ...uninitialized } = node.labels;
  const taints = [
    ...(foreign ? [] : (template.spec.taints ?? [])),
    ...startup,
    ...(starting ? [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' as const }] : []),
  ];
  return {
    ...node,
    labels: starting ? uninitialized : node.labels,
    taints,
    startupTaints: startup,
    initialized: !starting,
    allocatable: { ...type.capacity },
    capacity: { ...type.capacity },
  };
}

function valuesOf({ requirements }: InstanceType, key: string): readonly string[] {
  return requirements.find((r) => r.key === key)!.values!;
}

function firstValue(type: InstanceType, key: string): string {
  return valuesOf(type, key)[0]!;
}

function randomDaemons({ chance, has, zones }: Setting): DaemonSet[] {
  return Array.from({ length: chance.between(1, 3) }, (_, at) =>
    aDaemonSet({
      name: `daemon-${at + 1}`,
      cpu: `${chance.between(1, 4) * 50}m`,
      memory: `${chance.between(1, 4) * 64}Mi`,
      ...(chance.happens(0.6) ? { tolerate: ['*'] } : {}),
      ...(chance.happens(0.2)
        ? { nodeSelector: chance.one([{ [ARCH]: 'amd64' }, { [ZONE]: zones[0]! }, { [FAMILY]: 'm' }]) }
        : {}),
      ...(has('daemon ports') ? { ports: [9000 + at] } : {}),
    }),
  );
}
