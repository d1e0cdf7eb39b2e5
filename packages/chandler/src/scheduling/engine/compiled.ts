/**
 * The compiled snapshot, numbered and indexed, which all runs share. A run does not change its meaning:
 * caches grow, and the counts of topology groups are restored when a run ends.
 */
import { CORE_WELL_KNOWN_LABELS, KubernetesLabel } from '../../api/index.ts';
import { fullBits } from '../bits.ts';
import { DEFAULT_OPTIONS, type SchedulingInput, type SchedulingOptions } from '../model.ts';
import { SpecReader } from '../pods/spec-reader.ts';
import type { InputError } from '../refusal.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { admit } from '../shapes/validate-input.ts';
import { LabelClasses } from '../topology/label-classes.ts';
import { selectedLabels } from '../topology/selected-labels.ts';
import { VolumeIndex } from '../volumes/volume-index.ts';
import { type BoundPods, readBoundPods } from './bound-pods.ts';
import { type Daemon, readDaemons } from './daemons.ts';
import { GroupRegistry } from './group-registry.ts';
import { buildNodes, type NodeTable } from './nodes.ts';
import { PodClasses } from './pod-classes.ts';
import { poolUsage } from './pool-usage.ts';
import { buildPools, type PoolEntry } from './pools.ts';
import { PodQueue } from './queue.ts';
import { RegionalOfferings } from './regional-offerings.ts';
import { type State, StateTable } from './states.ts';

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
  readonly groups: GroupRegistry;
  readonly classes: PodClasses;
  readonly queue: PodQueue;
  /** Names of the pods to place. */
  readonly names: ReadonlySet<string>;
  /** By pool: the total capacity of its nodes. */
  readonly usage: readonly (readonly number[])[];
  readonly hostKey: number;
  readonly isWellKnown: (key: number) => boolean;
  readonly errors: readonly InputError[];
}

export function compile(given: SchedulingInput): Compiled {
  const errors: InputError[] = [];
  const { input, named } = admit(given, errors);
  const algebra = new Algebra();
  const resources = new Resources();
  const options = { ...DEFAULT_OPTIONS, ...input.options };
  const isWellKnown = wellKnownTest(algebra, input.wellKnownLabels ?? []);
  const volumes = new VolumeIndex(algebra, resources, input.volumes);
  for (const pod of input.pods) if (pod.spec?.volumes !== undefined) volumes.noteMounts(pod);
  for (const pod of input.boundPods ?? []) if (pod.spec?.volumes !== undefined) volumes.noteMounts(pod);
  const daemons = readDaemons(algebra, resources, input.daemonSets ?? [], errors);
  const context = { algebra, resources, volumes, daemons, isWellKnown };
  const pools = buildPools(context, input, errors);
  const states = new StateTable(algebra, isWellKnown);
  const templates = pools.map((pool) => states.template(pool, fullBits(pool.catalogue.rows.length)));
  const reader = new SpecReader(algebra, resources);
  const boundPods = input.boundPods ?? [];
  const readings = input.pods.map((pod) => reader.read(pod));
  const boundReadings = boundPods.map((pod) => reader.read(pod));
  const labelClasses = new LabelClasses(selectedLabels(reader.specs(), input.defaultSpread));
  const bound = readBoundPods({ labelClasses, volumes }, boundPods, boundReadings, named.names, errors);
  const nodes = buildNodes(context, input.nodes ?? [], (node) => bound.usageOf(node), errors);
  const hostKey = algebra.labels.key(KubernetesLabel.hostname);
  const regional = new RegionalOfferings({ algebra, pools, templates });
  const groups = new GroupRegistry({ algebra, pools, templates, nodes, bound, regional, hostKey, input });
  const classes = new PodClasses({
    algebra,
    resources,
    volumes,
    groups,
    regional,
    nodes,
    pools,
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
    daemons,
    pools,
    templates,
    states,
    nodes,
    bound,
    groups,
    classes,
    queue: new PodQueue(classes, named, readings),
    names: named.names,
    usage: poolUsage(resources, pools, nodes),
    hostKey,
    isWellKnown,
    errors,
  };
}

// ---------------------------------------------------------------------------------------------------------------

function wellKnownTest(algebra: Algebra, more: readonly string[]): (key: number) => boolean {
  const names = new Set([...CORE_WELL_KNOWN_LABELS, ...more]);
  const known: boolean[] = [];
  return (key) => {
    known[key] ??= names.has(algebra.labels.keyName(key));
    return known[key];
  };
}
