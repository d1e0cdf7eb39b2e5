/** Refusals of the engine as the causes read them: in sentences, with the objects that are concerned and the nearest names. */
import { KubernetesLabel, normalizeLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';
import {
  type InstanceType,
  type PersistentVolume,
  type PodProblem,
  type PoolRefusal,
  poolReasonText,
  problemText,
  type Refusal,
  refusalText,
  taintText,
  type VolumeFacts,
} from '../../scheduling/index.ts';
import { closestName } from '../../settings/index.ts';

import type { PoolTypes } from './plan-input.ts';
import { unmetRequirement } from './type-values.ts';

/** What the refusals are about. */
export interface RefusalContext {
  readonly volumes: VolumeFacts;
  /** Of all NodePools. */
  readonly types: readonly InstanceType[];
  readonly pools: readonly PoolTypes[];
}

export function poolFact(whole: PoolRefusal, context: RefusalContext): RefusalFact {
  const { nodePool, refusal } = whole;
  const fact =
    (refusal.code === 'PoolWithoutTypes' ? withoutTypes(refusal, nodePool, context) : undefined) ??
    factOf(refusal, context, textOf(whole));
  return WHATEVER_THE_POOL.has(fact.code) ? fact : { ...fact, nodePool };
}

/** A few words, for NodePools that are not the ones to change. */
export function shortReason(refusal: Refusal): string {
  switch (refusal.code) {
    case 'TaintNotTolerated':
      return `taint ${taintText(refusal.taint)} is not tolerated`;
    case 'LabelUndefined':
      return `no label ${refusal.key}`;
    case 'RequirementIncompatible': {
      const who = refusal.source === 'volume' ? 'a volume' : 'the pod';
      if (refusal.key === KubernetesLabel.hostname)
        return `${who} requires ${refusal.wanted}, and a new node is another host`;
      return `${who} requires ${refusal.wanted}, and it has ${withoutKey(refusal.offered, refusal.key)}`;
    }
    case 'LimitExceeded':
      return `at its limit of ${refusal.resource}`;
    case 'PoolWithoutTypes':
      return 'no instance type meets its requirements';
    case 'TopologyUnsatisfiable':
      return `${refusal.kind} by ${refusal.key}`;
    case 'ResourceInsufficient':
      return `${isOffered(refusal.available) ? 'not enough' : 'no'} ${refusal.resource}`;
    default:
      return refusalText(refusal);
  }
}

export function problemFact(problem: PodProblem, { volumes }: RefusalContext): RefusalFact {
  const { code, ...facts } = problem;
  const known = (volumes.classes ?? []).map(({ metadata }) => metadata.name ?? '').sort();
  const more = known.length > MAX_NAMED ? ` and ${known.length - MAX_NAMED} more` : '';
  const names = `${known.slice(0, MAX_NAMED).join(', ')}${more}`;
  const hint =
    problem.code === 'StorageClassMissing'
      ? `; existing StorageClasses: ${names === '' ? 'none' : names}`
      : '';
  return { code, facts: factTexts(facts), text: `${problemText(problem)}${hint}` };
}

/** The values of a label that nodes need for the volume. */
export function placesOf({ spec }: PersistentVolume, key: string): readonly string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions = [] }) =>
    matchExpressions
      .filter((each) => each.operator === 'In' && normalizeLabel(each.key) === key)
      .flatMap(({ values = [] }) => values)
      .filter((value) => value !== ''),
  );
}

/** An amount of a resource that is not zero. */
export function isOffered(amount: unknown): boolean {
  return amount !== undefined && !/^0(?:\.0*)?[A-Za-z]*$/.test(String(amount));
}

/** No instance type has such a resource, whatever its amount. */
export function isUnknownResource(resource: string, types: readonly InstanceType[]): boolean {
  return !types.some(({ capacity }) => isOffered(capacity[resource]));
}

// ---------------------------------------------------------------------------------------------------

const MAX_NAMED = 5;

/** The same of every NodePool. */
const WHATEVER_THE_POOL: ReadonlySet<string> = new Set(['ResourceUnknown']);

function withoutKey(requirement: string, key: string): string {
  return requirement.startsWith(`${key} `) ? requirement.slice(key.length + 1) : requirement;
}

function factOf(refusal: Refusal, context: RefusalContext, text: string): RefusalFact {
  const { code, ...facts } = refusal;
  const plain = { code, facts: factTexts(facts), text };
  if (refusal.code === 'ResourceInsufficient' && isUnknownResource(refusal.resource, context.types))
    return unknownResource(refusal, context);
  if (refusal.code === 'RequirementIncompatible' && refusal.source === 'volume')
    return volumeElsewhere(refusal, context) ?? classElsewhere(refusal, context) ?? plain;
  if (refusal.code === 'TopologyUnsatisfiable') return { ...plain, text: topologySentence(refusal) };
  // In the words of Karpenter, the text also lists all requirements.
  if (refusal.code === 'ResourceInsufficient') {
    const words = `${refusalText(refusal)}, by the pod and the DaemonSets of a node`;
    return { ...plain, facts: { ...plain.facts, inFull: text }, text: words };
  }
  return plain;
}

/** The reason that holds for all types; otherwise the summary in the words of Karpenter. */
function textOf(whole: PoolRefusal): string {
  const { refusal, filter, types } = whole;
  return filter === null || types.length <= 1 ? refusalText(refusal) : poolReasonText(whole);
}

function unknownResource(
  { resource, requested }: Extract<Refusal, { code: 'ResourceInsufficient' }>,
  { types }: RefusalContext,
): RefusalFact {
  const known = new Set(
    types.flatMap(({ capacity }) => Object.keys(capacity).filter((name) => isOffered(capacity[name]))),
  );
  const similar = closestName(resource, [...known].sort());
  const hint = similar === undefined ? '' : `; the nearest name is ${similar} (a typo?)`;
  return {
    code: 'ResourceUnknown',
    facts: { resource, requested, ...(similar === undefined ? {} : { similar }) },
    text: `no instance type of any NodePool offers ${resource}${hint}`,
  };
}

/** Names the claim, its volume and where this volume is. */
function volumeElsewhere(
  { key, wanted, offered }: Extract<Refusal, { code: 'RequirementIncompatible' }>,
  { volumes }: RefusalContext,
): RefusalFact | undefined {
  const found = (volumes.claims ?? []).flatMap(({ metadata, spec }) => {
    const volume = (volumes.volumes ?? []).find((each) => each.metadata.name === spec?.volumeName);
    const places = volume === undefined ? [] : placesOf(volume, key);
    return places.length === 0 ? [] : [{ metadata, volume: volume!.metadata.name ?? '', places }];
  });
  const [first] = found.filter(({ places }) => places.some((place) => wanted.includes(place)));
  if (first === undefined) return undefined;
  const claim = `${first.metadata.namespace ?? ''}/${first.metadata.name ?? ''}`;
  const place = first.places.join(' or ');
  return {
    code: 'VolumeElsewhere',
    facts: { key, wanted, offered, claim, volume: first.volume, place },
    text: `PersistentVolume ${first.volume} of PersistentVolumeClaim ${claim} is in ${place} (${key}), and ${key === KubernetesLabel.hostname ? 'a new node is another host' : `its nodes are not (${offered})`}`,
  };
}

/** Names the claim, its StorageClass and where this one allows volumes. */
function classElsewhere(
  { key, wanted, offered }: Extract<Refusal, { code: 'RequirementIncompatible' }>,
  { volumes }: RefusalContext,
): RefusalFact | undefined {
  for (const { metadata, spec } of volumes.claims ?? []) {
    if (spec?.volumeName) continue;
    const named = (volumes.classes ?? []).find((each) => each.metadata.name === spec?.storageClassName);
    const places = (named?.allowedTopologies ?? [])
      .flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions)
      .filter((each) => normalizeLabel(each.key) === key)
      .flatMap(({ values = [] }) => values);
    if (!places.some((place) => wanted.includes(place))) continue;
    const claim = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
    const place = [...new Set(places)].join(' or ');
    const storageClass = spec?.storageClassName ?? '';
    return {
      code: 'StorageClassElsewhere',
      facts: { key, wanted, offered, claim, storageClass, place },
      text: `StorageClass ${storageClass} of PersistentVolumeClaim ${claim} allows volumes only in ${place} (${key}), and its nodes are not there (${offered})`,
    };
  }
  return undefined;
}

/** Names the requirement of the NodePool that excludes every instance type by itself. */
function withoutTypes(
  { code, ...facts }: Extract<Refusal, { code: 'PoolWithoutTypes' }>,
  nodePool: string,
  { pools }: RefusalContext,
): RefusalFact | undefined {
  const typed = pools.find(({ pool }) => pool.metadata.name === nodePool);
  const unmet = typed === undefined ? undefined : unmetRequirement(typed);
  if (typed === undefined || unmet === undefined || facts.soldOut === true) return undefined;
  const { key, wanted, offered } = unmet;
  const { kind, name } = typed.pool.spec.template.spec.nodeClassRef;
  const have = offered.length > MAX_NAMED ? '' : `; they have ${offered.join(', ')}`;
  const why = key === KubernetesLabel.os ? `, which the image of ${kind} ${name} decides` : '';
  return {
    code,
    facts: { key, wanted: wanted.join(', '), nodeClass: name },
    text: `its requirement ${key} In [${wanted.join(' ')}] excludes every instance type of ${kind} ${name}${have}${why}`,
  };
}

function topologySentence(refusal: Extract<Refusal, { code: 'TopologyUnsatisfiable' }>): string {
  const { kind, key, maxSkew, minDomains, selector, counts, podDomains, nodeDomains } = refusal;
  // Of a region without zones, which is no zone.
  const counted = Object.entries(counts).filter(([domain, count]) => count > 0 || !/^0?$/.test(domain));
  const who = selectorText(selector);
  if (kind === 'pod affinity' && counted.every(([, count]) => count === 0))
    return `${kind} by ${key}: no pod matches ${who}, so that no node is near one`;
  const rule = [
    ...(maxSkew === null ? [] : [`maxSkew ${maxSkew}`]),
    ...(minDomains === null ? [] : [`minDomains ${minDomains}`]),
  ];
  const table = counted.map(([domain, count]) => `${count} in ${domain}`).join(', ');
  return [
    `${kind} by ${key}${rule.length === 0 ? '' : ` (${rule.join(', ')})`} cannot be satisfied`,
    `pods that match ${who}: ${table === '' ? 'none' : table}`,
    ...(podDomains === nodeDomains ? [] : [`the pod allows ${podDomains}`]),
    `the NodePool has ${nodeDomains}`,
  ].join('; ');
}

/** `{app in (web)}` as `app=web`. */
function selectorText(selector: string): string {
  const text = selector
    .replace(/^\{|\}$/g, '')
    .replace(/([^\s,{]+) in \(([^,)]+)\)/g, (_, key: string, value: string) => `${key}=${value}`);
  return text === '' ? 'the selector' : text;
}

function factTexts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? fact : JSON.stringify(fact),
    ]),
  );
}
