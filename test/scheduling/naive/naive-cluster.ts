/** Small clusters from a seed, with the features that the naive first fit supports. */
import type { Pod, SchedulingInput } from '../../../packages/chandler/src/scheduling/index.ts';
import { aNode, aPod, aPool, aType, type PodOptions } from '../builders.ts';
import { Chance } from '../chance.ts';

export function naiveCluster(seed: number): SchedulingInput {
  const chance = new Chance(seed);
  const spreads = chance.happens(0.7);
  const types = Array.from({ length: chance.between(1, 4) }, (_, at) =>
    aType({
      name: `type-${at}`,
      cpu: chance.one([2, 4, 8]),
      memory: chance.one(['4Gi', '8Gi', '16Gi']),
      pods: chance.one([3, 8, 110]),
      arch: chance.happens(0.3) ? 'arm64' : 'amd64',
      zones: chance.happens(0.3) ? chance.some(ZONES) : ZONES,
    }),
  );
  const pools = Array.from({ length: chance.between(1, 3) }, (_, at) =>
    aPool({
      name: `pool-${at}`,
      types: chance.some(types),
      ...(chance.happens(0.5) ? { weight: chance.between(1, 3) } : {}),
      ...(chance.happens(0.3) ? { labels: { team: chance.one(TEAMS) } } : {}),
      ...(chance.happens(0.2) ? { taints: ['own:NoSchedule'] } : {}),
      ...(chance.happens(0.2) ? { requirements: [`zone In ${chance.some(ZONES).join()}`] } : {}),
    }),
  );
  const nodes = Array.from({ length: chance.between(0, 3) }, (_, at) =>
    aNode({
      name: `node-${at}`,
      cpu: chance.one([1, 2, 4]),
      zone: chance.one(ZONES),
      ...(chance.happens(0.3) ? { labels: { team: chance.one(TEAMS) } } : {}),
      ...(chance.happens(0.2) ? { taints: ['own:NoSchedule'] } : {}),
    }),
  );
  const boundPods = nodes.flatMap(({ name }, at) =>
    chance.happens(0.6)
      ? [aPod({ ...given(chance, false), name: `bound-${at}`, cpu: '500m', on: name })]
      : [],
  );
  const kinds = Array.from({ length: chance.between(1, 4) }, () => given(chance, spreads));
  const pods: Pod[] = kinds.flatMap((kind, at) =>
    Array.from({ length: chance.between(1, 5) }, (_, index) => aPod({ ...kind, name: `p${at}-${index}` })),
  );
  return { pools, nodes, boundPods, pods: chance.shuffled(pods), options: { improveEffort: 0 } };
}

// ---------------------------------------------------------------------------------------------------

const ZONES = ['zone-1', 'zone-2', 'zone-3'];
const TEAMS = ['red', 'blue'];
const APPS = ['web', 'db'];

function given(chance: Chance, spreads: boolean): PodOptions {
  const app = chance.one(APPS);
  const about = chance.happens(0.8) ? app : chance.one(APPS);
  const spread = [
    ...(spreads && chance.happens(0.5) ? [`${chance.between(1, 2)} zone app=${about}`] : []),
    ...(spreads && chance.happens(0.2) ? [`${chance.between(1, 2)} host app=${about}`] : []),
  ];
  return {
    labels: { app },
    cpu: chance.one(['250m', '500m', '1', '1500m', '3']),
    memory: chance.one(['256Mi', '1Gi', '3Gi']),
    ...(spread.length > 0 ? { spread } : {}),
    ...(chance.happens(0.25) ? { antiAffinity: [`host app=${about}`] } : {}),
    ...(chance.happens(0.2) ? { nodeSelector: { arch: chance.one(['amd64', 'arm64']) } } : {}),
    ...(chance.happens(0.2) ? { require: [condition(chance)] } : {}),
    ...(chance.happens(0.2) ? { tolerate: ['own'] } : {}),
  };
}

function condition(chance: Chance): string {
  return chance.one([
    `zone In ${chance.some(ZONES).join()}`,
    `zone NotIn ${chance.one(ZONES)}`,
    `team In ${chance.one(TEAMS)}`,
    `team NotIn ${chance.one(TEAMS)}`,
    'team Exists',
    'team DoesNotExist',
    'type Exists',
  ]);
}
