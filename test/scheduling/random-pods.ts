/**
 * The pods of a random cluster: workloads of a few equal pods, with constraints by the features of the run.
 */
import type {
  ExistingNode,
  Pod,
  TopologySpreadConstraint,
  VolumeFacts,
} from '../../packages/chandler/src/scheduling/index.ts';
import { aPod, type PodOptions } from './builders.ts';
import { Chance } from './chance.ts';
import { FAMILY, type Feature, GENERATION, GPU, type Setting } from './random-setting.ts';
import { ZONE } from './shorthand.ts';

const APPS = ['web', 'db', 'job'] as const;
const DRIVER = 'disk.example.com';

export function randomPods(setting: Setting, volumes: VolumeFacts | undefined): Pod[] {
  const { chance } = setting;
  const pods: Pod[] = [];
  const claims = chance.shuffled((volumes?.claims ?? []).map(({ metadata }) => metadata.name!));
  for (let workload = 1, most = chance.between(1, 6); workload <= most; workload += 1) {
    const given = randomPodOptions(setting);
    for (let at = 1, size = chance.between(1, 5); at <= size; at += 1) {
      const own = volumes && chance.happens(0.5) ? claims.splice(0, chance.between(1, 2)) : [];
      const name = `w${workload}-${at}`;
      pods.push(
        aPod({
          ...given,
          name,
          created: minute(chance.between(0, 59)),
          ...(own.length > 0 ? { claims: own, namespace: 'default' } : {}),
        }),
      );
    }
  }
  return pods;
}

export function randomBoundPods(setting: Setting, nodes: readonly ExistingNode[]): Pod[] {
  const { chance, has } = setting;
  if (nodes.length === 0) return [];
  return Array.from({ length: chance.between(1, 8) }, (_, at) => {
    const app = chance.one(APPS);
    return aPod({
      name: `old-${at + 1}`,
      namespace: namespaceFor(setting),
      on: chance.one(nodes).name,
      cpu: '200m',
      memory: '128Mi',
      labels: { app, version: chance.one(['1', '2']) },
      ...(has.has('anti-affinity') && chance.happens(0.3)
        ? { antiAffinity: [`host app=${chance.one(APPS)}`] }
        : {}),
      ...(has.has('zone anti-affinity') && chance.happens(0.2)
        ? { antiAffinity: [`zone app=${chance.one(APPS)}`] }
        : {}),
      ...(has.has('ports') && chance.happens(0.3) ? { ports: [8080] } : {}),
    });
  });
}

/** In some clusters, some of the pods are being deleted. Drawn apart, so that the rest of the cluster stays the same. */
export function someTerminating(pods: readonly Pod[], seed: number): Pod[] {
  const chance = new Chance(seed + TERMINATING_SEED);
  const share = chance.one([0, 0, 0.3, 0.6]);
  return pods.map((pod) => (chance.happens(share) ? terminating(pod) : pod));
}

export function terminating(pod: Pod): Pod {
  return { ...pod, metadata: { ...pod.metadata, deletionTimestamp: minute(59) } };
}

/** Claims that are bound to a zone, that may be made in some, or anywhere. */
export function randomVolumes({ chance, has, zones }: Setting, nodes: readonly ExistingNode[]): VolumeFacts {
  const names = Array.from({ length: chance.between(2, 8) }, (_, at) => `claim-${at + 1}`);
  const bound = names.filter(() => chance.happens(0.5));
  return {
    classes: [
      { metadata: { name: 'anywhere' }, provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' },
      {
        metadata: { name: 'somewhere' },
        provisioner: DRIVER,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: chance
          .some(zones)
          .map((zone) => ({ matchLabelExpressions: [{ key: ZONE, values: [zone] }] })),
      },
    ],
    claims: names.map((name) => ({
      metadata: { name, namespace: 'default' },
      spec: bound.includes(name)
        ? { storageClassName: 'anywhere', volumeName: `pv-${name}` }
        : { storageClassName: chance.one(['anywhere', 'somewhere']) },
    })),
    volumes: bound.map((name) => ({
      metadata: { name: `pv-${name}` },
      spec: {
        csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: chance.some(zones).map((zone) => ({
              matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }],
            })),
          },
        },
      },
    })),
    ...(has.has('volume limits')
      ? {
          csiNodes: nodes.map(({ name }) => ({
            metadata: { name },
            spec: { drivers: [{ name: DRIVER, allocatable: { count: chance.between(0, 2) } }] },
          })),
          newNodeLimits: { [DRIVER]: { '*': chance.between(1, 3), 'type-a': 1 } },
        }
      : {}),
  };
}

// ---------------------------------------------------------------------------------------------------

const TERMINATING_SEED = 1_000_003;

function minute(at: number): string {
  return `2025-01-01T00:${String(at).padStart(2, '0')}:00Z`;
}

function namespaceFor({ chance, has }: Setting): string {
  return has.has('namespaces') && chance.happens(0.4) ? 'other' : 'default';
}

function randomPodOptions(setting: Setting): PodOptions {
  const { chance, has } = setting;
  const app = chance.one(APPS);
  const large = has.has('large pods') && chance.happens(0.4);
  return {
    namespace: namespaceFor(setting),
    cpu:
      has.has('impossible pods') && chance.happens(0.2)
        ? 500
        : `${large ? chance.between(8, 40) * 100 : chance.between(1, 10) * 100}m`,
    memory: `${chance.between(1, large ? 60 : 16) * 128}Mi`,
    labels: { app, version: chance.one(['1', '2']) },
    ...(has.has('gpu') && chance.happens(0.3) ? { requests: { [GPU]: 1 } } : {}),
    ...(has.has('taints') && chance.happens(0.6)
      ? { tolerate: chance.one([['team=red'], ['gpu'], ['*'], ['team', 'gpu:NoExecute']]) }
      : {}),
    ...(has.has('ports') && chance.happens(0.4)
      ? { ports: [chance.one(['8080', '8080/UDP', '10.0.0.1:8080', '10.0.0.2:8080', '9000'])] }
      : {}),
    ...(has.has('priority') ? { priority: chance.between(0, 2) } : {}),
    ...(has.has('resource claims') && chance.happens(0.2)
      ? { spec: { resourceClaims: [{ name: 'device' }] } }
      : {}),
    ...nodeWishes(setting),
    ...podWishes(setting, app),
    ...spreadWishes(setting, app),
  };
}

function nodeWishes(setting: Setting): PodOptions {
  const { chance, has, zones } = setting;
  return {
    ...(has.has('node selector') && chance.happens(0.5)
      ? { nodeSelector: chance.one(selectors(setting)) }
      : {}),
    ...(has.has('node affinity') && chance.happens(0.5)
      ? { require: has.has('or terms') ? [randomTerm(setting), randomTerm(setting)] : randomTerm(setting) }
      : {}),
    ...(has.has('preferences') && chance.happens(0.5)
      ? {
          prefer: [
            { weight: 10, term: randomTerm(setting) },
            { weight: 1, term: [`zone In ${chance.one(zones)}`] },
          ],
        }
      : {}),
  };
}

function selectors({ chance, has, zones }: Setting): Record<string, string>[] {
  return [
    { zone: chance.one(zones) },
    { arch: chance.one(['amd64', 'arm64']) },
    { pool: 'pool-1' },
    ...(has.has('spot') ? [{ capacity: chance.one(['spot', 'on-demand']) }] : []),
    ...(has.has('pool labels') ? [{ team: chance.one(['red', 'blue']) }] : []),
    ...(has.has('racks') ? [{ rack: chance.one(['r1', 'r2', 'r4']) }] : []),
    ...(has.has('families') ? [{ [FAMILY]: chance.one(['c', 'm', 'r']) }] : []),
  ];
}

function randomTerm({ chance, has, zones }: Setting): string[] {
  const possible = [
    `zone In ${chance.some(zones).join()}`,
    `zone NotIn ${chance.one(zones)}`,
    `arch ${chance.one(['In', 'NotIn'])} arm64`,
    'type Exists',
    'unknown DoesNotExist',
    ...(has.has('families')
      ? [`${GENERATION} ${chance.one(['Gt', 'Lt'])} 5`, `${FAMILY} NotIn ${chance.one(['c', 'm', 'r'])}`]
      : []),
    ...(has.has('racks') ? [`rack ${chance.one(['In', 'NotIn'])} r1,r2`] : []),
    ...(has.has('pool labels') ? ['team NotIn blue', 'team Exists'] : []),
    ...(has.has('spot') ? ['capacity NotIn spot'] : []),
  ];
  return chance.shuffled(possible).slice(0, chance.between(1, 2));
}

function podWishes(setting: Setting, app: string): PodOptions {
  const { chance, has } = setting;
  const term = (key: string, of: string) =>
    `${key} app=${of}${has.has('namespaces') && chance.happens(0.3) ? ` in ${chance.one(['other', 'default,other', '*'])}` : ''}`;
  const away: string[] = [];
  if (has.has('anti-affinity') && chance.happens(0.4))
    away.push(term('host', chance.happens(0.6) ? app : chance.one(APPS)));
  if (has.has('zone anti-affinity') && chance.happens(0.3)) away.push(term('zone', chance.one(APPS)));
  const near: string[] = [];
  if (has.has('affinity') && chance.happens(0.4))
    near.push(term(chance.one(['zone', 'zone', 'host']), chance.one(APPS)));
  if (has.has('self affinity') && chance.happens(0.4)) near.push(term(chance.one(['zone', 'host']), app));
  return {
    ...(away.length > 0 ? { antiAffinity: away } : {}),
    ...(near.length > 0 ? { affinity: near } : {}),
    ...(has.has('soft affinity') && chance.happens(0.5)
      ? {
          preferAffinity: [{ weight: 5, term: term('zone', chance.one(APPS)) }],
          preferAntiAffinity: [{ weight: 7, term: term('host', app) }],
        }
      : {}),
  };
}

function spreadWishes(setting: Setting, app: string): PodOptions {
  const { chance, has } = setting;
  const constraints: TopologySpreadConstraint[] = [];
  for (const [feature, key] of SPREADS) {
    if (!has.has(feature) || !chance.happens(0.5)) continue;
    const other = chance.happens(0.15) ? chance.one(APPS) : app;
    constraints.push({
      maxSkew: chance.one([1, 1, 1, 2]),
      topologyKey: key,
      whenUnsatisfiable: has.has('soft spread') && chance.happens(0.5) ? 'ScheduleAnyway' : 'DoNotSchedule',
      labelSelector: { matchLabels: { app: other } },
      ...(has.has('minDomains') && chance.happens(0.5) ? { minDomains: chance.between(1, 4) } : {}),
      ...(has.has('policies') && chance.happens(0.5)
        ? { nodeAffinityPolicy: chance.one(['Honor', 'Ignore']) }
        : {}),
      ...(has.has('policies') && chance.happens(0.5)
        ? { nodeTaintsPolicy: chance.one(['Honor', 'Ignore']) }
        : {}),
      ...(has.has('matchLabelKeys') && chance.happens(0.5) ? { matchLabelKeys: ['version'] } : {}),
    });
  }
  return constraints.length > 0
    ? {
        spread: constraints.map((given) =>
          given.whenUnsatisfiable === 'ScheduleAnyway' ? withoutMinDomains(given) : given,
        ),
      }
    : {};
}

/** The API server refuses minDomains on a soft constraint. */
function withoutMinDomains({ minDomains: _, ...rest }: TopologySpreadConstraint): TopologySpreadConstraint {
  return rest;
}

const SPREADS: readonly (readonly [Feature, string])[] = [
  ['zone spread', ZONE],
  ['host spread', 'kubernetes.io/hostname'],
  ['rack spread', 'rack'],
];
