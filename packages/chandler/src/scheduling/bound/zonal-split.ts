/**
 * Demands that a hard spread over zones divides: of pods that all have the same spread and that it counts, a certain number
 * is in each zone, whatever the plan. These become demands of their zones; the rest stays free.
 *
 * With N pods, zones P in which they can run, and at most s more pods in one zone than in the emptiest zone that counts: if
 * the emptiest has m pods, the others have at most m + s, so N ≤ m + (|P| - 1)(m + s). The smallest such m is in every zone
 * that counts. A zone counts when a node for the pods can be launched there, as in the planner; zones of a NodePool with
 * limits, which may not allow it, are not relied on. A spread that counts other pods too, pending or bound, is left aside.
 * Both can only lower the bound. kube-scheduler counts only zones that have nodes: the bound is not one for plans that avoid
 * a zone altogether, which the planner does not make.
 */
import { KubernetesLabel } from '../../api/index.ts';
import { hasBit } from '../bits.ts';
import type { LabelSelector, Pod, SchedulingInput, TopologySpreadConstraint } from '../model.ts';
import { DefaultSpreads } from '../pods/default-spread.ts';
import { isSoft } from '../pods/relaxations.ts';
import { compileSelector, type Selector } from '../selectors.ts';
import { namespaceOf } from '../shapes/named-pods.ts';
import { type Demand, type FreeCapacity, fits, type NewNode } from './bound-input.ts';

/** A hard spread over zones whose selector selects the pods that have it. */
export interface ZoneSpread {
  /** Equal for pods of one group. */
  readonly key: string;
  readonly namespace: string;
  readonly selector: Selector;
  readonly maxSkew: number;
}

/** A demand whose pods have such a spread, and the numbers of its placement in each zone. */
export interface SpreadDemand {
  readonly demand: Demand;
  readonly maxSkew: number;
  readonly zonal: ReadonlyMap<string, number>;
}

export class ZoneSpreads {
  readonly #defaults: DefaultSpreads | undefined;
  readonly #bound: ReadonlyMap<string, readonly Labels[]>;

  constructor({ defaultSpread, boundPods = [] }: SchedulingInput) {
    this.#defaults = defaultSpread === undefined ? undefined : new DefaultSpreads(defaultSpread);
    this.#bound = labelsByNamespace(boundPods);
  }

  /** Of these spreads of the pod, or of the defaults if it has none; undefined: none that divides. */
  of(pod: Pod, own: readonly TopologySpreadConstraint[]): ZoneSpread | undefined {
    const spreads = own.length > 0 ? own : (this.#defaults?.for(pod) ?? []);
    const labels = pod.metadata.labels ?? {};
    const namespace = namespaceOf(pod.metadata);
    for (const { topologyKey, labelSelector, matchLabelKeys, maxSkew, ...rest } of spreads.filter(
      (spread) => !isSoft(spread) && spread.topologyKey === KubernetesLabel.zone,
    )) {
      const selector = selectorOf(labelSelector, matchLabelKeys ?? [], labels);
      if (selector?.matches(labels) !== true) continue;
      const key = JSON.stringify([namespace, selector.key, maxSkew, topologyKey, rest]);
      return { key, namespace, selector, maxSkew };
    }
    return undefined;
  }

  /** The spreads that count only pods which have them. */
  alone(pods: readonly { readonly pod: Pod; readonly spread: ZoneSpread | undefined }[]): Set<string> {
    const spreads = new Map(
      pods.flatMap(({ spread }) => (spread === undefined ? [] : [[spread.key, spread]])),
    );
    const kinds = new Map<string, { namespace: string; labels: Labels; keys: Set<string> }>();
    for (const { pod, spread } of pods) {
      const namespace = namespaceOf(pod.metadata);
      const labels = pod.metadata.labels ?? {};
      const name = `${namespace} ${JSON.stringify(labels)}`;
      const kind = kinds.get(name) ?? { namespace, labels, keys: new Set() };
      kinds.set(name, kind);
      kind.keys.add(spread?.key ?? '');
    }
    const alone = new Set<string>();
    for (const { key, namespace, selector } of spreads.values()) {
      const others = [...kinds.values()].some(
        (kind) =>
          kind.namespace === namespace &&
          (kind.keys.size > 1 || !kind.keys.has(key)) &&
          selector.matches(kind.labels),
      );
      const bound = this.#bound.get(namespace)?.some((labels) => selector.matches(labels)) === true;
      if (!others && !bound) alone.add(key);
    }
    return alone;
  }
}

/** The demands, those with a spread divided. */
export function divided(
  spread: SpreadDemand,
  newNodes: readonly NewNode[],
  freeCapacity: readonly FreeCapacity[],
): Demand[] {
  const { demand, maxSkew, zonal } = spread;
  const { amounts, placement, count } = demand;
  const usable = newNodes.filter(({ serves, room }) => hasBit(serves, placement) && fits(amounts, room));
  // A node in an unknown zone may be in any.
  if (usable.some(({ zone }) => zone === null || !zonal.has(zone))) return [demand];
  const counted = new Set(usable.flatMap(({ zone, zoneCounts }) => (zoneCounts ? [zone!] : [])));
  const places = new Set(usable.map(({ zone }) => zone!));
  for (const [zone, number] of zonal) {
    if (freeCapacity.some(({ serves, largest }) => hasBit(serves, number) && fits(amounts, largest)))
      places.add(zone);
  }
  const each = Math.ceil((count - (places.size - 1) * maxSkew) / places.size);
  if (each <= 0 || counted.size === 0) return [demand];
  const rest = count - each * counted.size;
  return [
    ...[...counted].map((zone) => ({ amounts, count: each, placement: zonal.get(zone)! })),
    ...(rest > 0 ? [{ amounts, count: rest, placement }] : []),
  ];
}

/** All zones that offerings and nodes name. */
export function zonesOf({ pools, catalogues = {}, nodes = [] }: SchedulingInput): string[] {
  const zones = new Set(nodes.flatMap(({ labels }) => labels?.[KubernetesLabel.zone] ?? []));
  const lists = new Set(
    pools.map(({ instanceTypes }) =>
      typeof instanceTypes === 'string' ? (catalogues[instanceTypes] ?? []) : instanceTypes,
    ),
  );
  for (const list of lists)
    for (const { offerings } of list)
      for (const { requirements } of offerings ?? [])
        for (const { key, values } of requirements ?? [])
          if (key === KubernetesLabel.zone) for (const value of values ?? []) zones.add(value);
  return [...zones].sort();
}

// ---------------------------------------------------------------------------------------------------------------

type Labels = Readonly<Record<string, string>>;

function selectorOf(
  selector: LabelSelector | undefined,
  keys: readonly string[],
  labels: Labels,
): Selector | undefined {
  const extra = keys.flatMap((key) =>
    labels[key] === undefined ? [] : [{ key, operator: 'In', values: [labels[key]] }],
  );
  const compiled = compileSelector(selector, extra);
  return 'problem' in compiled ? undefined : compiled;
}

/** Of bound pods, each kind once. Those that have ended or are being deleted may still count. */
function labelsByNamespace(pods: readonly Pod[]): Map<string, readonly Labels[]> {
  const kinds = new Map<string, Map<string, Labels>>();
  for (const { metadata } of pods) {
    const labels = metadata.labels ?? {};
    const namespace = namespaceOf(metadata);
    const known = kinds.get(namespace) ?? new Map<string, Labels>();
    kinds.set(namespace, known.set(JSON.stringify(labels), labels));
  }
  return new Map([...kinds].map(([namespace, known]) => [namespace, [...known.values()]]));
}
