/**
 * The compiled snapshot, numbered and indexed, which all runs share. A run does not change its meaning:
 * caches grow, and the counts of topology groups are restored when a run ends. Parts that have not changed since the last
 * snapshot of the same planner are used again (`kept.ts`).
 */
import { CORE_WELL_KNOWN_LABELS, KubernetesLabel } from '../../api/index.ts';
import { fullBits } from '../bits.ts';
import {
  DEFAULT_OPTIONS,
  type ExistingNode,
  type InstanceType,
  type Pod,
  type PoolInput,
  type SchedulingInput,
  type SchedulingOptions,
} from '../model.ts';
import { avoidedKeysOf, type ReadSpec } from '../pods/read-spec.ts';
import type { SpecReading } from '../pods/spec-reader.ts';
import type { InputError } from '../refusal.ts';
import type { Algebra, Requirement } from '../requirements/algebra.ts';
import type { Resources } from '../resources.ts';
import type { NamedPods } from '../shapes/named-pods.ts';
import { admit } from '../shapes/validate-input.ts';
import type { Steps } from '../steps.ts';
import { LabelClasses } from '../topology/label-classes.ts';
import { selectedLabels } from '../topology/selected-labels.ts';
import { mountsClaims, VolumeIndex } from '../volumes/volume-index.ts';
import type { BoundList } from './bound-list.ts';
import { type BoundPods, readBoundPods } from './bound-pods.ts';
import { type BoundVolumes, nodesChangedByVolumes, readBoundVolumes } from './bound-volumes.ts';
import { type Daemon, readDaemons } from './daemons.ts';
import { GroupRegistry } from './group-registry.ts';
import { type Kept, sameElements } from './kept.ts';
import { LeavingPods } from './leaving-pods.ts';
import { changeOf } from './list-change.ts';
import type { NodeTable } from './nodes.ts';
import { PodClasses } from './pod-classes.ts';
import { poolUsage, readUsage } from './pool-usage.ts';
import { buildPools, type PoolEntry } from './pools.ts';
import { PodQueue } from './queue.ts';
import { buildNodes, changedNodes, type NodeContext } from './read-nodes.ts';
import { RegionalOfferings } from './regional-offerings.ts';
import { type State, StateTable } from './states.ts';
import { limitedDrivers, typeFinder, typeListsOf } from './type-limits.ts';

export interface Compiled {
  readonly input: SchedulingInput;
  readonly options: SchedulingOptions;
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly volumes: VolumeIndex;
  readonly daemons: readonly Daemon[];
  readonly pools: readonly PoolEntry[];
  /** By pool: a new node with all its types; null when its template leaves none. */
  readonly templates: readonly (State | null)[];
  readonly states: StateTable;
  readonly nodes: NodeTable;
  readonly bound: BoundPods;
  /** Follows other lists, too. */
  readonly boundList: BoundList;
  readonly leaving: LeavingPods;
  readonly groups: GroupRegistry;
  readonly classes: PodClasses;
  readonly queue: PodQueue;
  /** Names of the pods to place. */
  readonly names: ReadonlySet<string>;
  /** Values of a label that they name: their requirements with listed values. */
  readonly namedValues: (key: number) => readonly Requirement[];
  /** Whether one of them excludes values of a label. */
  readonly isAvoided: (key: number) => boolean;
  /** By pool: the total capacity of its nodes. */
  readonly usage: readonly (readonly number[])[];
  readonly hostKey: number;
  readonly isWellKnown: (key: number) => boolean;
  readonly errors: readonly InputError[];
}

/** In pieces: at first all bound pods and nodes are read. */
export function* compiling(given: SchedulingInput, kept: Kept): Steps<Compiled> {
  const errors: InputError[] = [];
  const { input, named } = admit(given, kept, errors);
  yield* readBound(kept, input);
  const { algebra, resources, reader } = kept;
  const options = { ...DEFAULT_OPTIONS, ...input.options };
  const usage = readUsage(resources, input.pools, errors);
  const readings = input.pods.map((pod) => kept.reading(pod));
  const volumes = volumesOf(kept, input);
  yield;
  const daemons = daemonPart(kept, input);
  const pools = poolPart(kept, { ...input, pools: usage.pools }, volumes, daemons);
  errors.push(...daemons.errors, ...pools.errors);
  yield;
  const cluster = yield* clusterPart(kept, input, { named, readings, volumes, daemons: daemons.daemons });
  for (const error of cluster.errors) errors.push(error);
  const { labelClasses, bound, nodes } = cluster;
  const hostKey = algebra.labels.key(KubernetesLabel.hostname);
  const { entries, templates, states, isWellKnown } = pools;
  const used = poolUsage(resources, entries, usage.used, nodes);
  const nodesSlot = resources.slot('nodes');
  const regional = new RegionalOfferings({ algebra, pools: entries, templates, usage: used, nodesSlot });
  const leaving = new LeavingPods({
    algebra,
    labelClasses,
    nodes: input.leavingNodes ?? [],
    pods: input.leavingPods ?? [],
    isReadable: (pod) => !('code' in kept.reading(pod).spec),
  });
  const valuesOf = (key: number) => namedValues(readings, key);
  const isAvoided = avoidanceTest(readings);
  const groups = new GroupRegistry({
    algebra,
    pools: entries,
    templates,
    states,
    nodes,
    bound,
    leaving,
    regional,
    hostKey,
    isWellKnown,
    namedValues: valuesOf,
    isAvoided,
    input,
  });
  const classes = new PodClasses({
    algebra,
    resources,
    volumes,
    groups,
    regional,
    nodes,
    pools: entries,
    options,
    input,
    reader,
    labelClasses,
  });
  return {
    input,
    options,
    algebra,
    resources,
    volumes,
    daemons: daemons.daemons,
    pools: entries,
    templates,
    states,
    nodes,
    bound,
    boundList: kept.boundList,
    leaving,
    groups,
    classes,
    queue: new PodQueue(classes, named, readings),
    names: named.names,
    namedValues: valuesOf,
    isAvoided,
    usage: used,
    hostKey,
    isWellKnown,
    errors,
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface DaemonPart {
  readonly daemons: readonly Daemon[];
  readonly errors: readonly InputError[];
}

/** Pools, with the states of new nodes. */
interface PoolPart {
  readonly entries: readonly PoolEntry[];
  readonly templates: readonly (State | null)[];
  readonly states: StateTable;
  readonly isWellKnown: (key: number) => boolean;
  readonly errors: readonly InputError[];
}

/** Bound pods and nodes. */
interface ClusterPart {
  readonly labelClasses: LabelClasses;
  readonly bound: BoundPods;
  readonly nodes: NodeTable;
  readonly volumes: BoundVolumes;
  readonly errors: readonly InputError[];
}

/** Where there are many bound pods that were not read before. */
function* readBound(kept: Kept, { boundPods = [] }: SchedulingInput): Steps {
  if (boundPods.length - kept.boundList.length < PODS_PER_STEP) return;
  for (const [at, pod] of boundPods.entries()) {
    kept.reading(pod);
    if (at % PODS_PER_STEP === 0) yield;
  }
}

const PODS_PER_STEP = 5_000;

/** The claims that pods mount are counted, so pods with claims make a new index. */
function volumesOf(kept: Kept, input: SchedulingInput): VolumeIndex {
  const { pods, boundPods = [], volumes: facts = {} } = input;
  kept.boundList.follow(boundPods);
  const mounting = [...kept.boundList.mounting, ...pods.filter(mountsClaims)];
  const key = [facts.claims, facts.volumes, facts.classes, facts.csiNodes, mounting];
  const drivers = limitedDrivers(typeListsOf(input).values());
  return kept.part('volumes', [...key, kept.text(facts.newNodeLimits), drivers, facts.checkClaims], () => {
    const index = new VolumeIndex(kept.algebra, kept.resources, facts, drivers);
    for (const pod of mounting) index.noteMounts(pod);
    return index;
  });
}

function daemonPart(kept: Kept, { daemonSets = [] }: SchedulingInput): DaemonPart {
  const key = daemonSets.map(({ metadata, spec, pod }) =>
    [metadata.namespace, metadata.name, kept.text(spec), kept.text(pod?.spec)].join('\n'),
  );
  return kept.part('daemons', key, () => {
    const errors: InputError[] = [];
    return { daemons: readDaemons(kept.algebra, kept.resources, daemonSets, errors), errors };
  });
}

function poolPart(
  kept: Kept,
  input: SchedulingInput,
  volumes: VolumeIndex,
  { daemons }: DaemonPart,
): PoolPart {
  const { algebra, resources } = kept;
  const { pools, overlays = [], catalogues = {}, wellKnownLabels = [] } = input;
  const typesOf = (types: PoolInput['instanceTypes']) =>
    typeof types === 'string' && Object.hasOwn(catalogues, types) ? catalogues[types] : types;
  const key = [
    pools.map(({ nodePool: { metadata, spec } }) =>
      [metadata.name, metadata.deletionTimestamp ?? '', kept.text(spec)].join('\n'),
    ),
    pools.map(({ instanceTypes }) => typesOf(instanceTypes)),
    daemons,
    overlays.map(({ metadata, spec }) => `${metadata.name}\n${kept.text(spec)}`),
    wellKnownLabels,
    volumes.limitsKey,
  ];
  const part = kept.part<PoolPart>('pools', key, () => {
    const errors: InputError[] = [];
    const isWellKnown = wellKnownTest(algebra, wellKnownLabels);
    const catalogueOf = (types: readonly InstanceType[]) => kept.catalogue(types);
    const context = { algebra, resources, volumes, daemons, isWellKnown, catalogueOf };
    const entries = buildPools(context, input, errors);
    const states = new StateTable(algebra, isWellKnown);
    const templates = entries.map((pool) => states.template(pool, fullBits(pool.catalogue.rows.length)));
    return { entries, templates, states, isWellKnown, errors };
  });
  kept.grows('pools', () => part.states.size);
  return part;
}

interface ClusterContext {
  readonly named: NamedPods;
  readonly readings: readonly SpecReading[];
  readonly volumes: VolumeIndex;
  readonly daemons: readonly Daemon[];
}

function* clusterPart(kept: Kept, input: SchedulingInput, context: ClusterContext): Steps<ClusterPart> {
  const { nodes = [], boundPods = [], defaultSpread } = input;
  const { named, readings, volumes, daemons } = context;
  const { boundList } = kept;
  const asked = selectedLabels(validSpecs(readings), defaultSpread);
  for (const label of boundList.labels) asked.add(label);
  const labels = [...asked].sort();
  const placing = named.keys.filter((name) => boundList.hasName(name));
  const { algebra, resources } = kept;
  const types = typeListsOf(input);
  const limiting = limitedDrivers(types.values()).length === 0 ? [] : [...types].flat();
  const nodeContext = { algebra, resources, volumes, daemons, typeOf: typeFinder(types) };
  const key = [labels, placing, volumes.limitsKey, daemons, limiting, boundPods, nodes];
  const { csiNodes } = input.volumes ?? {};
  const boundVolumes = kept.part('bound volumes', [volumes, boundList.mounting, csiNodes], () =>
    readBoundVolumes(volumes, boundList.mounting, csiNodes),
  );
  const whole = { labels, names: named.names, boundPods, nodes, volumes: boundVolumes };
  const part =
    changedCluster(kept, nodeContext, key, boundVolumes) ?? (yield* wholeCluster(kept, nodeContext, whole));
  kept.keep('cluster', key, part);
  kept.grows('cluster', () => part.labelClasses.all.length);
  return part;
}

interface WholeCluster {
  /** That selectors ask for. */
  readonly labels: readonly string[];
  /** Of the pods to place. */
  readonly names: ReadonlySet<string>;
  readonly boundPods: readonly Pod[];
  readonly nodes: readonly ExistingNode[];
  readonly volumes: BoundVolumes;
}

function* wholeCluster(
  kept: Kept,
  context: NodeContext,
  { labels, names, boundPods, nodes, volumes }: WholeCluster,
): Steps<ClusterPart> {
  const errors: InputError[] = [];
  const labelClasses = new LabelClasses(labels);
  const readings = boundPods.map((pod) => kept.reading(pod));
  const boundContext = { labelClasses, volumes: context.volumes };
  const bound = yield* readBoundPods(boundContext, boundPods, readings, names, errors);
  const table = yield* buildNodes(context, nodes, (node) => bound.usageOf(node), errors);
  return { labelClasses, bound, nodes: table, volumes, errors };
}

/** The cluster after a change of some nodes and bound pods. Undefined: it must be read as a whole. */
function changedCluster(
  kept: Kept,
  context: NodeContext,
  key: readonly unknown[],
  volumes: BoundVolumes,
): ClusterPart | undefined {
  const last = kept.last<ClusterPart>('cluster');
  if (last === undefined) return undefined;
  const { labelClasses, bound, nodes, errors } = last.part;
  const changed = nodesChangedByVolumes(last.part.volumes, volumes);
  if (changed === undefined) return undefined;
  if (changed.size === 0 && sameElements(last.key, key)) return { ...last.part, volumes };
  const [, placing] = key as [readonly string[], readonly string[]];
  if (errors.length > 0 || placing.length > 0) return undefined;
  if (!sameElements(last.key.slice(0, CHANGING), key.slice(0, CHANGING))) return undefined;
  const [podsBefore, nodesBefore] = last.key.slice(CHANGING) as [readonly Pod[], readonly ExistingNode[]];
  const [podsNow, nodesNow] = key.slice(CHANGING) as [readonly Pod[], readonly ExistingNode[]];
  const podChange = changeOf(podsBefore, podsNow);
  const nodeChange = changeOf(nodesBefore, nodesNow);
  if (podChange === undefined || nodeChange === undefined) return undefined;
  const boundContext = { labelClasses, volumes: context.volumes };
  const after = bound.after(boundContext, podChange, changed, (pod) => kept.reading(pod));
  if (after === undefined) return undefined;
  const usageOf = (node: string) => after.bound.usageOf(node);
  const table = changedNodes(context, nodes, nodeChange, after.nodes, usageOf);
  if (table === undefined) return undefined;
  return { labelClasses, bound: after.bound, nodes: table, volumes, errors: [] };
}

/** Where the lists that change in places begin in the key of the cluster. */
const CHANGING = 5;

function validSpecs(readings: readonly SpecReading[]): ReadSpec[] {
  return [...new Set(readings)].flatMap(({ spec }) => ('code' in spec ? [] : [spec]));
}

function namedValues(readings: readonly SpecReading[], key: number): Requirement[] {
  const found = new Set<Requirement>();
  for (const { nodeSelector, requiredTerms } of validSpecs(readings)) {
    for (const requirement of [...nodeSelector, ...requiredTerms.flat()])
      if (requirement.key === key && !requirement.complement) found.add(requirement);
  }
  return [...found];
}

function avoidanceTest(readings: readonly SpecReading[]): (key: number) => boolean {
  let keys: ReadonlySet<number> | undefined;
  return (key) => {
    keys ??= new Set(validSpecs(readings).flatMap(avoidedKeysOf));
    return keys.has(key);
  };
}

function wellKnownTest(algebra: Algebra, more: readonly string[]): (key: number) => boolean {
  const names = new Set([...CORE_WELL_KNOWN_LABELS, ...more]);
  const known: boolean[] = [];
  return (key) => {
    known[key] ??= names.has(algebra.labels.keyName(key));
    return known[key];
  };
}
