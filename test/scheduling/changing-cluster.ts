/**
 * A cluster that changes step by step, from a seed: pods come and go, nodes are added, relabelled and removed, offerings
 * sell out, pools, daemons and volumes change. Objects that a step does not change stay the same objects, as in a store.
 */
import type {
  ExistingNode,
  InstanceType,
  Pod,
  PoolInput,
  SchedulingInput,
} from '../../packages/chandler/src/scheduling/index.ts';
import { Chance } from './chance.ts';
import { randomCluster } from './random-cluster.ts';
import { terminating } from './random-pods.ts';
import { FAMILY, GENERATION } from './random-setting.ts';

export class ChangingCluster {
  input: SchedulingInput;
  readonly #chance: Chance;
  readonly #seed: number;
  #steps = 0;

  constructor(seed: number) {
    this.#seed = seed;
    this.#chance = new Chance(seed);
    this.input = randomCluster(seed).input;
  }

  /** @returns what changed. */
  step(): string {
    this.#steps += 1;
    const name = this.#chance.one(Object.keys(STEPS));
    const other = randomCluster(this.#seed * 1_000 + this.#steps).input;
    this.input = STEPS[name]!(this.input, { chance: this.#chance, other, number: this.#steps });
    return name;
  }
}

// ---------------------------------------------------------------------------------------------------

interface StepContext {
  readonly chance: Chance;
  /** Another cluster to take objects from. */
  readonly other: SchedulingInput;
  readonly number: number;
}

type Step = (input: SchedulingInput, context: StepContext) => SchedulingInput;

const STEPS: Readonly<Record<string, Step>> = {
  nothing: (input) => ({ ...input }),
  'other pods': (input, { other, number }) => ({ ...input, pods: renamed(other.pods, number) }),
  'more pods': (input, { other, number }) => ({
    ...input,
    pods: [...input.pods, ...renamed(other.pods, number)].slice(-40),
  }),
  'fewer pods': (input, { chance }) => ({ ...input, pods: few(input.pods, chance) }),
  'a new node': (input, { other, number }) => ({
    ...input,
    nodes: [
      ...(input.nodes ?? []),
      ...(other.nodes ?? []).slice(0, 1).map((node) => ({ ...node, name: `new-${number}` })),
    ].slice(-30),
  }),
  'a node is gone': (input, { chance }) => withoutNode(input, chance),
  'a node is being removed': (input, { chance }) => leave(input, chance),
  'removed nodes are gone': (input) => ({ ...input, leavingNodes: [], leavingPods: [] }),
  'a node has another label': (input, { chance, number }) =>
    changedNode(input, chance, (node) => ({ ...node, labels: { ...node.labels, rack: `r${number % 4}` } })),
  'a node is ready': (input, { chance }) =>
    changedNode(input, chance, (node) => ({ ...node, initialized: node.initialized === false })),
  'pods are bound': (input, { chance, number }) => bindSome(input, chance, number),
  'a bound pod is gone': (input, { chance }) => ({ ...input, boundPods: without(input.boundPods, chance) }),
  'bound pods are being deleted': (input, { chance }) => {
    const boundPods = input.boundPods ?? [];
    const chosen = new Set(few(boundPods, chance));
    return { ...input, boundPods: boundPods.map((pod) => (chosen.has(pod) ? terminating(pod) : pod)) };
  },
  'a bound pod moves back': (input, { chance }) => ({
    ...input,
    pods: [...input.pods, ...few(input.boundPods ?? [], chance).slice(0, 1)].filter(hasOwnName),
  }),
  'an offering sells out': (input, { chance }) => ({
    ...input,
    pools: input.pools.map((pool) => withTypes(pool, (types) => types.map((type) => soldOut(type, chance)))),
  }),
  'another catalogue': (input, { other }) => ({
    ...input,
    pools: input.pools.map((pool) => ({ ...pool, instanceTypes: other.pools[0]!.instanceTypes })),
  }),
  'other pools': (input, { other }) => ({ ...input, pools: other.pools }),
  'a pool has another status': (input) => ({
    ...input,
    pools: input.pools.map((pool) => ({ ...pool, nodePool: structuredClone(pool.nodePool) })),
  }),
  'other usage': (input, { chance }) => ({
    ...input,
    pools: input.pools.map((pool) => ({ ...pool, used: { cpu: `${chance.between(0, 9)}`, memory: '4Gi' } })),
  }),
  'other daemons': (input, { other }) => ({ ...input, daemonSets: other.daemonSets ?? [] }),
  'other volumes': ({ volumes: _, ...input }, { other }) => ({
    ...input,
    ...(other.volumes === undefined ? {} : { volumes: other.volumes }),
  }),
  'a CSI node has another limit': (input, { chance }) => withOtherLimit(input, chance),
  'a claim has another volume': (input, { chance }) => withOtherVolume(input, chance),
  'a bound pod mounts a claim of others': (input, { chance }) => sharingClaim(input, chance),
  'other overlays': (input, { other }) => ({ ...input, overlays: other.overlays ?? [] }),
  'other well-known labels': (input, { chance }) => ({
    ...input,
    wellKnownLabels: few([...(input.wellKnownLabels ?? []), FAMILY, GENERATION], chance),
  }),
  'other options': (input, { other }) => ({ ...input, options: other.options ?? {} }),
};

function withOtherLimit(input: SchedulingInput, chance: Chance): SchedulingInput {
  const { volumes } = input;
  const csiNodes = volumes?.csiNodes ?? [];
  if (csiNodes.length === 0) return input;
  const at = chance.between(0, csiNodes.length - 1);
  const changed = csiNodes.map((node, index) => {
    if (index !== at) return node;
    const drivers = (node.spec.drivers ?? []).map((driver) => ({
      ...driver,
      allocatable: { count: chance.between(0, 4) },
    }));
    return { ...node, spec: { ...node.spec, drivers } };
  });
  return { ...input, volumes: { ...volumes, csiNodes: changed } };
}

function withOtherVolume(input: SchedulingInput, chance: Chance): SchedulingInput {
  const { volumes } = input;
  const claims = volumes?.claims ?? [];
  if (claims.length < 2) return input;
  const at = chance.between(0, claims.length - 1);
  const { spec } = chance.one(claims);
  return {
    ...input,
    volumes: {
      ...volumes,
      claims: claims.map((claim, index) => (index === at ? { ...claim, spec } : claim)),
    },
  };
}

/** Of pods that are bound, or still to be placed. */
function sharingClaim(input: SchedulingInput, chance: Chance): SchedulingInput {
  const boundPods = input.boundPods ?? [];
  const mounts = [...boundPods, ...input.pods].filter(({ spec }) => (spec.volumes ?? []).length > 0);
  if (boundPods.length === 0 || mounts.length === 0) return input;
  const at = chance.between(0, boundPods.length - 1);
  const shared = chance.one(mounts);
  return {
    ...input,
    boundPods: boundPods.map((pod, index) =>
      index === at
        ? {
            ...pod,
            metadata: { ...pod.metadata, namespace: shared.metadata.namespace ?? 'default' },
            spec: { ...pod.spec, volumes: [...shared.spec.volumes!] },
          }
        : pod,
    ),
  };
}

function few<T>(of: readonly T[], chance: Chance): readonly T[] {
  return of.length === 0 ? of : chance.some(of);
}

function renamed(pods: readonly Pod[], number: number): Pod[] {
  return pods.map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, name: `${pod.metadata.name}-${number}` },
  }));
}

function withoutNode(input: SchedulingInput, chance: Chance): SchedulingInput {
  const nodes = input.nodes ?? [];
  if (nodes.length === 0) return input;
  const gone = chance.one(nodes).name;
  return {
    ...input,
    nodes: nodes.filter(({ name }) => name !== gone),
    boundPods: (input.boundPods ?? []).filter(({ spec }) => spec.nodeName !== gone),
  };
}

/** Its pods exist for a while, some of them to be placed again. */
function leave(input: SchedulingInput, chance: Chance): SchedulingInput {
  const staying = withoutNode(input, chance);
  const left = (input.nodes ?? []).filter((node) => !staying.nodes?.includes(node));
  const pods = (input.boundPods ?? []).filter((pod) => !staying.boundPods?.includes(pod));
  const moving = few(pods, chance).map(({ spec: { nodeName: _, ...spec }, ...pod }) => ({ ...pod, spec }));
  return {
    ...staying,
    pods: [...input.pods, ...moving].filter(hasOwnName),
    leavingNodes: [...(input.leavingNodes ?? []), ...left].slice(-5),
    leavingPods: [...(input.leavingPods ?? []), ...pods].slice(-40),
  };
}

function changedNode(
  input: SchedulingInput,
  chance: Chance,
  change: (node: ExistingNode) => ExistingNode,
): SchedulingInput {
  const nodes = input.nodes ?? [];
  if (nodes.length === 0) return input;
  const at = chance.between(0, nodes.length - 1);
  return { ...input, nodes: nodes.map((node, index) => (index === at ? change(node) : node)) };
}

function bindSome(input: SchedulingInput, chance: Chance, number: number): SchedulingInput {
  const nodes = input.nodes ?? [];
  if (nodes.length === 0 || input.pods.length === 0) return input;
  const bound = chance.some(input.pods).map((pod) => ({
    ...pod,
    metadata: { ...pod.metadata, name: `${pod.metadata.name}-bound-${number}` },
    spec: { ...pod.spec, nodeName: chance.one(nodes).name },
  }));
  return { ...input, boundPods: [...(input.boundPods ?? []), ...bound].slice(-60) };
}

function without(pods: readonly Pod[] | undefined, chance: Chance): readonly Pod[] {
  const at = chance.between(0, Math.max(0, (pods?.length ?? 0) - 1));
  return (pods ?? []).filter((_, index) => index !== at);
}

function hasOwnName(pod: Pod, index: number, pods: readonly Pod[]): boolean {
  const same = ({ metadata }: Pod) =>
    metadata.name === pod.metadata.name && metadata.namespace === pod.metadata.namespace;
  return pods.findIndex(same) === index;
}

function withTypes(
  pool: PoolInput,
  change: (types: readonly InstanceType[]) => readonly InstanceType[],
): PoolInput {
  const { instanceTypes } = pool;
  return typeof instanceTypes === 'string' ? pool : { ...pool, instanceTypes: change(instanceTypes) };
}

function soldOut(type: InstanceType, chance: Chance): InstanceType {
  if (!chance.happens(0.3)) return type;
  return {
    ...type,
    offerings: type.offerings.map((offering) => ({ ...offering, available: chance.happens(0.6) })),
  };
}
