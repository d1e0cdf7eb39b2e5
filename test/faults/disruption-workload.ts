/**
 * Situations in which a mistake of disruption is visible, one NodePool each. A deliberate bug names those that it
 * needs. Without a bug they have no violations.
 */
import { DEPLOYMENTS, NODES, POD_DISRUPTION_BUDGETS, PODS } from '@chandler/kube';
import { NODE_CLAIMS, NODE_OVERLAYS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { CloudStory } from './cloud-story.ts';
import type { Personality } from './personality.ts';
import type { ObservedObject } from './server-state/kube-state.ts';
import { ignoringErrors } from './story/actions.ts';
import { aBudget } from './story/objects.ts';
import { nameOf, type Scene, type Step } from './story/step.ts';

export type Situation = keyof typeof SITUATIONS;

/** When nodes become empty or drifted. */
export const TURN_MS = 60_000;

export function disruptionSteps(
  { nodeClasses, story }: Personality,
  names: readonly Situation[],
): readonly Step[] {
  const all = names.flatMap((name) => {
    const { pool = {}, types, deployment, steps } = SITUATIONS[name] as SituationRow;
    const requirements =
      types === undefined ? [] : [{ key: TYPE, operator: 'In', values: story.pairs[types] }];
    return [
      at(200, (scene) => create(scene, NODE_POOLS, poolOf(story, name, pool, requirements))),
      at(300, (scene) => create(scene, DEPLOYMENTS, deploymentOf(name, deployment))),
      ...steps(name, story),
    ];
  });
  return [at(100, (scene) => create(scene, nodeClasses, story.nodeClass('one'))), ...all];
}

// ---------------------------------------------------------------------------------------------------

interface SituationRow {
  /** Of `spec.disruption`. */
  readonly pool?: object;
  /** Only these instance types. */
  readonly types?: keyof CloudStory['pairs'];
  readonly deployment: {
    readonly replicas: number;
    readonly cpu: string;
    readonly annotations?: object;
    readonly strategy?: object;
  };
  steps(name: string, story: CloudStory): readonly Step[];
}

const TYPE = 'node.kubernetes.io/instance-type';
const ONE_POD = { replicas: 1, cpu: '1' };

const SURGES = { 'chandler.sh/disruption-surge': 'true' };

const SITUATIONS = {
  /** Three nodes become empty at once; the budget allows two of them. */
  share: {
    pool: { budgets: [{ nodes: '34%' }] },
    deployment: { replicas: 3, cpu: '3' },
    steps: (name) => [at(TURN_MS, (scene) => scaleToZero(scene, name))],
  },
  /** A tenth of one node is one node. */
  tenth: {
    pool: { budgets: [{ nodes: '10%' }] },
    deployment: ONE_POD,
    steps: (name) => [at(TURN_MS, (scene) => scaleToZero(scene, name))],
  },
  /** The budget is closed before the node becomes empty. */
  closed: {
    deployment: ONE_POD,
    steps: (name) => [
      at(TURN_MS - 15_000, (scene) => patchPool(scene, name, { disruption: { budgets: [{ nodes: '0' }] } })),
      at(TURN_MS, (scene) => scaleToZero(scene, name)),
    ],
  },
  /** A window in which nothing may be disrupted. */
  window: {
    pool: { budgets: [{ nodes: '0', schedule: '0 8 * * *', duration: '30m' }] },
    deployment: ONE_POD,
    steps: (name) => [at(TURN_MS, (scene) => scaleToZero(scene, name))],
  },
  /** Its pod may not be evicted. */
  guarded: {
    deployment: ONE_POD,
    steps: guardedDrift,
  },
  /** Its pod may not be evicted, and moves by a rolling update. */
  surging: {
    deployment: { ...ONE_POD, annotations: SURGES },
    steps: guardedDrift,
  },
  /** The same, but the Deployment ends its pod first: nothing may be done until its strategy is another one. */
  recreated: {
    deployment: { ...ONE_POD, annotations: SURGES, strategy: { type: 'Recreate' } },
    steps: (name) => [
      ...guardedDrift(name),
      at(400, async ({ atCalm, servers }) => {
        const patch = { spec: { strategy: { type: 'RollingUpdate' } } };
        const key = { name, namespace: 'default' };
        atCalm(() => ignoringErrors(() => servers.admin.patch(DEPLOYMENTS, key, { type: 'merge', patch })));
      }),
    ],
  },
  /** Its pod has do-not-disrupt for some minutes. */
  lasting: {
    deployment: { ...ONE_POD, annotations: { 'karpenter.sh/do-not-disrupt': '4m' } },
    steps: (name) => [at(TURN_MS, (scene) => drift(scene, name))],
  },
  /** The node has do-not-disrupt. */
  kept: {
    deployment: ONE_POD,
    steps: (name) => [
      at(TURN_MS - 15_000, async (scene) => {
        const node = claimOf(scene, name)?.status.nodeName as string | undefined;
        if (node === undefined) return;
        const mark = (text: string | null) => {
          const patch = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': text } } };
          return ignoringErrors(() =>
            scene.servers.admin.patch(NODES, { name: node }, { type: 'merge', patch }),
          );
        };
        await mark('true');
        scene.atCalm(() => mark(null));
      }),
      at(TURN_MS, (scene) => scaleToZero(scene, name)),
    ],
  },
  /** A pod is bound to an empty node while its command waits for validation. */
  visited: {
    deployment: ONE_POD,
    steps: (name) => [
      at(TURN_MS, (scene) => scaleToZero(scene, name)),
      at(TURN_MS + 10_000, (scene) => create(scene, PODS, visitor(name))),
    ],
  },
  /** A cheaper type appears, and is expensive again while the command waits for validation. */
  repriced: {
    types: 'two',
    deployment: ONE_POD,
    steps: (_name, { pairs }) => [
      at(TURN_MS, (scene) => create(scene, NODE_OVERLAYS, overlay(pairs.two[1], '0.01'))),
      at(TURN_MS + 12_000, ({ servers }) => {
        const patch = { spec: { price: '0.5' } };
        return ignoringErrors(() =>
          servers.admin.patch(NODE_OVERLAYS, { name: 'overlay' }, { type: 'merge', patch }),
        );
      }),
    ],
  },
  /** Two types of nearly the same price: nothing is to be gained. */
  settled: {
    types: 'four',
    deployment: { replicas: 1, cpu: '3' },
    steps: () => [],
  },
  /** The node is replaced. */
  drifting: {
    deployment: ONE_POD,
    steps: (name) => [at(TURN_MS, (scene) => drift(scene, name))],
  },
  /** The first replacement is deleted by hand, so that the command is rolled back; then the template changes back. */
  failing: {
    deployment: ONE_POD,
    steps: (name) => [
      at(TURN_MS, async (scene) => {
        await drift(scene, name);
        const replacement = await waitFor(scene, ({ metadata }) => isReplacement(metadata, name));
        if (replacement === undefined) return;
        await ignoringErrors(() => scene.servers.admin.delete(NODE_CLAIMS, { name: nameOf(replacement) }));
        await drift(scene, name, '1');
      }),
    ],
  },
  /** Two full nodes; the pods are touched, so that a process reads them again. */
  full: {
    deployment: { replicas: 2, cpu: '2900m' },
    steps: (name) => [
      at(TURN_MS, async ({ servers, state }) => {
        const patch = { metadata: { annotations: { touched: 'yes' } } };
        for (const pod of state.list('pods').filter(({ metadata }) => metadata.labels?.['app'] === name))
          await ignoringErrors(() =>
            servers.admin.patch(PODS, { name: nameOf(pod), namespace: 'default' }, { type: 'merge', patch }),
          );
      }),
    ],
  },
} satisfies Record<string, SituationRow>;

export const SITUATION_NAMES = Object.keys(SITUATIONS) as readonly Situation[];

function guardedDrift(name: string): readonly Step[] {
  return [
    at(400, (scene) => create(scene, POD_DISRUPTION_BUDGETS, aBudget(name, name, { maxUnavailable: 0 }))),
    at(TURN_MS, (scene) => drift(scene, name)),
  ];
}

function at(atMs: number, run: (scene: Scene) => Promise<unknown>): Step {
  return { atMs, name: 'disruption', run: async (scene) => void (await run(scene)) };
}

function create(
  { servers }: Scene,
  ...[resource, object]: Parameters<Scene['servers']['apply']>
): Promise<void> {
  return ignoringErrors(() => servers.apply(resource, object));
}

function poolOf(
  story: CloudStory,
  name: string,
  disruption: object,
  requirements: readonly object[],
): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...disruption },
      template: {
        metadata: { labels: { pool: name, edition: '1' } },
        spec: {
          nodeClassRef: story.nodeClassRef('one'),
          expireAfter: 'Never',
          // Pods of other pools find no place here, and nodes are so small that a pod of three cores fills one.
          taints: [{ key: 'only', value: name, effect: 'NoSchedule' }],
          requirements: [
            { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
            story.fewerCores(5),
            ...requirements,
          ],
        },
      },
    },
  };
}

function podSpec(pool: string, cpu: string): object {
  return {
    terminationGracePeriodSeconds: 1,
    nodeSelector: { pool },
    tolerations: [{ key: 'only', value: pool, effect: 'NoSchedule' }],
    containers: [{ name: 'main', image: 'app', resources: { requests: { cpu } } }],
  };
}

function deploymentOf(
  name: string,
  { replicas, cpu, annotations = {}, strategy }: SituationRow['deployment'],
): object {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      ...(strategy === undefined ? {} : { strategy }),
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name }, annotations }, spec: podSpec(name, cpu) },
    },
  };
}

function visitor(pool: string): object {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'visitor', namespace: 'default', labels: { app: 'visitor' } },
    spec: podSpec(pool, '100m'),
  };
}

function overlay(size: string, price: string): object {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name: 'overlay' },
    spec: { requirements: [{ key: TYPE, operator: 'In', values: [size] }], price },
  };
}

function scaleToZero({ servers }: Scene, name: string): Promise<void> {
  const key = { name, namespace: 'default' };
  const patch = { spec: { replicas: 0 } };
  return ignoringErrors(() => servers.admin.patch(DEPLOYMENTS, key, { type: 'merge', patch }));
}

function drift(scene: Scene, name: string, edition = '2'): Promise<void> {
  return patchPool(scene, name, { template: { metadata: { labels: { edition } } } });
}

function patchPool({ servers }: Scene, name: string, spec: object): Promise<void> {
  return ignoringErrors(() => servers.admin.patch(NODE_POOLS, { name }, { type: 'merge', patch: { spec } }));
}

function claimOf({ state }: Scene, pool: string): ObservedObject | undefined {
  return state.list('claims').find(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] === pool);
}

function isReplacement({ labels, annotations }: ObservedObject['metadata'], pool: string): boolean {
  return (
    labels?.['karpenter.sh/nodepool'] === pool && annotations?.['chandler.sh/replacement-for'] !== undefined
  );
}

const LOOK_EVERY_MS = 100;
const LOOKS = 600;

async function waitFor(
  { state, servers }: Scene,
  fits: (claim: ObservedObject) => boolean,
): Promise<ObservedObject | undefined> {
  for (let look = 0; look < LOOKS; look++) {
    const found = state.list('claims').find(fits);
    if (found !== undefined) return found;
    await servers.world.clock.sleep(LOOK_EVERY_MS);
  }
  return undefined;
}
