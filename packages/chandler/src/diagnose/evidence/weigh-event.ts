/**
 * What the controller said about a pod, weighed. Of each NodePool it names one obstacle, the limit first, and nothing of
 * NodePools that are not ready. Which of them comes closest, and whether the pod would fit there at all, a plan knows;
 * without one, the taints and labels of the objects say it.
 */
import type { RefusalFact } from '../../causes/index.ts';
import { type Refusal, refusalText } from '../../scheduling/index.ts';

import { type CertainObstacles, certainObstacles, isSelected } from './may-take.ts';
import type { PodShape, PoolShape } from './shapes.ts';

/** The NodePools that come closest, and why each does not take the pod. */
export interface NearestPools {
  readonly pools: readonly PoolShape[];
  readonly refusals: readonly RefusalFact[];
}

/** Undefined: nothing was said about the NodePools that come closest, so that only the plan counts. */
export function weighedByPlan(
  said: readonly RefusalFact[],
  { pools, refusals }: NearestPools,
): readonly RefusalFact[] | undefined {
  const nearest = new Set(pools.map(({ metadata }) => metadata.name));
  // NodePools that were left out are there: the plan has them.
  const known = said.filter(({ code }) => code !== 'NoPools' || nearest.size === 0);
  // Nothing was said about NodePools, because the pod itself is wrong: the plan says the rest.
  if (known.length > 0 && known.every(({ nodePool }) => nodePool === undefined))
    return [...known.filter((fact) => !refusals.some((each) => isSame(each, fact))), ...refusals];
  const ofNearest = known.filter(({ nodePool }) => nodePool !== undefined && nearest.has(nodePool));
  if (ofNearest.length === 0) return undefined;
  const kept = furthest(ofNearest);
  const ofKept = refusals.filter((fact) => kept.some((each) => isOfPool(each, fact)));
  return [
    ...kept.filter((fact) => !isSaidBetter(fact, refusals)).map((fact) => inPlan(fact, refusals) ?? fact),
    ...ofKept.filter((fact) => isHiddenBy(ofNearest, fact)),
  ];
}

/** Of the NodePools that come closest by their taints and labels: these, and what was said about them. */
export function weighedByObjects(
  said: readonly RefusalFact[],
  pools: readonly PoolShape[],
  pod: PodShape,
  wellKnown: ReadonlySet<string> | undefined,
): NearestPools {
  if (pools.length === 0) return { pools, refusals: furthest(said) };
  const known = pools.map((pool) => ({ pool, certain: certainObstacles(pool, pod, wellKnown) }));
  const open = known.filter(({ certain }) => certain.taints.length === 0).map(({ pool }) => pool);
  const scores = known.map(({ pool, certain: { labels, taints } }) => {
    const selected = isSelected(pool, pod, wellKnown ?? new Set(), open);
    const own = labels.filter(({ isOwn }) => isOwn).length;
    return [selected ? 0 : taints.length, own, labels.length - own, selected ? taints.length : 0];
  });
  const best = scores.toSorted(compareScores)[0]!;
  const nearest = known.filter((_, index) => compareScores(scores[index]!, best) === 0);
  const names = new Set(nearest.map(({ pool }) => pool.metadata.name));
  const isAboutPools = said.some(({ nodePool }) => nodePool !== undefined);
  const ofNearest = isAboutPools
    ? said.filter(({ nodePool }) => nodePool !== undefined && names.has(nodePool))
    : said;
  const certain = nearest.flatMap((each) => certainFacts(each.pool, each.certain));
  return {
    pools: nearest.map(({ pool }) => pool),
    refusals: [
      ...(ofNearest.length === 0 ? [] : furthest(ofNearest)),
      ...certain.filter((fact) => !ofNearest.some((each) => isSame(each, fact))),
    ],
  };
}

/** Obstacles of a NodePool itself: its limits, its requirements, and what the cloud has for them. */
export const OF_POOL: ReadonlySet<string> = new Set([
  'LimitExceeded',
  'PoolWithoutTypes',
  'MinValuesUnmet',
  'ReservedOnly',
  'NoOffering',
]);

/** What certainly keeps a pod from a NodePool, one for each taint and label. */
export function certainFacts(
  { metadata: { name: nodePool } }: PoolShape,
  { labels, taints }: CertainObstacles,
): readonly RefusalFact[] {
  return [
    ...taints.map((taint) => ({
      code: 'TaintNotTolerated',
      facts: { taint: taint.key },
      text: refusalText({ code: 'TaintNotTolerated', taint }),
      nodePool,
    })),
    ...labels.map(({ key, value, allowed }) => ({
      code: allowed.length === 0 ? 'LabelUndefined' : 'RequirementIncompatible',
      facts: { key, wanted: value },
      text: `the pod requires ${key}=${value}, and ${allowed.length === 0 ? 'its nodes do not have it' : `it allows only ${valuesText(allowed)}`}`,
      nodePool,
    })),
  ];
}

/** The first number that differs decides. */
export function compareScores(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((amount, at) => amount !== other[at]);
  return index < 0 ? 0 : one[index]! - other[index]!;
}

// ---------------------------------------------------------------------------------------------------

/** In the order in which they are made; but the limit comes before all. */
const CHECKS: readonly Refusal['code'][] = [
  'PoolWithoutTypes',
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'TopologyUnsatisfiable',
  'LimitExceeded',
  'MinValuesUnmet',
  'ReservedOnly',
  'NoOffering',
  'NoTypeMeetsAll',
  'HostPortTaken',
  'VolumeLimit',
  'ResourceInsufficient',
];

/** Facts of the plan, and what the controller calls the same. */
const COARSER: Readonly<Record<string, string>> = {
  ResourceUnknown: 'ResourceInsufficient',
  VolumeElsewhere: 'RequirementIncompatible',
  StorageClassElsewhere: 'RequirementIncompatible',
};

/** What the plan knows from the objects alone, without the catalogue. */
const OF_OBJECTS: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
]);

/** What only sizes that the catalogue does not have would change, and these were ruled out. */
const OF_PLAN: ReadonlySet<string> = new Set([
  'VolumeElsewhere',
  'StorageClassElsewhere',
  'TopologyUnsatisfiable',
  'LimitExceeded',
  'ResourceInsufficient',
  'ResourceUnknown',
]);

function checkOf(code: string): number {
  return (CHECKS as readonly string[]).indexOf(COARSER[code] ?? code);
}

/**
 * A NodePool for other pods refuses this pod at an early check; the intended one refuses it at a later one. Refusals of an
 * unknown code are kept.
 */
function furthest(refusals: readonly RefusalFact[]): readonly RefusalFact[] {
  const last = Math.max(...refusals.map(({ code }) => checkOf(code)));
  return refusals.filter(({ code }) => checkOf(code) === last || checkOf(code) === -1);
}

/**
 * What the plan says in a sentence: the requirement of the NodePool, its limit and what is left, the pods that a rule selects,
 * or what DaemonSets request.
 */
const IN_WORDS: ReadonlySet<string> = new Set([
  'PoolWithoutTypes',
  'LimitExceeded',
  'TopologyUnsatisfiable',
  'ResourceInsufficient',
]);

function inPlan(said: RefusalFact, planned: readonly RefusalFact[]): RefusalFact | undefined {
  return planned.find((fact) => IN_WORDS.has(fact.code) && isSame(fact, said));
}

/** The controller may have met the obstacle and named another one instead. */
function isHiddenBy(said: readonly RefusalFact[], fact: RefusalFact): boolean {
  if (said.some((each) => isSame(each, fact))) return false;
  if (OF_OBJECTS.has(fact.code)) return true;
  return OF_PLAN.has(fact.code) && !said.some((each) => isOfPool(each, fact) && hasPassed(each, fact));
}

/** It came to a later check. A limit is checked before all. */
function hasPassed({ code: said }: RefusalFact, { code }: RefusalFact): boolean {
  if (code === 'LimitExceeded' && OF_SIZES.has(said)) return false;
  return said !== 'LimitExceeded' && checkOf(said) > checkOf(code);
}

/** Said of the sizes that a limit leaves: those that are too large for it are left out before, without a word. */
const OF_SIZES: ReadonlySet<string> = new Set(['NoOffering', 'NoTypeMeetsAll', 'ResourceInsufficient']);

/** The plan names the resource, the volume or the limit, and has nothing else that the controller could have meant. */
function isSaidBetter(said: RefusalFact, planned: readonly RefusalFact[]): boolean {
  const ofPool = planned.filter((fact) => isOfPool(said, fact));
  const isBetter = ({ code }: RefusalFact) =>
    COARSER[code] === said.code || (code === 'LimitExceeded' && OF_SIZES.has(said.code));
  return ofPool.some(isBetter) && !ofPool.some(({ code }) => code === said.code);
}

function isSame(one: RefusalFact, other: RefusalFact): boolean {
  return one.code === other.code && one.nodePool === other.nodePool;
}

/** Some facts are the same of every NodePool. */
function isOfPool({ nodePool: one }: RefusalFact, { nodePool: other }: RefusalFact): boolean {
  return one === undefined || other === undefined || one === other;
}

const MAX_VALUES = 5;

function valuesText(values: readonly string[]): string {
  const more = values.length > MAX_VALUES ? ` and ${values.length - MAX_VALUES} more` : '';
  return `${values.slice(0, MAX_VALUES).join(more === '' ? ' or ' : ', ')}${more}`;
}
