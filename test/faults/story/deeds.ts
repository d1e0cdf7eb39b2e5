/** What people, and the weather, do to a cluster while it runs. A table: one row per deed, drawn by its weight. */
import {
  DEPLOYMENTS,
  isApiError,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import type { Chance } from '../../scheduling/chance.ts';
import type { TruthObject } from '../truth/kube-truth.ts';
import { aBudget, aClass, aPod, aPool } from './objects.ts';
import { nameOf, pickStanding, type Scene } from './step.ts';

export interface Cast {
  readonly pools: readonly string[];
  readonly classes: readonly string[];
  readonly workloads: readonly string[];
}

export interface Deed {
  readonly name: string;
  readonly weight: number;
  /** What is drawn is drawn here, before the run. */
  prepare(chance: Chance, cast: Cast): (scene: Scene) => Promise<void>;
}

const FOREIGN = 'foreign';

export const DEEDS: readonly Deed[] = [
  {
    name: 'scale',
    weight: 6,
    prepare(chance, { workloads }) {
      const name = chance.one(workloads);
      const replicas = chance.one([0, 1, 2, 4, 6, 8]);
      return async ({ servers, tell }) => {
        tell(`${name} to ${replicas}`);
        await gently(() => patch(servers, DEPLOYMENTS, name, { spec: { replicas } }, 'default'));
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
    prepare(chance, { pools, classes }) {
      const name = chance.one(pools);
      const again = chance.happens(0.7) ? aPool(chance, name, chance.one(classes)) : undefined;
      const afterMs = chance.between(0, 40_000);
      return async ({ servers, tell, atCalm }) => {
        tell(name);
        await gently(() => servers.admin.delete(NODE_POOLS, { name }));
        if (again === undefined) return;
        const restore = () => gently(() => servers.apply(NODE_POOLS, again));
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
      return async ({ servers, tell }) => {
        tell(`${name} ${JSON.stringify(change)}`);
        await gently(() => patch(servers, NODE_POOLS, name, { spec: change }));
      };
    },
  },
  {
    name: 'edit class',
    weight: 2,
    prepare(chance, { classes }) {
      const name = chance.one(classes);
      const change = chance.one([
        { tags: { team: `t${chance.between(1, 3)}` } },
        { osDiskSizeGB: chance.one([128, 200]) },
      ]);
      return async ({ servers, tell }) => {
        tell(`${name} ${JSON.stringify(change)}`);
        await gently(() => patch(servers, AKS_NODE_CLASSES, name, { spec: change }));
      };
    },
  },
  {
    name: 'replace class',
    weight: 1,
    prepare(chance, { classes }) {
      const name = chance.one(classes);
      const afterMs = chance.between(1_000, 60_000);
      return async ({ servers, tell, atCalm }) => {
        tell(name);
        await gently(() => servers.admin.delete(AKS_NODE_CLASSES, { name }));
        const again = () => gently(() => servers.apply(AKS_NODE_CLASSES, aClass(name)));
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
          void gently(() => servers.apply(POD_DISRUPTION_BUDGETS, aBudget(name, app, { maxUnavailable: 0 })));
        });
        atCalm(() =>
          gently(() => servers.admin.delete(POD_DISRUPTION_BUDGETS, { namespace: 'default', name })),
        );
      };
    },
  },
  {
    name: 'do not disrupt in the middle of a drain',
    weight: 2,
    prepare: () => async (scene) => {
      const { servers, tell, atCalm } = scene;
      const pod = pickStanding(scene, 'pods', ({ spec }) => spec.nodeName !== undefined);
      if (pod === undefined) return;
      const { name, namespace } = { name: nameOf(pod), namespace: pod.metadata.namespace ?? '' };
      tell(`${name} on ${pod.spec.nodeName}`);
      const mark = (value: string | null) =>
        gently(() =>
          patch(
            servers,
            PODS,
            name,
            { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': value } } },
            namespace,
          ),
        );
      await gently(() => servers.admin.delete(NODES, { name: pod.spec.nodeName }));
      await mark('true');
      atCalm(() => mark(null));
    },
  },
  {
    name: 'machine deleted behind our back',
    weight: 2,
    prepare: () => async (scene) => {
      const { servers, chance, tell } = scene;
      const vms = [...servers.arm.resources.vms()].sort((one, other) => (one.name < other.name ? -1 : 1));
      if (vms.length === 0) return;
      const vm = chance.one(vms);
      tell(vm.name);
      await deleteMachine(servers, vm.id);
    },
  },
  {
    name: 'node flaps',
    weight: 3,
    prepare(chance) {
      const darkMs = chance.between(20_000, 150_000);
      return async (scene) => {
        const { servers, tell, atCalm } = scene;
        const node = pickStanding(scene, 'nodes');
        if (node === undefined) return;
        tell(`${nameOf(node)} for ${Math.round(darkMs / 1000)} s`);
        servers.playground.standins!.stopNode(nameOf(node));
        let dark = true;
        const resume = async () => {
          if (!dark) return;
          dark = false;
          const { resources } = servers.arm;
          if (isForeign(node) || resources.vms().some(({ name }) => name === nameOf(node)))
            await gently(() => servers.playground.standins!.resumeNode(nameOf(node)));
        };
        servers.world.clock.after(darkMs, () => void resume());
        // A silence is a fault, also one that nobody has noticed yet: it does not outlast the others.
        atCalm(resume);
      };
    },
  },
  {
    name: 'single pod',
    weight: 2,
    prepare(chance) {
      const object = aPod(chance, `single-${chance.between(1, 99)}`);
      return async ({ servers }) => gently(() => servers.apply(PODS, object));
    },
  },
  {
    name: 'finalizer torn off',
    weight: 1,
    prepare: () => async (scene) => {
      const { servers, tell } = scene;
      const claim = pickStanding(scene, 'claims');
      if (claim === undefined) return;
      const name = nameOf(claim);
      tell(name);
      await gently(() => patch(servers, NODE_CLAIMS, name, { metadata: { finalizers: null } }));
      await gently(() => servers.admin.delete(NODE_CLAIMS, { name }));
    },
  },
  {
    name: 'claim edited by hand',
    weight: 1,
    prepare: () => async (scene) => {
      const { servers, tell } = scene;
      const claim = pickStanding(scene, 'claims');
      if (claim === undefined) return;
      tell(nameOf(claim));
      const metadata = { labels: { edited: 'by-hand' }, annotations: { 'chandler.sh/journey': 'nonsense' } };
      await gently(() => patch(servers, NODE_CLAIMS, nameOf(claim), { metadata }));
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

/** Past us, as somebody with the portal would. Azure may lose it; that is no concern of the story. */
export async function deleteMachine({ arm }: Scene['servers'], id: string): Promise<void> {
  const headers = { authorization: `Bearer ${arm.token()}` };
  await arm
    .fetch(`${arm.url}${id}?api-version=2024-07-01`, { method: 'DELETE', headers })
    .catch(() => undefined);
}

/** A node that we have nothing to do with. */
export function isForeign({ metadata }: TruthObject): boolean {
  return metadata.labels?.['karpenter.sh/nodepool'] === undefined && metadata.name === FOREIGN;
}

/** What somebody asks for may be refused; that is no concern of the story. */
export async function gently(act: () => Promise<unknown>): Promise<void> {
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
  const found = pickStanding(scene, kind);
  if (found === undefined) return;
  scene.tell(nameOf(found));
  await gently(() => scene.servers.admin.delete(resource, { name: nameOf(found) }));
}
