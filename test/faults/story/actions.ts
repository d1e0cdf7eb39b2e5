/** The actions of users and of the environment on a running cluster. One row per action, drawn by weight. */
import {
  DEPLOYMENTS,
  isApiError,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { INSTANCE } from '../server-state/cloud-state.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import type { Action } from './action.ts';
import { aBudget, aPod, aPool } from './objects.ts';
import { nameOf, pickActive, type Scene } from './step.ts';

const FOREIGN = 'foreign';

export const ACTIONS: readonly Action[] = [
  {
    name: 'scale',
    weight: 6,
    prepare(chance, { workloads }) {
      const name = chance.one(workloads);
      const replicas = chance.one([0, 1, 2, 4, 6, 8]);
      return async ({ servers, note }) => {
        note(`${name} to ${replicas}`);
        await ignoringErrors(() => patch(servers, DEPLOYMENTS, name, { spec: { replicas } }, 'default'));
      };
    },
  },
  {
    name: 'delete claim',
    weight: 4,
    prepare: () => (scene) => remove(scene, NODE_CLAIMS, 'claims'),
  },
  {
    name: 'delete node',
    weight: 4,
    prepare: () => (scene) => remove(scene, NODES, 'nodes'),
  },
  {
    name: 'delete pool',
    weight: 1,
    prepare(chance, { story, pools, classes }) {
      const name = chance.one(pools);
      const again = chance.happens(0.7) ? aPool(chance, story, name, chance.one(classes)) : undefined;
      const afterMs = chance.between(0, 40_000);
      return async ({ servers, note, atCalm }) => {
        note(name);
        await ignoringErrors(() => servers.admin.delete(NODE_POOLS, { name }));
        if (again === undefined) return;
        const restore = () => ignoringErrors(() => servers.apply(NODE_POOLS, again));
        servers.world.clock.after(afterMs, () => void restore());
        atCalm(restore);
      };
    },
  },
  {
    name: 'edit pool',
    weight: 3,
    prepare(chance, { pools }) {
      const name = chance.one(pools);
      const change = chance.one([
        { template: { metadata: { labels: { edition: `${chance.between(2, 4)}` } } } },
        { limits: { cpu: `${chance.one([4, 8, 32])}` } },
        { weight: chance.between(1, 90) },
      ]);
      return async ({ servers, note }) => {
        note(`${name} ${JSON.stringify(change)}`);
        await ignoringErrors(() => patch(servers, NODE_POOLS, name, { spec: change }));
      };
    },
  },
  {
    name: 'edit class',
    weight: 2,
    prepare(chance, { nodeClasses, story, classes }) {
      const name = chance.one(classes);
      const change = chance.one([
        story.changes.tags({ team: `t${chance.between(1, 3)}` }),
        story.changes.diskSize(chance.one([128, 200])),
      ]);
      return async ({ servers, note }) => {
        note(`${name} ${JSON.stringify(change)}`);
        await ignoringErrors(() => patch(servers, nodeClasses, name, { spec: change }));
      };
    },
  },
  {
    name: 'replace class',
    weight: 1,
    prepare(chance, { nodeClasses, story, classes }) {
      const name = chance.one(classes);
      const afterMs = chance.between(1_000, 60_000);
      return async ({ servers, note, atCalm }) => {
        note(name);
        await ignoringErrors(() => servers.admin.delete(nodeClasses, { name }));
        const again = () => ignoringErrors(() => servers.apply(nodeClasses, story.nodeClass(name)));
        servers.world.clock.after(afterMs, () => void again());
        atCalm(again);
      };
    },
  },
  {
    name: 'budget in the middle of a drain',
    weight: 3,
    prepare(chance, { workloads }) {
      const app = chance.one(workloads);
      const afterMs = chance.between(0, 4_000);
      return async (scene) => {
        const { servers, atCalm } = scene;
        await remove(scene, NODES, 'nodes');
        const name = `stop-${app}`;
        servers.world.clock.after(afterMs, () => {
          void ignoringErrors(() =>
            servers.apply(POD_DISRUPTION_BUDGETS, aBudget(name, app, { maxUnavailable: 0 })),
          );
        });
        atCalm(() =>
          ignoringErrors(() => servers.admin.delete(POD_DISRUPTION_BUDGETS, { namespace: 'default', name })),
        );
      };
    },
  },
  {
    name: 'do not disrupt in the middle of a drain',
    weight: 2,
    prepare: () => async (scene) => {
      const { servers, note, atCalm } = scene;
      const pod = pickActive(scene, 'pods', ({ spec }) => spec.nodeName !== undefined);
      if (pod === undefined) return;
      const { name, namespace } = { name: nameOf(pod), namespace: pod.metadata.namespace ?? '' };
      note(`${name} on ${pod.spec.nodeName}`);
      const mark = (value: string | null) =>
        ignoringErrors(() =>
          patch(
            servers,
            PODS,
            name,
            { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } },
            namespace,
          ),
        );
      await ignoringErrors(() => servers.admin.delete(NODES, { name: pod.spec.nodeName }));
      await mark('true');
      atCalm(() => mark(null));
    },
  },
  {
    name: 'machine deleted behind our back',
    weight: 2,
    prepare: () => async (scene) => {
      const { servers, cloud, chance, note } = scene;
      const vms = cloud
        .list()
        .filter(({ part }) => part === INSTANCE)
        .sort((one, other) => (one.name < other.name ? -1 : 1));
      if (vms.length === 0) return;
      const vm = chance.one(vms);
      note(vm.name);
      await servers.cloud.deleteInstance(vm);
    },
  },
  {
    name: 'node flaps',
    weight: 3,
    prepare(chance) {
      const darkMs = chance.between(20_000, 150_000);
      return async (scene) => {
        const { servers, cloud, note, atCalm } = scene;
        const node = pickActive(scene, 'nodes');
        if (node === undefined) return;
        note(`${nameOf(node)} for ${Math.round(darkMs / 1000)} s`);
        servers.playground.standins!.stopNode(nameOf(node));
        let dark = true;
        const resume = async () => {
          if (!dark) return;
          dark = false;
          if (isForeign(node) || cloud.nodeNames().has(nameOf(node)))
            await ignoringErrors(() => servers.playground.standins!.resumeNode(nameOf(node)));
        };
        servers.world.clock.after(darkMs, () => void resume());
        // A stopped heartbeat is a fault, even when it has not been noticed: it ends with the other faults.
        atCalm(resume);
      };
    },
  },
  {
    name: 'single pod',
    weight: 2,
    prepare(chance) {
      const object = aPod(chance, `single-${chance.between(1, 99)}`);
      return async ({ servers }) => ignoringErrors(() => servers.apply(PODS, object));
    },
  },
  {
    name: 'finalizer torn off',
    weight: 1,
    prepare: () => async (scene) => {
      const { servers, note } = scene;
      const claim = pickActive(scene, 'claims');
      if (claim === undefined) return;
      const name = nameOf(claim);
      note(name);
      await ignoringErrors(() => patch(servers, NODE_CLAIMS, name, { metadata: { finalizers: null } }));
      await ignoringErrors(() => servers.admin.delete(NODE_CLAIMS, { name }));
    },
  },
  {
    name: 'claim edited by hand',
    weight: 1,
    prepare: () => async (scene) => {
      const { servers, note } = scene;
      const claim = pickActive(scene, 'claims');
      if (claim === undefined) return;
      note(nameOf(claim));
      const metadata = { labels: { edited: 'by-hand' }, annotations: { 'chandler.sh/journey': 'nonsense' } };
      await ignoringErrors(() => patch(servers, NODE_CLAIMS, nameOf(claim), { metadata }));
    },
  },
  {
    name: 'foreign node joins',
    weight: 1,
    prepare(chance) {
      const cpu = chance.one([2, 8]);
      return async ({ servers }) => {
        await servers.playground.standins!.addNode({ name: FOREIGN, cpu, memory: '16Gi' });
      };
    },
  },
  {
    name: 'history forgotten',
    weight: 2,
    prepare:
      () =>
      async ({ servers }) =>
        servers.playground.server.compact(),
  },
];

/** A node that Chandler does not manage. */
export function isForeign({ metadata }: ObservedObject): boolean {
  return metadata.labels?.['karpenter.sh/nodepool'] === undefined && metadata.name === FOREIGN;
}

/** An action may be rejected; the run continues. */
export async function ignoringErrors(act: () => Promise<unknown>): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!isApiError(error)) throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

function patch(
  { admin }: Scene['servers'],
  resource: ResourceRef,
  name: string,
  body: object,
  namespace?: string,
): Promise<unknown> {
  const key = namespace === undefined ? { name } : { name, namespace };
  return admin.patch(resource, key, { type: 'merge', patch: body });
}

async function remove(scene: Scene, resource: ResourceRef, kind: 'claims' | 'nodes'): Promise<void> {
  const found = pickActive(scene, kind);
  if (found === undefined) return;
  scene.note(nameOf(found));
  await ignoringErrors(() => scene.servers.admin.delete(resource, { name: nameOf(found) }));
}
