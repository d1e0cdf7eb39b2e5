/**
 * Regional offerings: instances that the cloud places in no zone. Their zone label names none, so it is no domain of a
 * zonal spread while the pod can run in a zone. kube-scheduler counts every value of the label on existing nodes, so an
 * existing regional node remains a domain.
 */
import { KubernetesLabel } from '../../api/index.ts';
import { hasBit } from '../bits.ts';
import type { CatalogueOffering } from '../catalogue/catalogue.ts';
import type { Toleration } from '../model.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import type { Requests } from '../resources.ts';
import { untoleratedHardTaint } from '../taints.ts';
import type { PoolEntry } from './pools.ts';
import type { State } from './states.ts';

export interface RegionalContext {
  readonly algebra: Algebra;
  readonly pools: readonly PoolEntry[];
  readonly templates: readonly (State | null)[];
  /** By pool: the total capacity of its nodes, including the number of nodes. */
  readonly usage: readonly (readonly number[])[];
  readonly nodesSlot: number;
}

/** What decides where a pod can run, besides topology. */
export interface PodNeeds {
  /** Alternatives; empty: no requirement. */
  readonly terms: readonly RequirementSet[];
  /** Alternatives of its volumes, of which one must hold, too; undefined: no requirement. */
  readonly volumes: readonly RequirementSet[] | undefined;
  readonly tolerations: readonly Toleration[];
  readonly requests: Requests;
}

export class RegionalOfferings {
  readonly #context: RegionalContext;
  readonly #zoneKey: number;
  /** Numbers of the zone label that stand for no zone. */
  readonly #values = new Set<number>();
  readonly #reach = new Map<string, boolean>();

  constructor(context: RegionalContext) {
    this.#context = context;
    const { labels } = context.algebra;
    this.#zoneKey = labels.key(KubernetesLabel.zone);
    const names = new Set<string>();
    for (const { catalogue } of context.pools)
      for (const { regional, zone } of catalogue.offerings) if (regional && zone !== null) names.add(zone);
    for (const name of names) this.#values.add(labels.value(this.#zoneKey, name));
  }

  /** Whether the label value is a zone in name only. */
  isRegional(key: number, value: number): boolean {
    return key === this.#zoneKey && this.#values.has(value);
  }

  /** Whether a new node in a zone could run the pod, within the limits before the run. */
  reachesZone(needs: PodNeeds): boolean {
    // Without regional offerings there is nothing to tell apart.
    if (this.#values.size === 0) return true;
    const { terms, volumes, tolerations, requests } = needs;
    const key = [terms, volumes ?? NO_SETS].map((sets) => sets.map(({ id }) => id).join());
    const memo = [...key, volumes === undefined, JSON.stringify(tolerations), requests.id].join('|');
    let result = this.#reach.get(memo);
    if (result === undefined) {
      result = this.#context.pools.some((pool) => this.#poolReachesZone(pool, needs));
      this.#reach.set(memo, result);
    }
    return result;
  }

  #poolReachesZone(pool: PoolEntry, { terms, volumes, tolerations, requests }: PodNeeds): boolean {
    const template = this.#context.templates[pool.index] ?? null;
    if (template === null || untoleratedHardTaint(pool.taints, tolerations) !== undefined) return false;
    if (this.#isFull(pool)) return false;
    const meetsOne = (sets: readonly RequirementSet[], offering: CatalogueOffering) =>
      sets.some(({ items }) => items.every((wanted) => this.#meets(pool, offering, wanted)));
    return pool.catalogue.offerings.some(
      (offering) =>
        !offering.regional &&
        offering.zone !== null &&
        hasBit(template.offerings, offering.index) &&
        // Without what daemons of the pool use there.
        fits(requests, pool.fit.free[offering.row]!) &&
        this.#isWithinLimits(pool, offering.row) &&
        (terms.length === 0 || meetsOne(terms, offering)) &&
        (volumes === undefined || meetsOne(volumes, offering)),
    );
  }

  #isFull(pool: PoolEntry): boolean {
    const { usage, nodesSlot } = this.#context;
    return pool.nodeLimit !== null && (usage[pool.index]![nodesSlot] ?? 0) >= pool.nodeLimit;
  }

  #isWithinLimits(pool: PoolEntry, row: number): boolean {
    const used = this.#context.usage[pool.index]!;
    const { capacity } = pool.catalogue.rows[row]!;
    for (const [slot, limit] of pool.limits) {
      if ((used[slot] ?? 0) + (capacity[slot] ?? 0) > limit) return false;
    }
    return true;
  }

  /** By the first of offering, type and NodePool that sets the label. */
  #meets(pool: PoolEntry, offering: CatalogueOffering, wanted: Requirement): boolean {
    const { algebra } = this.#context;
    const sources = [
      offering.requirements,
      pool.catalogue.rows[offering.row]!.type.requirements,
      pool.template,
    ].flatMap(({ items }) => items.find(({ key }) => key === wanted.key) ?? []);
    return sources.length === 0
      ? wanted.operator === 'NotIn' || wanted.operator === 'DoesNotExist'
      : sources.every((own) => algebra.overlaps(own, wanted));
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NO_SETS: readonly RequirementSet[] = [];

function fits({ slots, amounts }: Requests, allocatable: readonly number[]): boolean {
  return slots.every((slot, index) => amounts[index]! <= (allocatable[slot] ?? 0));
}
