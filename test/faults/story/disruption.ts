/**
 * What makes nodes disrupted: pools that consolidate, with budgets of all forms, and actions after which nodes are empty,
 * underused, drifted or too expensive; and what must keep a node, also at the moment when a command waits for its
 * validation. Seeds of the table of regressions have none of it, so that they keep their workloads.
 */
import { DEPLOYMENTS, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { NODE_OVERLAYS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { Chance } from '../../scheduling/chance.ts';
import { isKept } from '../kept-seeds.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Action, type Cast, weighted } from './action.ts';
import { ignoringErrors } from './actions.ts';
import { aBudget, aPod } from './objects.ts';
import { nameOf, pickActive, type Scene, type Step } from './step.ts';

export interface DisruptionStory {
  readonly steps: readonly Step[];
  /** Added to the time of the workload. */
  readonly longerMs: number;
  /** When the faults begin. */
  readonly faultsFromMs: number;
}

export function drawDisruption(seed: number, cast: Cast, endMs: number): DisruptionStory | undefined {
  const chance = new Chance(seed ^ 0xd15a);
  if (isKept(seed, cast.cloud) || !chance.happens(0.75)) return undefined;
  const longerMs = 60_000;
  const steps = [
    ...cast.pools.map((name) => poolSettings(chance, name)),
    ...cast.workloads.flatMap((name) => upAndDown(chance, name)),
  ];
  for (let left = chance.between(2, 6); left > 0; left--) {
    const action = weighted(chance, ACTIONS);
    const run = action.prepare(chance, cast);
    steps.push({ atMs: chance.between(FULL_MS, endMs + longerMs - 20_000), name: action.name, run });
  }
  // In half of the runs the nodes exist before the faults begin, so that the faults meet disruption.
  return { longerMs, steps, faultsFromMs: chance.happens(0.5) ? FULL_MS : 0 };
}

// ---------------------------------------------------------------------------------------------------

/** By then most pods run. */
const FULL_MS = 80_000;
const DO_NOT_DISRUPT = 'karpenter.sh/do-not-disrupt';

/** The pools exist by then. */
function poolSettings(chance: Chance, name: string): Step {
  const disruption = {
    consolidateAfter: chance.one(['0s', '0s', '0s', '0s', '10s', '30s', 'Never']),
    consolidationPolicy: chance.one([
      'WhenEmptyOrUnderutilized',
      'WhenEmptyOrUnderutilized',
      'WhenEmptyOrUnderutilized',
      'WhenEmpty',
      'Balanced',
    ]),
    budgets: someBudgets(chance),
  };
  return {
    atMs: 26_000 + chance.between(0, 10_000),
    name: `disruption of pool ${name}`,
    run: (scene) => editPool(scene, name, { disruption }),
  };
}

/** More pods than later, so that nodes become empty or underused. */
function upAndDown(chance: Chance, name: string): readonly Step[] {
  if (!chance.happens(0.6)) return [];
  const [high, low] = [chance.between(4, 9), chance.between(0, 2)];
  return [
    { atMs: 26_000, name: 'scale up', run: (scene) => scale(scene, name, high) },
    {
      atMs: FULL_MS + chance.between(0, 60_000),
      name: 'scale down',
      run: (scene) => scale(scene, name, low),
    },
  ];
}

/** The run begins at eight o'clock. */
function someBudgets(chance: Chance): readonly object[] {
  return chance.one<readonly object[]>([
    [{ nodes: '100%' }],
    [{ nodes: '1' }],
    [{ nodes: '10%' }],
    [{ nodes: '34%' }],
    [{ nodes: '50%' }, { nodes: '2' }],
    [{ nodes: '100%' }, { nodes: '1', reasons: ['Drifted'] }],
    [{ nodes: '60%' }, { nodes: '0', reasons: ['Empty'] }],
    [{ nodes: '2' }, { nodes: '0', schedule: '*/4 * * * *', duration: '2m' }],
    [{ nodes: '0', schedule: '0 8 * * *', duration: `${chance.between(2, 5)}m` }],
    [
      { nodes: '100%' },
      { nodes: '1', schedule: '2 8 * * *', duration: '4m', reasons: ['Underutilized', 'Empty'] },
    ],
  ]);
}

const ACTIONS: readonly Action[] = [
  {
    name: 'scale down',
    weight: 4,
    prepare(chance, { workloads }) {
      const [name, replicas] = [chance.one(workloads), chance.between(0, 1)];
      return (scene) => scale(scene, name, replicas);
    },
  },
  {
    name: 'template changed',
    weight: 4,
    prepare(chance, { pools }) {
      const name = chance.one(pools);
      const labels = { edition: `${chance.between(10, 99)}` };
      return (scene) => editPool(scene, name, { template: { metadata: { labels } } });
    },
  },
  {
    name: 'disk size changed',
    weight: 2,
    prepare(chance, { nodeClasses, story, classes }) {
      const [name, gib] = [chance.one(classes), chance.between(130, 190)];
      return async ({ servers, note }) => {
        note(`${name} ${gib}`);
        const patch = { spec: story.changes.diskSize(gib) };
        await ignoringErrors(() => servers.admin.patch(nodeClasses, { name }, { type: 'merge', patch }));
      };
    },
  },
  {
    name: 'image published',
    weight: 1,
    prepare:
      () =>
      async ({ servers, note }) =>
        note(servers.cloud.publishImage()),
  },
  {
    name: 'list price moved',
    weight: 2,
    prepare(chance, { story }) {
      const [type, price] = [chance.one(story.types), chance.between(2, 60) / 100];
      return async ({ servers, note }) => {
        note(`${type} ${price}`);
        servers.cloud.prices.set(type, price);
      };
    },
  },
  {
    name: 'price overlaid',
    weight: 4,
    prepare(chance, { story }) {
      const [type, price] = [chance.one(story.types), chance.between(2, 60) / 100];
      return (scene) => overlayPrice(scene, type, price);
    },
  },
  {
    name: 'budgets edited',
    weight: 3,
    prepare(chance, { pools }) {
      const [name, budgets] = [chance.one(pools), someBudgets(chance)];
      return (scene) => editPool(scene, name, { disruption: { budgets } });
    },
  },
  {
    name: 'pod protected before a disruption',
    weight: 3,
    prepare(chance) {
      const value = chance.one(['true', '30s', '90s']);
      return onSettledNode(chance, async (scene, node) => {
        const pod = pickActive(scene, 'pods', ({ spec }) => spec.nodeName === nameOf(node));
        if (pod === undefined) return;
        scene.note(`${nameOf(pod)} ${value}`);
        const key = { name: nameOf(pod), namespace: pod.metadata.namespace ?? '' };
        const mark = (text: string | null) =>
          ignoringErrors(() => scene.servers.admin.patch(PODS, key, annotation(text)));
        await mark(value);
        scene.atCalm(() => mark(null));
      });
    },
  },
  {
    name: 'node protected before a disruption',
    weight: 2,
    prepare: (chance) =>
      onSettledNode(chance, async (scene, node) => {
        scene.note(nameOf(node));
        const mark = (text: string | null) =>
          ignoringErrors(() => scene.servers.admin.patch(NODES, { name: nameOf(node) }, annotation(text)));
        await mark('true');
        scene.atCalm(() => mark(null));
      }),
  },
  {
    name: 'pod created before a disruption',
    weight: 3,
    prepare(chance) {
      const object = aPod(chance, `late-${chance.between(1, 99)}`);
      return onSettledNode(chance, async ({ servers }) => ignoringErrors(() => servers.apply(PODS, object)));
    },
  },
  {
    name: 'budget created before a disruption',
    weight: 2,
    prepare(chance, { workloads }) {
      const app = chance.one(workloads);
      return onSettledNode(chance, async ({ servers }) =>
        ignoringErrors(() =>
          servers.apply(POD_DISRUPTION_BUDGETS, aBudget(`late-${app}`, app, { maxUnavailable: 0 })),
        ),
      );
    },
  },
];

async function scale({ servers, note }: Scene, name: string, replicas: number): Promise<void> {
  note(`${name} to ${replicas}`);
  const patch = { spec: { replicas } };
  const key = { name, namespace: 'default' };
  await ignoringErrors(() => servers.admin.patch(DEPLOYMENTS, key, { type: 'merge', patch }));
}

async function editPool({ servers, note }: Scene, name: string, spec: object): Promise<void> {
  note(`${name} ${JSON.stringify(spec)}`);
  await ignoringErrors(() => servers.admin.patch(NODE_POOLS, { name }, { type: 'merge', patch: { spec } }));
}

/** One overlay for each type, so that none contradicts another. */
async function overlayPrice({ servers, note }: Scene, type: string, price: number): Promise<void> {
  note(`${type} ${price}`);
  const name = type.toLowerCase().replaceAll(/[_.]/g, '-');
  const spec = {
    requirements: [{ key: 'node.kubernetes.io/instance-type', operator: 'In', values: [type] }],
    price: `${price}`,
  };
  const overlay = { apiVersion: 'karpenter.sh/v1alpha1', kind: 'NodeOverlay', metadata: { name }, spec };
  await ignoringErrors(() => servers.apply(NODE_OVERLAYS, overlay));
  await ignoringErrors(() =>
    servers.admin.patch(NODE_OVERLAYS, { name }, { type: 'merge', patch: { spec } }),
  );
}

function annotation(text: string | null): { readonly type: 'merge'; readonly patch: object } {
  return { type: 'merge', patch: { metadata: { annotations: { [DO_NOT_DISRUPT]: text } } } };
}

const LOOK_EVERY_MS = 1_000;
const LOOKS = 120;

/** Acts while a command for the node may wait for its validation: some seconds after the node may be consolidated. */
function onSettledNode(
  chance: Chance,
  act: (scene: Scene, node: ObservedObject) => Promise<void>,
): (scene: Scene) => Promise<void> {
  const delayMs = chance.between(500, 24_000);
  return async (scene) => {
    const { clock } = scene.servers.world;
    for (let look = 0; look < LOOKS; look++) {
      const claim = pickActive(scene, 'claims', isSettled);
      const node = claim === undefined ? undefined : scene.state.get('nodes', claim.status.nodeName);
      if (node !== undefined) {
        await clock.sleep(delayMs);
        return act(scene, node);
      }
      await clock.sleep(LOOK_EVERY_MS);
    }
  };
}

function isSettled({ status }: ObservedObject): boolean {
  return (status?.conditions ?? []).some(
    (condition: { type: string; status: string }) =>
      condition.type === 'Consolidatable' && condition.status === 'True',
  );
}
