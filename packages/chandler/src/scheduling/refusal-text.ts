/**
 * Refusals as text. The phrases are those that Karpenter users know and search for. Programs read the facts from the
 * refusals; only `chandler why` reads the text, from events (`diagnose/evidence/refusal-phrases.ts`). A test of that file
 * fails if it does not recognise a text.
 */
import { inOneUnit } from './one-unit.ts';
import type {
  Amounts,
  CountedRefusal,
  PodProblem,
  PodRefusal,
  PoolRefusal,
  Refusal,
  TypeFilter,
} from './refusal.ts';
import { taintText } from './taints.ts';
import { claimProblemText } from './volumes/claim-problem.ts';

/**
 * All reasons of a pod in one line; pools in the order in which they were tried.
 * @param excluded pools that were not part of the plan, each with its reason: with these, pools do exist.
 */
export function podRefusalText(
  { problem, pools, nodes }: PodRefusal,
  excluded: readonly string[] = [],
): string {
  if (problem !== null && (problem.code !== 'NoPools' || excluded.length === 0))
    return [problemText(problem), ...excluded].join('; ');
  if (pools.length > 0) return [...pools.map(poolRefusalText), ...excluded].join('; ');
  return [...(excluded.length === 0 ? [NO_POOLS] : excluded), ...nodes.map(countedText)].join('; ');
}

export function poolRefusalText(pool: PoolRefusal): string {
  return `incompatible with nodepool ${JSON.stringify(pool.nodePool)}, ${poolReasonText(pool)}`;
}

/** Without the name of the pool. */
export function poolReasonText({ refusal, filter }: PoolRefusal): string {
  return filter === null ? refusalText(refusal) : filterText(refusal, filter);
}

/** `3: did not tolerate taint …`. */
export function countedText({ refusal, count }: CountedRefusal): string {
  return `${count}: ${refusalText(refusal)}`;
}

export function refusalText(refusal: Refusal): string {
  switch (refusal.code) {
    case 'TaintNotTolerated':
      return `did not tolerate taint (taint=${taintText(refusal.taint)})`;
    case 'LabelUndefined': {
      const hint = refusal.similar === null ? '' : ` (typo of ${JSON.stringify(refusal.similar)}?)`;
      return `incompatible requirements, label ${JSON.stringify(refusal.key)} does not have known values${hint}`;
    }
    case 'RequirementIncompatible': {
      const source =
        refusal.source === 'volume' ? 'incompatible volume requirements' : 'incompatible requirements';
      return `${source}, key ${refusal.key}, ${refusal.wanted} not in ${refusal.offered}`;
    }
    case 'ResourceInsufficient': {
      const [requested, available, missing] = inOneUnit(
        refusal.requested,
        refusal.available,
        refusal.missing,
      );
      return `not enough ${refusal.resource}: ${requested} requested, ${available} available, ${missing} missing`;
    }
    case 'NoOffering':
      return 'no instance type has the required offering';
    case 'NoTypeMeetsAll':
      return `no instance type met all requirements, requirements=${refusal.requirements.join(', ')}`;
    case 'MinValuesUnmet':
      return `minValues requirement is not met for label(s) (label(s)=[${refusal.key}]), ${refusal.wanted} wanted, ${refusal.found} found`;
    case 'LimitExceeded':
      return limitText(refusal);
    case 'PoolWithoutTypes':
      return `nodepool requirements filtered out all available instance types${refusal.soldOut ? ' (instance types that it allows have no available offering)' : ''}`;
    case 'ReservedOnly':
      return `one or more instance types with compatible reserved offerings are available, but could not be reserved (${refusal.reservations.join(', ')})`;
    case 'HostPortTaken':
      return `checking host port usage, IP: ${refusal.ip}, Port: ${refusal.port}, Proto: ${refusal.protocol} is already in use`;
    case 'TopologyUnsatisfiable':
      return topologyText(refusal);
    case 'VolumeLimit':
      return `checking volume usage, would exceed volume limit for ${refusal.driver}, ${refusal.used + refusal.wanted} > ${refusal.limit}`;
  }
}

export function problemText(problem: PodProblem): string {
  switch (problem.code) {
    case 'InvalidPod':
      return `${problem.field}: ${problem.problem}`;
    case 'ResourceClaims':
      return `pod has ${unsupportedClaims(problem.claims)}`;
    case 'VolumeClaimMissing':
      return `discovering persistent volume claim, ${JSON.stringify(problem.claim)} not found`;
    case 'StorageClassMissing':
      return `getting storage class ${JSON.stringify(problem.storageClass)} of ${JSON.stringify(problem.claim)}, not found`;
    case 'VolumeMissing':
      return `getting persistent volume ${JSON.stringify(problem.volume)} of ${JSON.stringify(problem.claim)}, not found`;
    case 'VolumeUnbound':
      return claimProblemText(problem.claim, problem);
    case 'NoPools':
      return NO_POOLS;
  }
}

export function unsupportedClaims(claims: readonly string[]): string {
  return `Dynamic Resource Allocation requirements that are not yet supported (${claims.join(', ')})`;
}

// ---------------------------------------------------------------------------------------------------------------

const NO_POOLS = 'no dynamic nodepools found';

/** One million cores: the user probably wrote M instead of m. */
const TYPO_CORES = 1_000_000;

function limitText(refusal: Extract<Refusal, { code: 'LimitExceeded' }>): string {
  const [limit, remaining, needed] = inOneUnit(refusal.limit, refusal.remaining, refusal.needed);
  const facts = `${refusal.resource}: limit ${limit}, ${remaining} left, ${needed} needed`;
  return refusal.resource === 'nodes'
    ? `node limits have been exhausted for nodepool (${facts})`
    : `all available instance types exceed limits for nodepool (${facts})`;
}

function topologyText(refusal: Extract<Refusal, { code: 'TopologyUnsatisfiable' }>): string {
  const counts = Object.entries(refusal.counts).map(([domain, count]) => `${domain}:${count}`);
  return (
    `unsatisfiable topology constraint for ${refusal.kind}, key=${refusal.key} (counts = ${counts.join(' ')}, ` +
    `podDomains = ${refusal.podDomains}, nodeDomains = ${refusal.nodeDomains})`
  );
}

function filterText(refusal: Refusal, filter: TypeFilter): string {
  if (
    refusal.code === 'MinValuesUnmet' ||
    refusal.code === 'LimitExceeded' ||
    refusal.code === 'ReservedOnly'
  ) {
    return refusalText(refusal);
  }
  const phrase = FILTER_PHRASES.find(({ when }) => when(filter))!.phrase;
  const facts = `requirements=${filter.requirements.join(', ')}, resources=${resourcesText(filter)}`;
  const hint = isTypo(filter) && !filter.fits ? ' (CPU request >= 1 Million, m vs M typo?)' : '';
  // Upstream's phrase covers available offerings only and would suggest a larger type.
  const unsold = filter.fitsUnsold ? ' (instance types that would fit have no available offering)' : '';
  return `${phrase}, ${facts}${hint}${unsold}`;
}

/** The first row that applies is used. */
const FILTER_PHRASES: readonly { readonly when: (filter: TypeFilter) => boolean; readonly phrase: string }[] =
  [
    {
      when: (filter) => !filter.requirementsMet && !filter.fits && !filter.hasOffering,
      phrase:
        'no instance type met the scheduling requirements or had enough resources or had a required offering',
    },
    {
      when: (filter) => !filter.requirementsMet && !filter.fits,
      phrase: 'no instance type met the scheduling requirements or had enough resources',
    },
    {
      when: (filter) => !filter.requirementsMet && !filter.hasOffering,
      phrase: 'no instance type met the scheduling requirements or had a required offering',
    },
    {
      when: (filter) => !filter.fits && !filter.hasOffering,
      phrase: 'no instance type had enough resources or had a required offering',
    },
    { when: (filter) => !filter.requirementsMet, phrase: 'no instance type met all requirements' },
    { when: (filter) => !filter.fits, phrase: 'no instance type has enough resources' },
    { when: (filter) => !filter.hasOffering, phrase: 'no instance type has the required offering' },
    {
      when: (filter) => filter.requirementsAndFits,
      phrase:
        'no instance type which met the scheduling requirements and had enough resources, had a required offering',
    },
    {
      when: (filter) => filter.fitsAndOffering,
      phrase:
        'no instance type which had enough resources and the required offering met the scheduling requirements',
    },
    {
      when: (filter) => filter.requirementsAndOffering,
      phrase:
        'no instance type which met the scheduling requirements and the required offering had the required resources',
    },
    { when: () => true, phrase: 'no instance type met the requirements/resources/offering tuple' },
  ];

function resourcesText({ resources }: TypeFilter): string {
  const least = JSON.stringify(resources.least);
  const most = JSON.stringify(resources.most);
  return least === most ? least : `min=${least}, max=${most}`;
}

function isTypo({ resources }: TypeFilter): boolean {
  return cores(resources.least) >= TYPO_CORES;
}

function cores(amounts: Amounts): number {
  const text = amounts['cpu'] ?? '0';
  if (text.endsWith('m')) return Number(text.slice(0, -1)) / 1000;
  const scale = 'kMGTPE'.indexOf(text.slice(-1));
  return scale < 0 ? Number(text) : Number(text.slice(0, -1)) * 1000 ** (scale + 1);
}
