/**
 * Deeds that hit a launch in the middle: each waits until there is a claim without a machine, and acts then. Apart from the
 * first table so that older seeds keep their stories.
 */
import { DEPLOYMENTS, POD_DISRUPTION_BUDGETS } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import type { TruthObject } from '../truth/kube-truth.ts';
import { type Deed, gently } from './deeds.ts';
import { aBudget, aClass, aPool } from './objects.ts';
import { nameOf, type Scene } from './step.ts';

export const LATER_DEEDS: readonly Omit<Deed, 'weight'>[] = [
  {
    name: 'pool edited in the middle of a launch',
    prepare(chance) {
      const edition = `${chance.between(5, 9)}`;
      return inTheMiddle(async ({ servers, tell }, claim) => {
        const name = poolOf(claim);
        tell(`${name} for ${nameOf(claim)}`);
        const patch = { spec: { template: { metadata: { labels: { edition } } } } };
        await gently(() => servers.admin.patch(NODE_POOLS, { name }, { type: 'merge', patch }));
      });
    },
  },
  {
    name: 'pool deleted in the middle of a launch',
    prepare(chance, { classes }) {
      const className = chance.one(classes);
      const afterMs = chance.between(500, 30_000);
      return inTheMiddle(async ({ servers, tell, atCalm }, claim) => {
        const name = poolOf(claim);
        tell(`${name} for ${nameOf(claim)}`);
        const pool = aPool(chance, name, className);
        const again = () => gently(() => servers.apply(NODE_POOLS, pool));
        await gently(() => servers.admin.delete(NODE_POOLS, { name }));
        servers.world.clock.after(afterMs, () => void again());
        atCalm(again);
      });
    },
  },
  {
    name: 'class edited in the middle of a launch',
    prepare: (chance) => {
      const osDiskSizeGB = chance.one([64, 256]);
      return inTheMiddle(async ({ servers, tell }, claim) => {
        const name = classOf(claim);
        tell(`${name} for ${nameOf(claim)}`);
        const patch = { spec: { osDiskSizeGB } };
        await gently(() => servers.admin.patch(AKS_NODE_CLASSES, { name }, { type: 'merge', patch }));
      });
    },
  },
  {
    name: 'class deleted in the middle of a launch',
    prepare: () =>
      inTheMiddle(async ({ servers, tell, atCalm }, claim) => {
        const name = classOf(claim);
        tell(`${name} for ${nameOf(claim)}`);
        await gently(() => servers.admin.delete(AKS_NODE_CLASSES, { name }));
        atCalm(() => gently(() => servers.apply(AKS_NODE_CLASSES, aClass(name))));
      }),
  },
  {
    name: 'claim deleted in the middle of its launch',
    prepare: () =>
      inTheMiddle(async ({ servers, tell }, claim) => {
        tell(nameOf(claim));
        await gently(() => servers.admin.delete(NODE_CLAIMS, { name: nameOf(claim) }));
      }),
  },
  {
    name: 'pods gone in the middle of a launch',
    prepare(chance, { workloads }) {
      const name = chance.one(workloads);
      return inTheMiddle(async ({ servers, tell }) => {
        tell(name);
        const patch = { spec: { replicas: 0 } };
        await gently(() =>
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
        gently(() =>
          servers.apply(POD_DISRUPTION_BUDGETS, aBudget(`all-${app}`, app, { minAvailable: '100%' })),
        );
    },
  },
];

// ---------------------------------------------------------------------------------------------------

const LOOK_EVERY_MS = 400;
const LOOKS = 300;

/** Looks again and again for a claim that has no machine yet; the deed is left undone when none comes. */
function inTheMiddle(
  act: (scene: Scene, claim: TruthObject) => Promise<void>,
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

function unlaunched({ truth }: Scene): TruthObject | undefined {
  return truth
    .list('claims')
    .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !status?.providerID)
    .sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1))[0];
}

function poolOf({ metadata }: TruthObject): string {
  return metadata.labels?.['karpenter.sh/nodepool'] ?? '';
}

function classOf({ spec }: TruthObject): string {
  return spec.nodeClassRef.name as string;
}
