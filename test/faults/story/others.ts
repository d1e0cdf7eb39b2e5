/**
 * What others do to the cluster: another provider of Karpenter has a NodePool, a NodeClaim and a node in it, and the
 * certificate authority of the API server is replaced, after which every process is restarted.
 */
import { NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { Chance } from '../../scheduling/chance.ts';
import { AUTHORITIES } from '../authorities.table.ts';
import type { CloudStory } from '../cloud-story.ts';
import { isKept } from '../kept-seeds.ts';
import type { Personality } from '../personality.ts';
import { OTHERS } from '../server-state/kube-state.ts';
import { ignoringErrors } from './actions.ts';
import type { Scene, Step } from './step.ts';

export function drawOthers(personality: Personality, seed: number, endMs: number): readonly Step[] {
  const chance = new Chance(seed ^ 0x07e5);
  const steps: Step[] = [];
  if (isKept(seed, personality.name)) return steps;
  if (chance.happens(0.2))
    steps.push({ atMs: chance.between(0, 20_000), name: 'another provider', run: bringOthers(personality) });
  if (chance.happens(0.12))
    steps.push({
      atMs: chance.between(30_000, endMs - 20_000),
      name: 'authority replaced',
      run: replaceAuthority,
    });
  return steps;
}

/** As the controller of another cloud would have left them. */
export function bringOthers({ story }: Personality): Step['run'] {
  return (scene) => bring(scene, story.others);
}

// ---------------------------------------------------------------------------------------------------

async function bring({ servers }: Scene, { nodeClassRef, providerID }: CloudStory['others']): Promise<void> {
  const labels = { 'karpenter.sh/registered': 'true', 'karpenter.sh/nodepool': OTHERS };
  const conditionsOf = (...types: string[]) => {
    const lastTransitionTime = new Date(servers.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
    return types.map((type) => ({ type, status: 'True', reason: type, message: '', lastTransitionTime }));
  };
  const create = (...args: Parameters<typeof servers.apply>) => ignoringErrors(() => servers.apply(...args));
  await create(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: OTHERS },
    spec: { template: { spec: { nodeClassRef, requirements: [], expireAfter: 'Never' } } },
  });
  // A pool without conditions would count as one that nobody manages.
  const ofPool = { status: { conditions: conditionsOf('NodeClassReady', 'ValidationSucceeded', 'Ready') } };
  await ignoringErrors(() =>
    servers.admin.patchStatus(NODE_POOLS, { name: OTHERS }, { type: 'merge', patch: ofPool }),
  );
  await create(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: OTHERS, labels, finalizers: ['karpenter.sh/termination'] },
    spec: { nodeClassRef, requirements: [], resources: { requests: { cpu: '1' } }, expireAfter: 'Never' },
  });
  const conditions = conditionsOf('Launched', 'Registered', 'Initialized', 'Consolidatable', 'Ready');
  const patch = { status: { providerID, nodeName: OTHERS, capacity: { cpu: '4' }, conditions } };
  await ignoringErrors(() =>
    servers.admin.patchStatus(NODE_CLAIMS, { name: OTHERS }, { type: 'merge', patch }),
  );
  // Tainted, so that the pods of this workload stay on nodes that the checkers know.
  const taints = [{ key: OTHERS, effect: 'NoSchedule' }] as const;
  await servers.playground.standins!.addNode({ name: OTHERS, labels, providerID, taints });
}

async function replaceAuthority({ servers, restart }: Scene): Promise<void> {
  servers.replaceAuthority(AUTHORITIES.second);
  restart();
}
