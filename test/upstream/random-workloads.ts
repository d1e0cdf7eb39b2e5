/** The pods of a random cluster: Deployments of equal pods with the constraints that the features of the cluster allow. */
import type {
  ExistingNode,
  Pod,
  TopologySpreadConstraint,
  VolumeFacts,
} from '../../packages/chandler/src/scheduling/index.ts';
import { aPod, type PodOptions } from '../scheduling/builders.ts';
import { HOST, ZONE } from '../scheduling/shorthand.ts';
import { DRIVER, FAMILY, type Feature, GENERATION, GPU, type Setting } from './features.ts';

const APPS = ['web', 'api', 'db', 'job'] as const;
const MIN_PODS = 5;
const MAX_PODS = 40;

export function randomPods(setting: Setting, volumes: VolumeFacts | undefined): Pod[] {
  const { chance } = setting;
  const wanted = chance.between(MIN_PODS, MAX_PODS);
  const free = chance.shuffled((volumes?.claims ?? []).map(({ metadata }) => metadata.name!));
  const pods: Pod[] = [];
  for (let workload = 1; pods.length < wanted; workload += 1) {
    const given = randomWorkload(setting);
    const withVolumes = volumes !== undefined && chance.happens(0.4);
    const size = Math.min(chance.between(1, 10), wanted - pods.length);
    for (let at = 1; at <= size; at += 1) {
      const own = withVolumes ? free.splice(0, chance.between(1, 2)) : [];
      pods.push(
        aPod({
          ...given,
          name: `w${workload}-${at}`,
          created: `2025-01-01T00:${String(chance.between(0, 59)).padStart(2, '0')}:00Z`,
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
  return Array.from({ length: chance.between(1, 12) }, (_, at) =>
    aPod({
      name: `old-${at + 1}`,
      namespace: namespaceFor(setting),
      on: chance.one(nodes).name,
      cpu: `${chance.between(1, 4) * 50}m`,
      memory: '128Mi',
      labels: { app: chance.one(APPS), version: chance.one(['1', '2']) },
      phase: 'Running',
      ...(has('host anti-affinity') && chance.happens(0.3)
        ? { antiAffinity: [`host app=${chance.one(APPS)}`] }
        : {}),
      ...(has('zone anti-affinity') && chance.happens(0.2)
        ? { antiAffinity: [`zone app=${chance.one(APPS)}`] }
        : {}),
      ...(has('ports') && chance.happens(0.3) ? { ports: [8080] } : {}),
    }),
  );
}

/** Claims that are bound in a zone, and claims whose volume is created where the pod runs. */
export function randomVolumes({ chance, has, zones }: Setting, nodes: readonly ExistingNode[]): VolumeFacts {
  const names = Array.from({ length: chance.between(3, 16) }, (_, at) => `claim-${at + 1}`);
  const bound = new Set(names.filter(() => chance.happens(0.5)));
  return {
    classes: [
      { metadata: { name: 'anywhere' }, provisioner: DRIVER, volumeBindingMode: 'WaitForFirstConsumer' },
      {
        metadata: { name: 'zonal' },
        provisioner: DRIVER,
        volumeBindingMode: 'WaitForFirstConsumer',
        allowedTopologies: chance
          .some(zones)
          .map((zone) => ({ matchLabelExpressions: [{ key: ZONE, values: [zone] }] })),
      },
    ],
    claims: names.map((name) => ({
      metadata: {
        name,
        namespace: 'default',
        ...(bound.has(name) ? { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } } : {}),
      },
      spec: {
        storageClassName: chance.one(['anywhere', 'zonal']),
        ...(bound.has(name) ? { volumeName: `pv-${name}` } : {}),
      },
    })),
    volumes: [...bound].map((name) => ({
      metadata: { name: `pv-${name}` },
      spec: {
        csi: { driver: DRIVER, volumeHandle: `handle-${name}` },
        nodeAffinity: {
          required: {
            nodeSelectorTerms: (chance.happens(0.8) ? [chance.one(zones)] : chance.some(zones)).map(
              (zone) => ({
                matchExpressions: [{ key: ZONE, operator: 'In', values: [zone] }],
              }),
            ),
          },
        },
      },
    })),
    ...(has('volume limits')
      ? {
          csiNodes: nodes.map(({ name }) => ({
            metadata: { name },
            spec: { drivers: [{ name: DRIVER, nodeID: name, allocatable: { count: chance.between(0, 3) } }] },
          })),
        }
      : {}),
  };
}

// ---------------------------------------------------------------------------------------------------

function namespaceFor({ chance, has }: Setting): string {
  return has('namespaces') && chance.happens(0.4) ? 'other' : 'default';
}

function randomWorkload(setting: Setting): PodOptions {
  const { chance, has } = setting;
  const app = chance.one(APPS);
  const large = has('large pods') && chance.happens(0.4);
  const impossible = has('impossible pods') && chance.happens(0.2);
  return {
    namespace: namespaceFor(setting),
    cpu: impossible ? 500 : `${large ? chance.between(10, 60) * 100 : chance.between(1, 16) * 100}m`,
    memory: `${large ? chance.between(8, 96) * 256 : chance.between(1, 24) * 128}Mi`,
    labels: { app, version: chance.one(['1', '2']) },
    ...(has('gpu') && chance.happens(0.3) ? { requests: { [GPU]: 1 } } : {}),
    ...(has('taints') && chance.happens(0.5)
      ? { tolerate: chance.one([['team=red'], ['dedicated'], ['*'], ['team', 'dedicated:NoExecute']]) }
      : {}),
    ...(has('ports') && chance.happens(0.3)
      ? { ports: [chance.one(['8080', '8080/UDP', '10.0.0.1:8080', '9000'])] }
      : {}),
    ...nodeRules(setting),
    ...podRules(setting, app),
    ...spreadRules(setting, app),
  };
}

function nodeRules(setting: Setting): PodOptions {
  const { chance, has, zones } = setting;
  return {
    ...(has('node selectors') && chance.happens(0.35)
      ? { nodeSelector: chance.one(selectors(setting)) }
      : {}),
    ...(has('node affinity') && chance.happens(0.4)
      ? { require: has('or terms') ? [randomTerm(setting), randomTerm(setting)] : randomTerm(setting) }
      : {}),
    ...(has('preferences') && chance.happens(0.4)
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
    { [FAMILY]: chance.one(['c', 'm', 'r']) },
    { pool: 'pool-1' },
    ...(has('arm') ? [{ arch: chance.one(['amd64', 'arm64']) }] : []),
    ...(has('spot') ? [{ capacity: chance.one(['spot', 'on-demand']) }] : []),
    ...(has('pool labels') ? [{ team: chance.one(['red', 'blue']) }] : []),
    ...(has('racks') ? [{ rack: chance.one(['r1', 'r2']) }] : []),
  ];
}

function randomTerm({ chance, has, zones }: Setting): string[] {
  const possible = [
    `zone In ${chance.some(zones).join()}`,
    `zone NotIn ${chance.one(zones)}`,
    `${GENERATION} ${chance.one(['Gt', 'Lt'])} 4`,
    `${FAMILY} ${chance.one(['In', 'NotIn'])} ${chance.one(['c', 'm', 'r'])}`,
    'unknown DoesNotExist',
    ...(has('arm') ? [`arch ${chance.one(['In', 'NotIn'])} arm64`] : []),
    ...(has('racks') ? [`rack ${chance.one(['In', 'NotIn'])} r1,r2`] : []),
    ...(has('pool labels') ? ['team NotIn blue', 'team Exists'] : []),
    ...(has('spot') ? ['capacity NotIn spot'] : []),
  ];
  return chance.shuffled(possible).slice(0, chance.between(1, 2));
}

function podRules(setting: Setting, app: string): PodOptions {
  const { chance, has } = setting;
  const term = (key: string, of: string) =>
    `${key} app=${of}${has('namespaces') && chance.happens(0.3) ? ` in ${chance.one(['other', 'default,other', '*'])}` : ''}`;
  const away: string[] = [];
  if (has('host anti-affinity') && chance.happens(0.4))
    away.push(term('host', chance.happens(0.7) ? app : chance.one(APPS)));
  if (has('zone anti-affinity') && chance.happens(0.3)) away.push(term('zone', chance.one(APPS)));
  const near: string[] = [];
  if (has('zone affinity') && chance.happens(0.4))
    near.push(term('zone', chance.happens(0.6) ? app : chance.one(APPS)));
  if (has('host affinity') && chance.happens(0.4))
    near.push(term('host', chance.happens(0.6) ? app : chance.one(APPS)));
  return {
    ...(away.length > 0 ? { antiAffinity: away } : {}),
    ...(near.length > 0 ? { affinity: near } : {}),
    ...(has('soft affinity') && chance.happens(0.5)
      ? {
          preferAffinity: [{ weight: 5, term: term('zone', chance.one(APPS)) }],
          preferAntiAffinity: [{ weight: 7, term: term('host', app) }],
        }
      : {}),
  };
}

const SPREADS: readonly (readonly [Feature, string])[] = [
  ['zone spread', ZONE],
  ['host spread', HOST],
  ['rack spread', 'rack'],
];

function spreadRules(setting: Setting, app: string): PodOptions {
  const { chance, has } = setting;
  const spread: TopologySpreadConstraint[] = [];
  for (const [feature, topologyKey] of SPREADS) {
    if (!has(feature) || (feature === 'rack spread' && !has('racks')) || !chance.happens(0.5)) continue;
    const soft = has('soft spread') && chance.happens(0.5);
    spread.push({
      maxSkew: chance.one([1, 1, 2]),
      topologyKey,
      whenUnsatisfiable: soft ? 'ScheduleAnyway' : 'DoNotSchedule',
      labelSelector: { matchLabels: { app: chance.happens(0.1) ? chance.one(APPS) : app } },
      // The API server rejects minDomains on a soft constraint.
      ...(has('minDomains') && !soft && chance.happens(0.5) ? { minDomains: chance.between(2, 3) } : {}),
      ...(has('policies') && chance.happens(0.5)
        ? { nodeAffinityPolicy: chance.one(['Honor', 'Ignore']) }
        : {}),
      ...(has('policies') && chance.happens(0.5)
        ? { nodeTaintsPolicy: chance.one(['Honor', 'Ignore']) }
        : {}),
      ...(has('matchLabelKeys') && chance.happens(0.5) ? { matchLabelKeys: ['version'] } : {}),
    });
  }
  return spread.length > 0 ? { spread } : {};
}
