/**
 * A refusal in plain words, as lines that can be indented: first what stops the pods everywhere, then pool
 * by pool, then the nodes. The planner supplies codes and facts. It also supplies the one-line text with the
 * phrases of Karpenter, which JSON and YAML contain.
 */
import {
  type CountedRefusal,
  inOneUnit,
  type PodProblem,
  type PodRefusal,
  type PoolRefusal,
  type Refusal,
  type VolumeProblem,
} from '../../scheduling/index.ts';

export interface RefusalLine {
  readonly depth: 0 | 1;
  readonly text: string;
}

export function refusalLines({ problem, pools, nodes, claims }: PodRefusal): RefusalLine[] {
  if (problem !== null) return [{ depth: 0, text: problemText(problem) }];
  return [
    ...pools.flatMap(poolLines),
    ...counted(nodes, 'existing node', 0),
    ...counted(claims, 'node of this plan', 0),
  ];
}

export function obstacleText(refusal: Refusal): string {
  return (OBSTACLES[refusal.code] as (one: Refusal) => string)(refusal);
}

// ---------------------------------------------------------------------------------------------------------------

type Words<T extends { readonly code: string }> = {
  readonly [C in T['code']]: (one: Extract<T, { code: C }>) => string;
};

const OBSTACLES: Words<Refusal> = {
  TaintNotTolerated: ({ taint }) =>
    `the pod does not tolerate the taint ${taint.key}${taint.value ? `=${taint.value}` : ''}:${taint.effect}`,
  LabelUndefined: ({ key, wanted, similar }) =>
    `the label ${key} is not set, and the pod requires ${wanted}${similar === null ? '' : ` (did you mean ${similar}?)`}`,
  RequirementIncompatible: ({ wanted, offered, source }) =>
    `the ${source} requires ${wanted}, but only ${offered} is offered`,
  ResourceInsufficient: ({ resource, ...amounts }) => {
    const [requested, available, missing] = inOneUnit(amounts.requested, amounts.available, amounts.missing);
    return `not enough ${resource}: ${requested} requested in total, ${available} available, ${missing} missing`;
  },
  NoOffering: () => 'no available offering meets the requirements',
  NoTypeMeetsAll: ({ requirements }) =>
    `no instance type meets all of these requirements: ${requirements.join(', ')}`,
  MinValuesUnmet: ({ key, wanted, found }) =>
    `minValues of ${key} is not met: ${wanted} required, ${found} left`,
  LimitExceeded: ({ resource, ...amounts }) => {
    const [limit, remaining, needed] = inOneUnit(amounts.limit, amounts.remaining, amounts.needed);
    return `the limit of ${limit} ${resource} would be exceeded: ${remaining} left, at least ${needed} needed`;
  },
  PoolWithoutTypes: ({ soldOut }) =>
    soldOut
      ? 'no instance type that the NodePool allows is available'
      : 'the NodePool has no instance type that meets its own requirements',
  ReservedOnly: ({ reservations }) => `it is waiting for reserved capacity: ${reservations.join(', ')}`,
  HostPortTaken: ({ port, protocol }) => `host port ${port}/${protocol} is in use`,
  TopologyUnsatisfiable: ({ kind, key, maxSkew, counts, podDomains }) =>
    `${kind} over ${key} cannot be satisfied${maxSkew === null ? '' : ` with a skew of ${maxSkew}`}` +
    ` (matching pods: ${countsText(counts)}; the pod may use ${podDomains})`,
  VolumeLimit: ({ driver, limit, used, wanted }) =>
    `${driver} attaches at most ${limit} volumes: ${used} in use, ${wanted} requested`,
};

const UNREADY: Readonly<Record<VolumeProblem, string>> = {
  missing: 'it does not exist',
  deleting: 'it is being deleted',
  lost: 'its volume is lost',
  'volume missing': 'its volume does not exist',
  'volume deleting': 'its volume is being deleted',
  'not yet bound': 'it names a volume and is not bound to it',
  'no storage class': 'it has neither a volume nor a storage class',
  'storage class missing': 'its storage class does not exist',
  'binds at once':
    'its storage class binds at once (volumeBindingMode Immediate), and pods wait until it is bound',
};

const PROBLEMS: Words<PodProblem> = {
  InvalidPod: ({ field, problem }) => `the pod is invalid: ${field}: ${problem}`,
  ResourceClaims: ({ claims }) =>
    `the pod uses resource claims, which are not simulated: ${claims.join(', ')}`,
  VolumeClaimMissing: ({ claim }) => `there is no PersistentVolumeClaim ${claim}`,
  StorageClassMissing: ({ claim, storageClass }) =>
    `PersistentVolumeClaim ${claim} references the StorageClass ${storageClass}, which does not exist`,
  VolumeUnbound: ({ claim, problem, name }) =>
    `PersistentVolumeClaim ${claim} is not ready: ${UNREADY[problem]}${name === undefined ? '' : ` (${name})`}`,
  VolumeMissing: ({ claim, volume }) =>
    `PersistentVolumeClaim ${claim} references the PersistentVolume ${volume}, which does not exist`,
  NoPools: () => 'there is no NodePool that could launch a node',
};

function problemText(problem: PodProblem): string {
  return (PROBLEMS[problem.code] as (one: PodProblem) => string)(problem);
}

function poolLines({ nodePool, refusal, types }: PoolRefusal): RefusalLine[] {
  const text = obstacleText(refusal);
  const inner = counted(types, 'instance type', 1);
  const pool = (facts = '') => ({ depth: 0 as const, text: `NodePool ${nodePool}${facts}: ${text}` });
  // A reason that holds for all types is printed once.
  if (inner.length === 1 && inner[0]!.text.endsWith(`: ${text}`)) {
    const number = types.reduce((sum, group) => sum + group.count, 0);
    return [pool(number === 1 ? ', its one instance type' : `, all ${number} instance types`)];
  }
  return [pool(), ...inner];
}

/** Groups that differ only in facts that are not printed become one line. */
function counted(groups: readonly CountedRefusal[], what: string, depth: 0 | 1): RefusalLine[] {
  const merged = new Map<string, { count: number; examples: string[] }>();
  for (const { refusal, count, examples } of groups) {
    const text = obstacleText(refusal);
    const same = merged.get(text);
    if (same === undefined) merged.set(text, { count, examples: [...examples] });
    else {
      same.count += count;
      same.examples.push(...examples);
    }
  }
  return [...merged].map(([text, { count, examples }]) => {
    const shown = examples.slice(0, MAX_EXAMPLES);
    const named = shown.length === 0 ? '' : ` (${shown.join(', ')}${count > shown.length ? ', …' : ''})`;
    const noun = count === 1 ? what : what.replace(/^(existing node|node|instance type)/, '$1s');
    return { depth, text: `${count} ${noun}${named}: ${text}` };
  });
}

const MAX_EXAMPLES = 3;

function countsText(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).map(([domain, count]) => `${domain} ${count}`);
  return parts.length === 0 ? 'none' : parts.join(', ');
}
