/**
 * The names a CustomResourceDefinition gets and its conditions. A name that another definition of the same group
 * already holds is rejected; what was accepted before is kept. Times are left to the caller: a condition that did
 * not change keeps its `lastTransitionTime`, a changed one comes without.
 */
import type { KubeObject } from '@chandler/kube';
import { type CrdNames, specOf, statusOf } from './types.ts';

export interface DefinitionCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}

export interface Establishment {
  readonly acceptedNames: CrdNames;
  readonly conditions: DefinitionCondition[];
  readonly storedVersions: string[];
}

export function establish(crd: KubeObject, others: Iterable<KubeObject>): Establishment {
  const wanted = specOf(crd).names;
  const status = statusOf(crd);
  const accepted = status.acceptedNames ?? { plural: '', kind: '' };
  const used = namesInUse(crd, others);
  const names: CrdNames = { ...accepted };
  let refusal: Refusal | undefined;
  const claim = (field: keyof typeof SINGLE_NAMES) => {
    const { reason, pool } = SINGLE_NAMES[field];
    const name = wanted[field] ?? '';
    if (name !== (accepted[field] ?? '') && used[pool].has(name)) refusal = { reason, message: inUse(name) };
    else names[field] = name;
  };
  claim('plural');
  claim('singular');
  const shortNames = refusedShortNames(wanted, accepted, used.resources);
  if (shortNames !== undefined) refusal = shortNames;
  else if (wanted.shortNames !== undefined) names.shortNames = [...wanted.shortNames];
  else delete names.shortNames;
  claim('kind');
  claim('listKind');
  if (wanted.categories === undefined) delete names.categories;
  else names.categories = [...wanted.categories];
  return {
    acceptedNames: names,
    conditions: conditionsAfter(status.conditions ?? [], refusal),
    storedVersions: storedVersionsOf(crd),
  };
}

/** Versions that objects may be stored in: those recorded, and the present storage version. */
export function storedVersionsOf(crd: KubeObject): string[] {
  const stored = [...(statusOf(crd).storedVersions ?? [])];
  const storage = specOf(crd).versions.find((version) => version.storage)?.name;
  if (storage !== undefined && !stored.includes(storage)) stored.push(storage);
  return stored;
}

// ---------------------------------------------------------------------------------------------------

interface Refusal {
  readonly reason: string;
  readonly message: string;
}

const SINGLE_NAMES = {
  plural: { reason: 'PluralConflict', pool: 'resources' },
  singular: { reason: 'SingularConflict', pool: 'resources' },
  kind: { reason: 'KindConflict', pool: 'kinds' },
  listKind: { reason: 'ListKindConflict', pool: 'kinds' },
} as const;

function namesInUse(
  crd: KubeObject,
  others: Iterable<KubeObject>,
): Record<'resources' | 'kinds', Set<string>> {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.metadata.name === crd.metadata.name || specOf(other).group !== specOf(crd).group) continue;
    const names = statusOf(other).acceptedNames;
    if (names === undefined) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])])
      if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}

function refusedShortNames(wanted: CrdNames, accepted: CrdNames, used: Set<string>): Refusal | undefined {
  const taken = (wanted.shortNames ?? []).filter(
    (name) => !(accepted.shortNames ?? []).includes(name) && used.has(name),
  );
  if (taken.length === 0) return undefined;
  const texts = [...new Set(taken.map(inUse))];
  return { reason: 'ShortNamesConflict', message: texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]` };
}

function conditionsAfter(
  before: readonly DefinitionCondition[],
  refusal: Refusal | undefined,
): DefinitionCondition[] {
  const namesAccepted: DefinitionCondition =
    refusal === undefined
      ? { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' }
      : { type: 'NamesAccepted', status: 'False', ...refusal };
  const wasEstablished = before.find((condition) => condition.type === 'Established');
  const established: DefinitionCondition =
    refusal === undefined
      ? {
          type: 'Established',
          status: 'True',
          reason: 'InitialNamesAccepted',
          message: 'the initial names have been accepted',
        }
      : (wasEstablished ?? {
          type: 'Established',
          status: 'False',
          reason: 'NotAccepted',
          message: 'not all names are accepted',
        });
  const changed = [namesAccepted, wasEstablished?.status === 'True' ? wasEstablished : established];
  const merged = changed.map((condition) => {
    const old = before.find((other) => other.type === condition.type);
    return old?.status === condition.status && old.lastTransitionTime !== undefined
      ? { ...condition, lastTransitionTime: old.lastTransitionTime }
      : condition;
  });
  return [...merged, ...before.filter((old) => !merged.some((condition) => condition.type === old.type))];
}

function inUse(name: string): string {
  return `${JSON.stringify(name)} is already in use`;
}
