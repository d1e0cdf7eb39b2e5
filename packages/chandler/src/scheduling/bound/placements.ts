/**
 * Turns pods into demands, and what they require of their node into numbered placements. A placement is a set of
 * tolerations with alternatives of node selector, required node affinity and the topology of volumes, one of which must
 * hold. Pods that a hard spread divides over zones have a placement in each zone besides.
 */
import { resizedContainers } from '@chandler/kube';
import { KubernetesLabel } from '../../api/index.ts';
import type { Pod, SchedulingInput, Toleration } from '../model.ts';
import { readSpec } from '../pods/read-spec.ts';
import { SpecReader } from '../pods/spec-reader.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import { expand, type Resources } from '../resources.ts';
import { podKey } from '../shapes/named-pods.ts';
import type { VolumeIndex, VolumeNeeds } from '../volumes/volume-index.ts';
import type { Demand } from './bound-input.ts';
import { type SpreadDemand, type ZoneSpread, ZoneSpreads, zonesOf } from './zonal-split.ts';

export interface Placement {
  readonly tolerations: readonly Toleration[];
  readonly alternatives: readonly RequirementSet[];
}

export interface PodDemands {
  readonly placements: readonly Placement[];
  readonly demands: readonly Demand[];
  /** Demands that are not among the others, because a spread divides them. */
  readonly spreads: readonly SpreadDemand[];
}

export interface DemandContext {
  readonly algebra: Algebra;
  readonly resources: Resources;
  readonly volumes: VolumeIndex;
  readonly input: SchedulingInput;
  /** Pods to leave out. */
  readonly except: ReadonlySet<string>;
}

/** Invalid pods are skipped: no plan places them. */
export function readDemands(context: DemandContext): PodDemands {
  const { algebra, resources, input } = context;
  const zoneSpreads = new ZoneSpreads(input);
  const pods = readPods(context, zoneSpreads);
  const alone = zoneSpreads.alone(pods);
  const shapes = new Map<string, CountedShape | undefined>();
  const placements = new Placements();
  for (const { pod, needs, spread } of pods) {
    const relevant = relevantPart(pod);
    const group = spread !== undefined && alone.has(spread.key) ? spread : undefined;
    const key = [JSON.stringify(relevant), needs.key, group?.key].join('\n');
    const known = shapes.get(key);
    if (known !== undefined) known.count++;
    if (shapes.has(key)) continue;
    const read = readPod(algebra, resources, relevant);
    const placement = read === undefined ? undefined : withVolumes(algebra, read.placement, needs);
    if (read === undefined || placement === undefined) {
      shapes.set(key, undefined);
      continue;
    }
    const amounts = withAttachments(read.amounts, needs);
    shapes.set(key, { count: 1, amounts, placement: placements.number(placement), group });
  }
  const counted = [...shapes.values()].filter((shape) => shape !== undefined);
  const isDivided = ({ group }: CountedShape) =>
    group !== undefined && counted.filter((other) => other.group?.key === group.key).length === 1;
  const dividing = counted.filter(isDivided);
  const zones = dividing.length === 0 ? [] : zonesOf(input);
  return {
    demands: mergeEqual(counted.filter((shape) => !dividing.includes(shape))),
    spreads: dividing.map(({ group, ...demand }) => ({
      demand,
      maxSkew: group!.maxSkew,
      zonal: placements.inZones(algebra, demand.placement, zones),
    })),
    placements: placements.all,
  };
}

/** The requirements and requests of one pod; undefined when it is invalid. */
export function readPod(
  algebra: Algebra,
  resources: Resources,
  pod: Pick<Pod, 'spec' | 'status'>,
): { placement: Placement; amounts: readonly number[] } | undefined {
  const read = readSpec(algebra, resources, pod);
  if ('code' in read) return undefined;
  const terms: readonly (readonly Requirement[])[] =
    read.requiredTerms.length === 0 ? [[]] : read.requiredTerms;
  return {
    placement: {
      tolerations: read.tolerations,
      alternatives: terms.map((term) => algebra.set([...read.nodeSelector, ...term])),
    },
    amounts: expand(read.requests),
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface PodToCount {
  readonly pod: Pod;
  readonly needs: VolumeNeeds;
  readonly spread: ZoneSpread | undefined;
}

function readPods({ algebra, resources, volumes, input, except }: DemandContext, spreads: ZoneSpreads) {
  const reader = new SpecReader(algebra, resources);
  return input.pods.flatMap((pod): PodToCount[] => {
    if (except.has(podKey(pod))) return [];
    const { spec } = reader.read(pod);
    const needs = volumes.needsOf(pod);
    if ('code' in spec || 'code' in needs) return [];
    return [{ pod, needs, spread: spreads.of(pod, spec.spreads) }];
  });
}

/** Undefined when no node can meet all. */
function withVolumes(
  algebra: Algebra,
  { tolerations, alternatives }: Placement,
  needs: VolumeNeeds,
): Placement | undefined {
  if (needs.contradictory) return undefined;
  // Of very many alternatives some may have been left out.
  if (needs.alternatives === undefined || needs.alternatives.length >= MANY)
    return { tolerations, alternatives };
  const both = alternatives.flatMap((own) =>
    needs.alternatives!.map((volume) => algebra.set([...own.items, ...volume.items])),
  );
  return { tolerations, alternatives: both };
}

const MANY = 64;

/** Claims that several pods mount are attached once per node, so they are not counted. */
function withAttachments(amounts: readonly number[], { attachments }: VolumeNeeds): readonly number[] {
  if (attachments.size === 0) return amounts;
  const all = [...amounts];
  for (const [slot, count] of attachments) {
    while (all.length <= slot) all.push(0);
    all[slot] = all[slot]! + count;
  }
  return all;
}

class Placements {
  readonly all: Placement[] = [];
  readonly #numbers = new Map<string, number>();

  number(placement: Placement): number {
    const name = placementKey(placement);
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.all.length;
      this.#numbers.set(name, number);
      this.all.push(placement);
    }
    return number;
  }

  inZones(algebra: Algebra, placement: number, zones: readonly string[]): Map<string, number> {
    const { tolerations, alternatives } = this.all[placement]!;
    return new Map(
      zones.map((zone) => {
        const there = algebra.label(KubernetesLabel.zone, zone);
        const both = alternatives.map((set) => algebra.set([...set.items, there]));
        return [zone, this.number({ tolerations, alternatives: both })];
      }),
    );
  }
}

interface CountedShape {
  count: number;
  readonly amounts: readonly number[];
  readonly placement: number;
  /** The spread that may divide it. */
  readonly group: ZoneSpread | undefined;
}

/** The parts of a pod that the bound uses; other parts would split equal pods. */
function relevantPart(pod: Pod): Pick<Pod, 'spec' | 'status'> {
  const { containers, initContainers, overhead, resources, nodeSelector, tolerations, affinity } =
    pod.spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const resized = resizedContainers(containers ?? [], pod.status?.containerStatuses);
  const lean = (list: typeof containers) =>
    list?.map(({ name, resources: own, restartPolicy }) => ({
      ...(resized.length === 0 ? {} : { name }),
      resources: own,
      restartPolicy,
    }));
  return {
    spec: {
      containers: lean(containers) ?? [],
      ...(initContainers === undefined ? {} : { initContainers: lean(initContainers) }),
      ...(overhead === undefined ? {} : { overhead }),
      ...(resources === undefined ? {} : { resources }),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(tolerations === undefined ? {} : { tolerations }),
      ...(required === undefined
        ? {}
        : { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } } }),
    } as Pod['spec'],
    ...(resized.length === 0 ? {} : { status: { containerStatuses: resized } }),
  };
}

function placementKey({ tolerations, alternatives }: Placement): string {
  return `${JSON.stringify(tolerations)}|${alternatives.map((set) => set.id).join()}`;
}

/** One demand for each placement and amounts. */
export function mergeEqual(demands: readonly Demand[]): Demand[] {
  const merged = new Map<string, { count: number; amounts: readonly number[]; placement: number }>();
  for (const { count, amounts, placement } of demands) {
    const key = `${placement}:${amounts.join()}`;
    const same = merged.get(key);
    if (same === undefined) merged.set(key, { count, amounts, placement });
    else same.count += count;
  }
  return [...merged.values()];
}
