/**
 * Actions that interrupt a launch: each waits until there is a claim without a VM, and acts then. They are
 * separate from the first table, so that older seeds keep their workloads.
 */
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS } from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import type { Action } from './action.ts';
import { ignoringErrors } from './actions.ts';
import { aBudget, aPool } from './objects.ts';
import { nameOf, type Scene } from './step.ts';

export const LATER_ACTIONS: readonly Omit<Action, 'weight'>[] = [
  {
    name: 'pool edited in the middle of a launch',
    prepare(chance) {
      const edition = `${chance.between(5, 9)}`;
      return inTheMiddle(async ({ servers, note }, claim) => {
        const name = poolOf(claim);
        note(`${name} for ${nameOf(claim)}`);
        const patch = { spec: { template: { metadata: { labels: { edition } } } } };
        await ignoringErrors(() => servers.admin.patch(NODE_POOLS, { name }, { type: 'merge', patch }));
      });
    },
  },
  {
    name: 'pool deleted in the middle of a launch',
    prepare(chance, { story, classes }) {
      const className = chance.one(classes);
      const afterMs = chance.between(500, 30_000);
      return inTheMiddle(async ({ servers, note, atCalm }, claim) => {
        const name = poolOf(claim);
        note(`${name} for ${nameOf(claim)}`);
        const pool = aPool(chance, story, name, className);
        const again = () => ignoringErrors(() => servers.apply(NODE_POOLS, pool));
        await ignoringErrors(() => servers.admin.delete(NODE_POOLS, { name }));
        servers.world.clock.after(afterMs, () => void again());
        atCalm(again);
      });
    },
  },
  {
    name: 'class edited in the middle of a launch',
    prepare: (chance, { nodeClasses, story }) => {
      const spec = story.changes.diskSize(chance.one([64, 256]));
      return inTheMiddle(async ({ servers, note }, claim) => {
        const name = classOf(claim);
        note(`${name} for ${nameOf(claim)}`);
        const patch = { spec };
        await ignoringErrors(() => servers.admin.patch(nodeClasses, { name }, { type: 'merge', patch }));
      });
    },
  },
  {
    name: 'class deleted in the middle of a launch',
    prepare: (_chance, { nodeClasses, story }) =>
      inTheMiddle(async ({ servers, note, atCalm }, claim) => {
        const name = classOf(claim);
        note(`${name} for ${nameOf(claim)}`);
        await ignoringErrors(() => servers.admin.delete(nodeClasses, { name }));
        atCalm(() => ignoringErrors(() => servers.apply(nodeClasses, story.nodeClass(name))));
      }),
  },
  {
    name: 'claim deleted in the middle of its launch',
    prepare: () =>
      inTheMiddle(async ({ servers, note }, claim) => {
        note(nameOf(claim));
        await ignoringErrors(() => servers.admin.delete(NODE_CLAIMS, { name: nameOf(claim) }));
      }),
  },
  {
    name: 'pods gone in the middle of a launch',
    prepare(chance, { workloads }) {
      const name = chance.one(workloads);
      return inTheMiddle(async ({ servers, note }) => {
        note(name);
        const patch = { spec: { replicas: 0 } };
        await ignoringErrors(() =>
          servers.admin.patch(DEPLOYMENTS, { name, namespace: 'default' }, { type: 'merge', patch }),
        );
      });
    },
  },
  {
    name: 'strict budget from the beginning',
    prepare(chance, { workloads }) {
      const app = chance.one(workloads);
      return async ({ servers }) =>
        ignoringErrors(() =>
          servers.apply(POD_DISRUPTION_BUDGETS, aBudget(`all-${app}`, app, { minAvailable: '100%' })),
        );
    },
  },
];

// ---------------------------------------------------------------------------------------------------

const LOOK_EVERY_MS = 400;
const LOOKS = 300;

/** Polls for a claim that has no VM yet; the action is skipped when there is none. */
function inTheMiddle(
  act: (scene: Scene, claim: ObservedObject) => Promise<void>,
): (scene: Scene) => Promise<void> {
  return async (scene) => {
    const { clock } = scene.servers.world;
    for (let look = 0; look < LOOKS; look++) {
      const claim = unlaunched(scene);
      if (claim !== undefined) return act(scene, claim);
      await clock.sleep(LOOK_EVERY_MS);
    }
  };
}

function unlaunched({ state }: Scene): ObservedObject | undefined {
  return state
    .list('claims')
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !status?.providerID)
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))[0];
}

function poolOf({ metadata }: ObservedObject): string {
  return metadata.labels?.['karpenter.sh/nodepool'] ?? '';
}

function classOf({ spec }: ObservedObject): string {
  return spec.nodeClassRef.name as string;
}
