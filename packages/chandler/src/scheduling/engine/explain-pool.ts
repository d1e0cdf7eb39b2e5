/**
 * Why a pool cannot launch a node for a pod: the first obstacle in order of evaluation, from the pool as a
 * whole down to its instance types.
 */
import { CORE_WELL_KNOWN_LABELS } from '../../api/index.ts';
import { isEmptyBits, members } from '../bits.ts';
import type { PoolRefusal, Refusal } from '../refusal.ts';
import type { Requirement, RequirementSet } from '../requirements/algebra.ts';
import { similarKey } from '../requirements/similar-key.ts';
import { requirementText } from '../requirements/text.ts';
import { untoleratedTaint } from '../taints.ts';
import { topologyRefusal } from './explain-topology.ts';
import { explainTypes } from './explain-types.ts';
import { requiredAffinityGroups } from './host-rules.ts';
import { allows, domainChoices, isOutside, staticTargets, targets } from './narrowing.ts';
import { totalsOfPod } from './new-claims.ts';
import { spreadBrokenBy } from './new-domains.ts';
import type { Variant } from './pod-class.ts';
import type { PoolEntry } from './pools.ts';
import type { Run } from './run.ts';
import { soldOutRows } from './sold-out.ts';
import type { State } from './states.ts';

export function poolRefusal(run: Run, variant: Variant, pool: PoolEntry): PoolRefusal {
  const template = run.compiled.templates[pool.index]!;
  const early = template === null ? poolWithoutTypes(pool) : beforeTypes(run, variant, pool, template);
  if (early !== undefined) return { nodePool: pool.name, refusal: early, types: [], filter: null };
  return { nodePool: pool.name, ...explainTypes(run, variant, pool, template!) };
}

/** The requirement of the pod or its volumes that the labels of the state exclude. */
export function meetRefusal(run: Run, variant: Variant, state: State): Refusal | undefined {
  const { states, algebra } = run.compiled;
  const { contradiction } = variant;
  if (contradiction !== null) {
    return {
      code: 'RequirementIncompatible',
      key: algebra.labels.keyName(contradiction.first.key),
      wanted: requirementText(algebra, contradiction.second),
      offered: requirementText(algebra, contradiction.first),
      source: 'pod',
    };
  }
  const own = setRefusal(run, state, variant.all, 'pod');
  if (own !== undefined || variant.alternatives === undefined) return own;
  const start = states.meet(state, variant.all) ?? state;
  const refusals = variant.alternatives.map((alternative) => setRefusal(run, start, alternative, 'volume'));
  return refusals.includes(undefined) ? undefined : refusals[0];
}

/** The topology rule that alone leaves no domain that the node can be in, if there is one: of the pod, or of pods whose spread it would break. */
export function topologyOf(run: Run, variant: Variant, state: State): Refusal | undefined {
  const { algebra, states } = run.compiled;
  const open = targets(run.compiled, variant, state);
  const broken = open.map((target) => spreadBrokenBy(run, target));
  if (open.length > 0 && !broken.includes(undefined))
    return topologyRefusal(run, broken[0]!, undefined, open[0]!.requirements[broken[0]!.spec.key]);
  for (const start of staticTargets(run.compiled, variant, state)) {
    for (const key of variant.domainKeys) {
      const choices = domainChoices(run.compiled, variant, start, key);
      if (isOutside(run.compiled, variant, start, key, choices)) continue;
      // A domain may be left in which only nodes of other pools can be. One that is only sold out is no matter of topology.
      const mayBeIn = (requirement: Requirement) =>
        states.meetOne(start, requirement) !== null || isSoldOutIn(run, start, requirement);
      if (choices.some(({ requirement }) => mayBeIn(requirement))) continue;
      const isPossible = (value: number) =>
        choices.length === 0 || states.meetOne(start, algebra.exactly(key, value)) !== null;
      const rules = variant.domainRules.filter((rule) => rule.group.spec.key === key);
      const nodeDomains = start.requirements[key];
      const closed = rules.find(
        (rule) =>
          !members(rule.group.known).some(
            (value) =>
              (nodeDomains === undefined || algebra.has(nodeDomains, value)) &&
              isPossible(value) &&
              allows(algebra, rule, value),
          ),
      );
      const rule = closed ?? rules[0]!;
      return topologyRefusal(run, rule.group, rule.podDomains, nodeDomains);
    }
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** Whether types of the pool would be there if their offerings were available. */
function isSoldOutIn(
  { compiled: { algebra } }: Run,
  { pool, requirements }: State,
  domain: Requirement,
): boolean {
  const own = pool.template.items.find(({ key }) => key === domain.key);
  if (own !== undefined && !algebra.intersects(own, domain)) return false;
  const wanted = [...requirements];
  wanted[domain.key] = domain;
  return soldOutRows(pool, wanted).length > 0;
}

function poolWithoutTypes(pool: PoolEntry): Refusal {
  const requirements: Requirement[] = [];
  for (const requirement of pool.template.items) requirements[requirement.key] = requirement;
  const soldOut = soldOutRows(pool, requirements).length > 0;
  return { code: 'PoolWithoutTypes', ...(soldOut ? { soldOut } : {}) };
}

function beforeTypes(run: Run, variant: Variant, pool: PoolEntry, template: State): Refusal | undefined {
  return (
    limitRefusal(run, variant, pool, template) ??
    taintRefusal(variant, pool) ??
    meetRefusal(run, variant, template) ??
    affinityRefusal(run, variant) ??
    topologyOf(run, variant, template)
  );
}

/** Limits that exclude every type; limits that exclude some are reported per type. */
function limitRefusal(run: Run, variant: Variant, pool: PoolEntry, template: State): Refusal | undefined {
  const { resources } = run.compiled;
  if (run.limits.nodesExhausted(pool)) {
    const left = run.limits.nodesLeft(pool);
    return {
      code: 'LimitExceeded',
      resource: 'nodes',
      limit: `${pool.nodeLimit}`,
      remaining: `${left}`,
      needed: '1',
    };
  }
  if (!isEmptyBits(run.limits.rowsWithin(pool))) return undefined;
  const rows = rowsFor(run, variant, pool, template);
  for (const [slot, left] of run.limits.remaining(pool)) {
    const smallest = Math.min(...rows.map((row) => pool.catalogue.rows[row]!.capacity[slot] ?? 0));
    if (smallest <= left) continue;
    return {
      code: 'LimitExceeded',
      resource: resources.name(slot),
      limit: resources.text(slot, pool.limits.get(slot)!),
      remaining: resources.text(slot, left),
      needed: resources.text(slot, smallest),
    };
  }
  return undefined;
}

/** Types that would do without the limit; all of them if there are none. */
function rowsFor(run: Run, variant: Variant, pool: PoolEntry, template: State): readonly number[] {
  totalsOfPod(run, variant);
  const { rows } = run.compiled.states.meet(template, variant.all) ?? template;
  const fitting = members(pool.fit.fitting(rows, run.totals, 0, run.claims.stride));
  return fitting.length > 0 ? fitting : [...pool.catalogue.rows.keys()];
}

function taintRefusal(variant: Variant, pool: PoolEntry): Refusal | undefined {
  const taint = untoleratedTaint(pool.taints, variant.tolerations.list);
  return taint === undefined ? undefined : { code: 'TaintNotTolerated', taint };
}

function affinityRefusal(run: Run, variant: Variant): Refusal | undefined {
  const group = requiredAffinityGroups(variant)[0];
  return group === undefined ? undefined : topologyRefusal(run, group, undefined, undefined);
}

function setRefusal(
  run: Run,
  state: State,
  set: RequirementSet,
  source: 'pod' | 'volume',
): Refusal | undefined {
  const { states, algebra } = run.compiled;
  const failure = states.failure(state, set);
  if (failure === undefined) return undefined;
  const key = algebra.labels.keyName(failure.requirement.key);
  const wanted = requirementText(algebra, failure.requirement);
  if (failure.kind === 'undefined')
    return { code: 'LabelUndefined', key, wanted, similar: similarKey(key, knownKeys(run, state)) };
  const offered = requirementText(algebra, failure.existing);
  return { code: 'RequirementIncompatible', key, wanted, offered, source };
}

/** The labels that a pod can select here. */
function knownKeys(run: Run, state: State): string[] {
  const { algebra, input } = run.compiled;
  const own = state.requirements.flatMap((item) =>
    item === undefined ? [] : [algebra.labels.keyName(item.key)],
  );
  return [...CORE_WELL_KNOWN_LABELS, ...(input.wellKnownLabels ?? []), ...own];
}
