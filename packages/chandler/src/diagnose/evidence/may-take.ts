/**
 * What keeps a pod from a NodePool by its taints and labels alone, without the engine: for where no plan is possible, and
 * to leave out NodePools of which it is certain that others are nearer. And what shows that the pod is meant for it. Labels
 * of instance types are not compared.
 */
import type { Taint } from '@chandler/kube';
import { KarpenterLabel, normalizeLabel } from '../../api/index.ts';
import { toleratesTaint } from '../../scheduling/index.ts';

import type { PodShape, PoolShape } from './shapes.ts';

export interface CertainObstacles {
  /** That the pod requires and nodes of the NodePool do not have. */
  readonly labels: readonly MissingLabel[];
  /** One of each key and effect. */
  readonly taints: readonly Taint[];
}

export interface MissingLabel {
  readonly key: string;
  readonly value: string;
  /** Only what a NodePool says of itself can have it. */
  readonly isOwn: boolean;
  /** The values that the NodePool allows. None: it does not name the label. */
  readonly allowed: readonly string[];
}

/** A NodePool that cannot take the pod is for other pods, and what fails there says nothing about this one. */
export function mayTake(pool: PoolShape, pod: PodShape): boolean {
  const { labels, taints } = certainObstacles(pool, pod);
  return labels.length + taints.length === 0;
}

/** @param wellKnown labels that nodes may have without being named by the NodePool. Absent: any label may be one. */
export function certainObstacles(
  pool: PoolShape,
  pod: PodShape,
  wellKnown?: ReadonlySet<string>,
): CertainObstacles {
  const offered = offeredLabels(pool);
  const missing = requiredLabels(pod).map((all) => all.filter((each) => isMissing(offered, each, wellKnown)));
  const ownOf = (all: readonly RequiredLabel[]) => all.filter(({ key }) => isOwnLabel(key, wellKnown)).length;
  // Of several alternatives, one is enough; of two, the one that is not for other NodePools.
  const [fewest = []] = missing.toSorted(
    (one, other) => one.length - other.length || ownOf(one) - ownOf(other),
  );
  const untolerated = untoleratedTaints(pool, pod);
  return {
    labels: fewest.map(({ key, values }) => ({
      key,
      value: values.join(' or '),
      isOwn: isOwnLabel(key, wellKnown),
      allowed: allowedValues(offered.get(key)),
    })),
    taints: [...new Map(untolerated.map((taint) => [`${taint.key} ${taint.effect}`, taint])).values()],
  };
}

/** Nodes of the NodePool may have one of these values of a label that every node has. */
export function allowsLabel(pool: PoolShape, key: string, values: readonly string[]): boolean {
  return !isMissing(offeredLabels(pool), { name: key, key, values }, undefined);
}

/** A label that NodePools are told apart by: their name, and labels that are not of every node. */
export function isOwnLabel(key: string, wellKnown: ReadonlySet<string> | undefined): boolean {
  const name = normalizeLabel(key);
  return name === KarpenterLabel.nodePool || wellKnown?.has(name) !== true;
}

/** The values of a label that instance types of a NodePool have; undefined: any, or not known. */
export type TypeValues = (pool: PoolShape, key: string) => ReadonlySet<string> | undefined;

/**
 * The pod selects the NodePool: by its name, by a label of its own, or by the only value that it allows of a label that
 * every NodePool may have.
 * @param open the NodePools that no taint keeps the pod from. What one of them has says nothing, unless it lacks
 *   more of the labels that the pod requires.
 * @param typeValues where it is known what instance types have: nodes of a Linux image are not for Windows.
 */
export function isSelected(
  pool: PoolShape,
  pod: PodShape,
  wellKnown: ReadonlySet<string>,
  open: readonly PoolShape[],
  typeValues: TypeValues = () => undefined,
): boolean {
  const lacks = (each: PoolShape, offered: Offered, label: RequiredLabel) => {
    const known = typeValues(each, label.key);
    return (
      isMissing(offered, label, wellKnown) ||
      (known !== undefined && !label.values.some((value) => known.has(value)))
    );
  };
  const offered = offeredLabels(pool);
  const others = open.filter((each) => each !== pool).map((each) => ({ each, labels: offeredLabels(each) }));
  return requiredLabels(pod).some((all) => {
    const lacking = all.filter((label) => lacks(pool, offered, label)).length;
    const rivals = others.filter(
      ({ each, labels }) => all.filter((label) => lacks(each, labels, label)).length <= lacking,
    );
    return all.some((label) => {
      const own = offered.get(label.key);
      if (own === undefined || own === ANY) return false;
      const isWanted = (value: string) => label.values.includes(value);
      const isNamed = wellKnown.has(label.key) ? own.every(isWanted) : own.some(isWanted);
      return isNamed && rivals.every(({ each, labels }) => lacks(each, labels, label));
    });
  });
}

/**
 * The pod is meant for a NodePool although it does not tolerate its taints: it selects it, has a toleration for another
 * value or effect of such a taint, or asks for sizes or devices, and the NodePool is for certain sizes or devices.
 */
export function isMeantFor(
  pool: PoolShape,
  pod: PodShape,
  sizeLabels: ReadonlySet<string>,
  selected: boolean,
): boolean {
  if (selected) return true;
  const keys = new Set(untoleratedTaints(pool, pod).map(({ key }) => key));
  if ((pod.spec.tolerations ?? []).some(({ key = '' }) => keys.has(key))) return true;
  const devices = devicesOf(pod);
  if (devices.some((name) => keys.has(name))) return true;
  const { requirements = [] } = pool.spec.template.spec;
  const isForSizes = requirements.some(({ key }) => sizeLabels.has(normalizeLabel(key)));
  const asksForSizes = requiredLabels(pod).some((all) => all.some(({ key }) => sizeLabels.has(key)));
  return isForSizes && (asksForSizes || devices.length > 0);
}

/** The pod selects the NodePool by its name, whichever alternative of its affinity counts. */
export function isSelectedByName({ metadata }: PoolShape, pod: PodShape): boolean {
  return requiredLabels(pod).every((all) =>
    all.some(({ key, values }) => key === KarpenterLabel.nodePool && values.includes(metadata.name)),
  );
}

/** Labels that the pod requires and that the NodePool names with such a value. */
export function namedLabels(pool: PoolShape, pod: PodShape): ReadonlySet<string> {
  const offered = offeredLabels(pool);
  const named = requiredLabels(pod)
    .flat()
    .filter((label) => offered.has(label.key) && !isMissing(offered, label, undefined));
  return new Set(named.map(({ key }) => key));
}

// ---------------------------------------------------------------------------------------------------

const ANY = 'any';

type Offered = ReadonlyMap<string, readonly string[] | typeof ANY>;

export interface RequiredLabel {
  /** As the pod writes it. */
  readonly name: string;
  readonly key: string;
  readonly values: readonly string[];
}

/** One list for each alternative of its node affinity. Only what requires some value. */
export function requiredLabels({ spec }: PodShape): readonly (readonly RequiredLabel[])[] {
  const selected = Object.entries(spec.nodeSelector ?? {}).map(([name, value]) => ({
    name,
    key: normalizeLabel(name),
    values: [value],
  }));
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const terms = required?.nodeSelectorTerms ?? [];
  if (terms.length === 0) return [selected];
  return terms.map(({ matchExpressions = [] }) => [
    ...selected,
    ...matchExpressions
      .filter(({ operator }) => operator === 'In')
      .map(({ key: name, values = [] }) => ({ name, key: normalizeLabel(name), values })),
  ]);
}

function isMissing(
  offered: Offered,
  { key, values: wanted }: RequiredLabel,
  wellKnown: ReadonlySet<string> | undefined,
): boolean {
  const values = offered.get(key);
  if (values === undefined) return wellKnown?.has(key) === false;
  return values !== ANY && !values.some((value) => wanted.includes(value));
}

function allowedValues(offered: readonly string[] | typeof ANY | undefined): readonly string[] {
  return offered === undefined || offered === ANY ? [] : offered;
}

function untoleratedTaints(pool: PoolShape, { spec }: PodShape): readonly Taint[] {
  const { taints = [] } = pool.spec.template.spec;
  return taints.filter(
    (taint) =>
      taint.effect !== 'PreferNoSchedule' &&
      !(spec.tolerations ?? []).some((each) => toleratesTaint(each, taint)),
  );
}

/** Extended resources have a domain: `nvidia.com/gpu`. */
function devicesOf({ spec }: PodShape): readonly string[] {
  const all = [...spec.containers, ...(spec.initContainers ?? [])];
  return all.flatMap(({ resources }) => {
    const { limits = {}, requests = {} } = (resources ?? {}) as Record<string, object>;
    return Object.keys({ ...limits, ...requests }).filter((name) => name.includes('/'));
  });
}

/** By label: the values that the NodePool allows, or that it names the label otherwise. */
function offeredLabels({ metadata, spec }: PoolShape): Offered {
  const { template } = spec;
  const offered = new Map<string, readonly string[] | typeof ANY>();
  for (const { key: name, operator, values = [] } of template.spec.requirements ?? []) {
    const key = normalizeLabel(name);
    const before = offered.get(key) ?? ANY;
    if (operator !== 'In') offered.set(key, before);
    else offered.set(key, before === ANY ? values : before.filter((value) => values.includes(value)));
  }
  for (const [key, value] of Object.entries(template.metadata?.labels ?? {}))
    offered.set(normalizeLabel(key), [value]);
  return offered.set(KarpenterLabel.nodePool, [metadata.name]);
}
