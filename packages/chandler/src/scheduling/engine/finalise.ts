/**
 * Turns the claims of a run into planned NodeClaims: instance types by price, truncated to the maximum,
 * requirements, labels, and requests including daemons. Equal claims share these parts, also in later plans with the same
 * NodePools.
 */
import { CapacityType, KarpenterAnnotation, KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { type Bits, bitsKey, hasBit, NO_BITS, orBits } from '../bits.ts';
import type { LabelRequirement } from '../model.ts';
import type { CheapestOffering, PlannedClaim } from '../plan.ts';
import { byCodeUnit, excludes, type Requirement } from '../requirements/algebra.ts';
import { anyValue, serializeRequirement } from '../requirements/text.ts';
import { ATTACHMENT_PREFIX } from '../resources.ts';
import { capacityTypesOf } from './min-values.ts';
import { isNewDomain, spreadBrokenBy } from './new-domains.ts';
import { keptToCheapest } from './other-launches.ts';
import { HIDDEN_LABELS } from './pools.ts';
import type { Run } from './run.ts';
import type { PricedRow, State } from './states.ts';
import { chooseTypes } from './type-choice.ts';

export function plannedClaims(run: Run): PlannedClaim[] {
  const finalizer = new Finalizer(run);
  return Array.from({ length: run.claims.count }, (_, claim) =>
    finalizer.planned(claim, run.claims.states[claim]!),
  );
}

/** The claims of a run of which some can become only the zone and capacity type that are the cheapest. */
export function keptClaims(
  run: Run,
  planned: readonly PlannedClaim[],
  kept: ReadonlySet<number>,
): readonly PlannedClaim[] {
  if (kept.size === 0) return planned;
  const finalizer = new Finalizer(run);
  return planned.map((each, claim) =>
    kept.has(claim)
      ? { ...finalizer.planned(claim, keptToCheapest(run, claim, each)), labels: each.labels }
      : each,
  );
}

interface Offer {
  readonly instanceTypes: readonly string[];
  readonly instanceTypeCount: number;
  readonly cheapest: CheapestOffering;
  readonly requirements: readonly LabelRequirement[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly daemonAmounts: readonly number[];
}

/** By state: what claims with the same rows have in common, whatever the run. */
const known = new WeakMap<State, Map<string, Offer>>();

class Finalizer {
  readonly #run: Run;
  readonly #labelsByState = new Map<State, Readonly<Record<string, string>>>();

  constructor(run: Run) {
    this.#run = run;
  }

  planned(claim: number, state: State): PlannedClaim {
    const { claims, compiled, queue } = this.#run;
    const { pool } = state;
    const extras = claims.extras[claim];
    const held = [...(extras?.reservations ?? [])].sort(byCodeUnit);
    const relaxed = extras?.minValuesRelaxed ?? false;
    const start = claim * claims.stride;
    const amounts = claims.amounts.slice(start, start + claims.stride);
    const rows = pool.fit.fitting(state.rows, amounts, 0, claims.stride);
    const offer = this.#offer(state, rows, held, relaxed);
    return {
      id: `${pool.name}-${claim + 1}`,
      nodePool: pool.name,
      labels: this.#labels(state),
      annotations: offer.annotations,
      taints: pool.taints,
      startupTaints: pool.object.spec.template.spec.startupTaints ?? [],
      requirements: offer.requirements,
      requests: this.#texts(amounts.map((amount, slot) => amount + (offer.daemonAmounts[slot] ?? 0))),
      daemonRequests: this.#texts(offer.daemonAmounts),
      instanceTypes: offer.instanceTypes,
      instanceTypeCount: offer.instanceTypeCount,
      cheapest: offer.cheapest,
      pods: claims.pods[claim]!.map((index) => queue[index]!.key),
      reservations: compiled.pools.length === 0 ? [] : held,
      minValuesRelaxed: relaxed,
    };
  }

  #texts(amounts: readonly number[] | Float64Array): Record<string, string> {
    const texts = this.#run.compiled.resources.texts(amounts);
    for (const name in texts) if (name.startsWith(ATTACHMENT_PREFIX)) delete texts[name];
    return texts;
  }

  #offer(state: State, rows: Bits, held: readonly string[], relaxed: boolean): Offer {
    const { input, options, states } = this.#run.compiled;
    const reserved = held.length === 0 ? '' : `${held.join()}/${input.reservationLabel}`;
    const key = `${bitsKey(rows)}/${options.maxInstanceTypes}/${relaxed}/${reserved}`;
    let offers = known.get(state);
    if (offers === undefined) {
      offers = new Map();
      known.set(state, offers);
    }
    let offer = offers.get(key);
    if (offer === undefined) {
      offer = this.#build(state, rows, held, relaxed);
      offers.set(key, offer);
      states.noteOffer(offer.instanceTypes.length);
    }
    return offer;
  }

  #build(state: State, rows: Bits, held: readonly string[], relaxed: boolean): Offer {
    const { compiled } = this.#run;
    const { catalogue } = state.pool;
    const priced = catalogue.hasReservations
      ? this.#pricedWith(state, rows, held)
      : compiled.states.pricedRows(state).filter(({ row }) => hasBit(rows, row));
    const { chosen, total } = chooseTypes(compiled.algebra, state, priced, compiled.options.maxInstanceTypes);
    const names = chosen.map(({ row }) => catalogue.rows[row]!.type.name);
    const best = catalogue.offerings[chosen[0]!.offering]!;
    return {
      instanceTypes: names,
      instanceTypeCount: total,
      cheapest: {
        instanceType: names[0]!,
        price: best.price,
        zone: best.zone,
        capacityType: best.capacityType,
      },
      requirements: this.#requirements(state, chosen, held),
      annotations: this.#annotations(state, names, relaxed),
      daemonAmounts: this.#daemonAmounts(state, rows),
    };
  }

  /** Reserved offerings count only for claims that hold them. */
  #pricedWith(state: State, rows: Bits, held: readonly string[]): PricedRow[] {
    const { catalogue } = state.pool;
    const best = new Map<number, PricedRow>();
    for (const { index, row, reservation, price } of catalogue.offerings) {
      if (!hasBit(rows, row) || !hasBit(state.offerings, index)) continue;
      const usable = held.length === 0 ? reservation === undefined : held.includes(reservation?.id ?? '');
      const known = best.get(row);
      if (usable && (known === undefined || price < known.price))
        best.set(row, { row, offering: index, price });
    }
    const name = ({ row }: PricedRow) => catalogue.rows[row]!.type.name;
    return [...best.values()].sort((one, two) => one.price - two.price || byCodeUnit(name(one), name(two)));
  }

  #requirements(state: State, chosen: readonly PricedRow[], held: readonly string[]): LabelRequirement[] {
    const { algebra, input } = this.#run.compiled;
    const { catalogue } = state.pool;
    const own = state.requirements
      .filter((requirement) => requirement !== undefined)
      .map((requirement) => (held.length > 0 ? this.#forReservation(requirement) : requirement));
    const more: Requirement[] = [];
    const types = chosen.map(({ row }) => catalogue.rows[row]!.type.name);
    more.push(inValues(this.#run, KubernetesLabel.instanceType, types));
    const capacityTypes =
      held.length > 0
        ? [CapacityType.reserved]
        : capacityTypesOf(
            state,
            chosen.map(({ row }) => row),
          );
    if (capacityTypes.length > 0) more.push(inValues(this.#run, KarpenterLabel.capacityType, capacityTypes));
    if (held.length > 0 && input.reservationLabel !== undefined) {
      more.push(inValues(this.#run, input.reservationLabel, held));
    }
    return algebra
      .set([...own, ...more])
      .items.filter((requirement) => !HIDDEN_LABELS.has(algebra.labels.keyName(requirement.key)))
      .flatMap((requirement) => serializeRequirement(algebra, requirement))
      .sort((first, second) => byCodeUnit(first.key, second.key));
  }

  /** A claim that holds reservations lists these alone, so it cannot list as many values as minValues asks for. */
  #forReservation(requirement: Requirement): Requirement {
    const { algebra, input } = this.#run.compiled;
    const key = algebra.labels.keyName(requirement.key);
    const isListed = key === KarpenterLabel.capacityType || key === input.reservationLabel;
    return isListed && requirement.minValues !== null
      ? algebra.withMinValues(requirement, null)
      : requirement;
  }

  /** Labels of the template, and a concrete value for every custom label that is required and has several values. */
  #labels(state: State): Readonly<Record<string, string>> {
    let labels = this.#labelsByState.get(state);
    if (labels === undefined) {
      labels = this.#readLabels(state);
      this.#labelsByState.set(state, labels);
    }
    return labels;
  }

  #readLabels(state: State): Record<string, string> {
    const { algebra, isWellKnown } = this.#run.compiled;
    const labels: Record<string, string> = { ...state.pool.labels };
    for (const requirement of state.requirements) {
      if (requirement === undefined || isWellKnown(requirement.key)) continue;
      const key = algebra.labels.keyName(requirement.key);
      if (HIDDEN_LABELS.has(key)) continue;
      const value = this.#knownDomain(state, requirement) ?? anyValue(algebra, requirement);
      if (value !== undefined) labels[key] = value;
    }
    return Object.fromEntries(Object.entries(labels).sort(([first], [second]) => byCodeUnit(first, second)));
  }

  /**
   * For a value that is open, or one of several: the first domain of the spreads over this label. A new domain would change
   * their skew, so one that all of them know is the best, then one that breaks none.
   */
  #knownDomain(state: State, requirement: Requirement): string | undefined {
    const { algebra, groups, states } = this.#run.compiled;
    const { key } = requirement;
    if (excludes(requirement) || (!requirement.complement && requirement.size < 2)) return undefined;
    const spreads = groups.all.filter(({ spec }) => spec.kind === 'spread' && spec.key === key);
    const known = spreads.map((group) => group.known).reduce(orBits, NO_BITS);
    const values = algebra.valuesByName(key, known).filter((value) => algebra.has(requirement, value));
    const nodeIn = (value: number) => states.meetOne(state, algebra.exactly(key, value)) ?? state;
    const value =
      values.find((each) => !spreads.some((group) => isNewDomain(this.#run, group, nodeIn(each)))) ??
      values.find((each) => spreadBrokenBy(this.#run, nodeIn(each)) === undefined) ??
      values[0];
    return value === undefined ? undefined : algebra.labels.valueName(key, value);
  }

  #annotations(state: State, types: readonly string[], relaxed: boolean): Record<string, string> {
    const { overlaid, object } = state.pool;
    const annotations: Record<string, string> = { ...object.spec.template.metadata?.annotations };
    annotations[KarpenterAnnotation.minValuesRelaxed] = `${relaxed}`;
    if (types.some((type) => overlaid.repriced.has(type))) {
      annotations[KarpenterAnnotation.priceOverlayApplied] = 'true';
    }
    if (types.some((type) => overlaid.enlarged.has(type))) {
      annotations[KarpenterAnnotation.capacityOverlayApplied] = 'true';
    }
    return annotations;
  }

  /** The requests of daemons: the minimum over the remaining types. */
  #daemonAmounts(state: State, rows: Bits): number[] {
    const { daemonGroups, groupOfRow } = state.pool;
    const used = new Set<number>();
    for (let row = 0; row < groupOfRow.length; row++) if (hasBit(rows, row)) used.add(groupOfRow[row]!);
    const sums = [...used].map((group) => daemonGroups[group]!.amounts);
    const length = Math.max(0, ...sums.map((sum) => sum.length));
    return Array.from({ length }, (_, slot) => Math.min(...sums.map((sum) => sum[slot] ?? 0)));
  }
}

// ---------------------------------------------------------------------------------------------------------------

function inValues(run: Run, keyName: string, values: readonly string[]): Requirement {
  return run.compiled.algebra.parse(keyName, 'In', values) as Requirement;
}
