/**
 * The nodes that can be launched: every available offering of every type of every pool, with the capacity
 * that remains beside daemons and the placements it can serve. Requirements are compared pairwise (pod with
 * pool, type and offering), which allows slightly more than the engine does; that keeps the result a lower
 * bound.
 */
import type { Taint } from '@chandler/kube';
import {
  CORE_WELL_KNOWN_LABELS,
  KarpenterLabel,
  nodeClassLabel,
  normalizeLabel,
  normalizeLabelValue,
} from '../../api/index.ts';
import { type Bits, emptyBits, hasBit, members, setBit } from '../bits.ts';
import type { Catalogue } from '../catalogue/catalogue.ts';
import { applyOverlays, type ReadOverlay, readOverlays } from '../catalogue/overlays.ts';
import { readRequirements } from '../catalogue/read-type.ts';
import type { Kept } from '../engine/kept.ts';
import type { InstanceType, PoolInput, SchedulingInput } from '../model.ts';
import { withLimitsAsRequests } from '../pod-requests.ts';
import { type Algebra, excludes, type RequirementSet } from '../requirements/algebra.ts';
import { addAmounts, type Resources, subtractAmounts } from '../resources.ts';
import { untoleratedTaint } from '../taints.ts';
import type { VolumeIndex } from '../volumes/volume-index.ts';
import type { NewNode } from './bound-input.ts';
import { type Placement, readPod } from './placements.ts';

export function readNewNodes(
  kept: Kept,
  input: SchedulingInput,
  placements: readonly Placement[],
  volumes: VolumeIndex,
): NewNode[] {
  const { algebra, resources } = kept;
  const context: Context = {
    algebra,
    volumes,
    resources,
    placements,
    overlays: readOverlays(algebra, input.overlays ?? [], []),
    daemons: readDaemons(algebra, resources, input),
    wellKnown: new Set(
      [...CORE_WELL_KNOWN_LABELS, ...(input.wellKnownLabels ?? [])].map((name) => algebra.labels.key(name)),
    ),
    catalogueOf: (types) => kept.catalogue(types).catalogue,
  };
  return input.pools.flatMap((pool) => newNodesOf(context, pool, input.catalogues ?? {}));
}

/** All taints except soft ones. */
export function hardTaints(taints: readonly Taint[] | undefined): Taint[] {
  return (taints ?? []).filter((taint) => taint.effect !== 'PreferNoSchedule');
}

// ---------------------------------------------------------------------------------------------------------------

interface Context {
  readonly algebra: Algebra;
  readonly volumes: VolumeIndex;
  readonly resources: Resources;
  readonly placements: readonly Placement[];
  readonly overlays: readonly ReadOverlay[];
  readonly daemons: readonly Daemon[];
  readonly wellKnown: ReadonlySet<number>;
  readonly catalogueOf: (types: readonly InstanceType[]) => Catalogue;
}

interface Daemon {
  readonly placement: Placement;
  readonly amounts: readonly number[];
}

function readDaemons(algebra: Algebra, resources: Resources, input: SchedulingInput): Daemon[] {
  return (input.daemonSets ?? []).flatMap((daemonSet) => {
    const spec = withLimitsAsRequests(daemonSet.spec.template.spec);
    const daemon = readPod(algebra, resources, { spec });
    if (daemon === undefined) return [];
    // The template decides where it may run; the observed pod decides its requests.
    const seen = daemonSet.pod === undefined ? undefined : readPod(algebra, resources, daemonSet.pod);
    return [{ placement: daemon.placement, amounts: seen?.amounts ?? daemon.amounts }];
  });
}

function newNodesOf(
  context: Context,
  pool: PoolInput,
  shared: Readonly<Record<string, readonly InstanceType[]>>,
): NewNode[] {
  const template = templateOf(context.algebra, pool);
  const listed = typeof pool.instanceTypes === 'string' ? shared[pool.instanceTypes] : pool.instanceTypes;
  if (template === undefined || listed === undefined) return [];
  const { types } = applyOverlays(context.algebra, context.overlays, listed, template, []);
  const catalogue = context.catalogueOf(types);
  const taints = hardTaints(pool.nodePool.spec.template.spec.taints);
  const defined = new Set([
    ...context.wellKnown,
    ...template.items.map((item) => item.key),
    ...catalogue.typeKeys,
    ...catalogue.offeringKeys,
  ]);
  const sellable = offeringsFor(catalogue, template);
  const serves = catalogue.offerings.map(() => emptyBits(context.placements.length));
  context.placements.forEach((placement, number) => {
    if (untoleratedTaint(taints, placement.tolerations) !== undefined) return;
    for (const alternative of placement.alternatives) {
      if (!agrees(context.algebra, template, alternative, defined)) continue;
      for (const offering of members(offeringsFor(catalogue, alternative))) setBit(serves[offering]!, number);
    }
  });
  const roomOf = roomByRow(context, catalogue, template, taints);
  const limited = Object.keys(pool.nodePool.spec.limits ?? {}).length > 0;
  return catalogue.offerings.flatMap((offering): NewNode[] => {
    const room = roomOf(offering.row);
    if (!hasBit(sellable, offering.index) || !offering.available || room === undefined) return [];
    const { price, reservation, zone, regional } = offering;
    const zoneCounts = !regional && !limited && reservation === undefined;
    const newNode = { price, room, serves: serves[offering.index]!, zone, zoneCounts };
    return [reservation === undefined ? newNode : { ...newNode, reservation }];
  });
}

function templateOf(algebra: Algebra, { nodePool }: PoolInput): RequirementSet | undefined {
  const { spec, metadata } = nodePool.spec.template;
  const listed = (spec.requirements ?? []).map((requirement) => ({
    ...requirement,
    key: normalizeLabel(requirement.key),
    ...(requirement.values === undefined
      ? {}
      : { values: requirement.values.map((value) => normalizeLabelValue(requirement.key, value)) }),
  }));
  const requirements = readRequirements(algebra, listed, '', '', []);
  if (requirements === undefined) return undefined;
  const { nodeClassRef } = spec;
  const labels = {
    ...metadata?.labels,
    [KarpenterLabel.nodePool]: nodePool.metadata.name ?? '',
    [KarpenterLabel.registered]: 'true',
    [KarpenterLabel.initialized]: 'true',
    ...(nodeClassRef === undefined
      ? {}
      : { [nodeClassLabel(nodeClassRef.group, nodeClassRef.kind)]: nodeClassRef.name }),
  };
  return algebra.set([
    ...requirements,
    ...Object.entries(labels).map(([key, value]) => algebra.label(normalizeLabel(key), value)),
  ]);
}

/** Whether a node of the template can meet the requirements; an undefined label cannot be assumed. */
function agrees(
  algebra: Algebra,
  template: RequirementSet,
  wanted: RequirementSet,
  defined: ReadonlySet<number>,
): boolean {
  return wanted.items.every((item) => {
    const own = template.items.find((other) => other.key === item.key);
    if (own === undefined) return defined.has(item.key) || excludes(item);
    return algebra.overlaps(own, item);
  });
}

/** Offerings that meet the requirements together with their types. */
function offeringsFor(catalogue: Catalogue, wanted: RequirementSet): Bits {
  const result = emptyBits(catalogue.offerings.length);
  const rowTests = wanted.items
    .map((item) => catalogue.rowsMeeting(item))
    .filter((bits) => bits !== undefined);
  const tests = wanted.items
    .map((item) => catalogue.offeringsMeeting(item))
    .filter((bits) => bits !== undefined);
  for (const { index, row } of catalogue.offerings) {
    if (rowTests.every((bits) => hasBit(bits, row)) && tests.every((bits) => hasBit(bits, index))) {
      setBit(result, index);
    }
  }
  return result;
}

/** The capacity of a row beside its daemons; undefined when the daemons do not fit. */
function roomByRow(
  { algebra, daemons, wellKnown, volumes }: Context,
  catalogue: Catalogue,
  template: RequirementSet,
  taints: readonly Taint[],
): (row: number) => readonly number[] | undefined {
  const defined = new Set([...wellKnown, ...template.items.map((item) => item.key)]);
  const used: (readonly number[])[] = catalogue.rows.map(() => []);
  for (const { placement, amounts } of daemons) {
    if (untoleratedTaint(taints, placement.tolerations) !== undefined) continue;
    const possible = placement.alternatives.filter((set) => agrees(algebra, template, set, defined));
    const tests = possible.map((set) =>
      set.items.map((item) => catalogue.rowsMeeting(item)).filter((bits) => bits !== undefined),
    );
    catalogue.rows.forEach((_, row) => {
      if (tests.some((bits) => bits.every((bit) => hasBit(bit, row)))) {
        used[row] = addAmounts(used[row]!, amounts);
      }
    });
  }
  const rooms = catalogue.rows.map(({ allocatable, type }, row) => {
    const room = subtractAmounts(allocatable, used[row]!);
    return room.some((amount) => amount < 0) ? undefined : volumes.withLimits(type.source, room);
  });
  return (row) => rooms[row];
}
