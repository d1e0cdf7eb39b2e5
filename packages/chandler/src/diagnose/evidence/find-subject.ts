/**
 * Finds the object in question. Where there is no such object, or several, the message says so and suggests similar names.
 * A claim that no longer exists is found by its events and its kept journey.
 */
import { isFound, type LookupFailure, type ReadObject } from '../../causes/index.ts';
import { closestName } from '../../settings/index.ts';

import {
  isNamespaced,
  isWorkload,
  SUBJECT_RESOURCES,
  type Subject,
  type SubjectKind,
  subjectKey,
  subjectText,
} from '../subject.ts';
import type { GatherContext } from './gather-context.ts';

export type FoundSubject =
  | { readonly state: 'found'; readonly subject: Subject; readonly object: ReadObject }
  | {
      readonly state: 'missing' | 'ambiguous' | 'unreadable';
      readonly message: string;
      /** Of what is unreadable. */
      readonly why?: LookupFailure['why'];
    };

type FindContext = Pick<GatherContext, 'reader' | 'cloud'>;

export async function findSubject(
  { reader, cloud }: FindContext,
  subject: Subject,
  defaultNamespace: string,
): Promise<FoundSubject> {
  const isAnywhere = isNamespaced(subject.kind) && subject.namespace === undefined;
  const wanted = isAnywhere ? { ...subject, namespace: defaultNamespace } : subject;
  const looked = await reader.get(SUBJECT_RESOURCES[wanted.kind], subjectKey(wanted));
  if (isFound(looked)) return { state: 'found', subject: wanted, object: looked.found };
  if (looked.why !== 'notFound' && looked.why !== 'notInDump') return unreadable(wanted, looked);
  return isAnywhere
    ? elsewhere({ reader, cloud }, wanted, looked)
    : missing({ reader, cloud }, wanted, looked);
}

// ---------------------------------------------------------------------------------------------------

const MAX_NAMED = 5;

const ONLY_NEAR =
  ' (workloads are only included of namespaces with unhealthy pods, and with `chandler dump -n NAMESPACE`)';
const ONLY_UNWELL = ' (healthy pods are only included with `chandler dump -n NAMESPACE`)';

/** Without a namespace in the question, the object may be in another namespace. */
async function elsewhere(
  context: FindContext,
  wanted: Subject,
  unseen: LookupFailure,
): Promise<FoundSubject> {
  const { reader } = context;
  const looked = await reader.list(SUBJECT_RESOURCES[wanted.kind], {
    fields: { 'metadata.name': wanted.name },
  });
  const all = isFound(looked) ? looked.found : [];
  const [only] = all;
  if (only === undefined) return missing(context, wanted, unseen);
  if (all.length === 1) {
    const namespace = only.metadata.namespace ?? '';
    return { state: 'found', subject: { ...wanted, namespace }, object: only };
  }
  const spaces = all.map(({ metadata }) => metadata.namespace ?? '').sort();
  return {
    state: 'ambiguous',
    message: `there are ${wanted.kind}s ${wanted.name} in the namespaces ${spaces.join(', ')}; choose one with -n`,
  };
}

async function missing(context: FindContext, wanted: Subject, unseen: LookupFailure): Promise<FoundSubject> {
  const { reader } = context;
  const { kind, name, namespace } = wanted;
  const where = namespace === undefined ? '' : ` in the namespace ${namespace}`;
  const looked = await reader.list(
    SUBJECT_RESOURCES[kind],
    namespace === undefined ? {} : { namespace, atMost: 2000 },
  );
  const names = isFound(looked) ? looked.found.map(({ metadata }) => metadata.name) : [];
  const hint = similarText(name, names) ?? (await otherKindText(context, wanted));
  const gone =
    unseen.why === 'notInDump'
      ? `the dump has no ${kind} ${name}${where}${kind === 'pod' ? ONLY_UNWELL : isWorkload(kind) ? ONLY_NEAR : ''}`
      : `there is no ${kind} ${name}${where}`;
  return { state: 'missing', message: hint === undefined ? gone : `${gone}; ${hint}` };
}

function similarText(name: string, names: readonly string[]): string | undefined {
  const beginning = names.filter((each) => each.startsWith(name)).sort();
  if (beginning.length > 0) {
    const more = beginning.length > MAX_NAMED ? ` and ${beginning.length - MAX_NAMED} more` : '';
    return `there ${beginning.length === 1 ? 'is' : 'are'} ${beginning.slice(0, MAX_NAMED).join(', ')}${more}`;
  }
  const guess = closestName(name, names);
  return guess === undefined ? undefined : `did you mean ${guess}?`;
}

/** Claims, nodes and VMs have similar names. */
async function otherKindText(
  { reader, cloud }: FindContext,
  { kind, name }: Subject,
): Promise<string | undefined> {
  if (isNamespaced(kind)) return undefined;
  const candidates: readonly (readonly [SubjectKind, string])[] = [
    ['nodeclaim', cloud.claimName(name)],
    ['node', name],
    ['node', cloud.instanceName(name)],
    ['nodepool', name],
  ];
  for (const [other, otherName] of candidates) {
    if (otherName === '' || (other === kind && otherName === name)) continue;
    const looked = await reader.get(SUBJECT_RESOURCES[other], { name: otherName });
    if (isFound(looked)) return `did you mean ${subjectText({ kind: other, name: otherName })}?`;
  }
  return undefined;
}

function unreadable(wanted: Subject, { why, permission, message }: LookupFailure): FoundSubject {
  const help = permission === undefined ? '' : `; it requires the permission to ${permission}`;
  const isRefused = why === 'forbidden' && permission === undefined;
  const words = isRefused
    ? `${subjectText(wanted)} cannot be read: the API server does not accept these credentials${message === undefined ? '' : ` (${message})`}; sign in again`
    : why === 'forbidden'
      ? `${subjectText(wanted)} cannot be read with these credentials${help}`
      : `${subjectText(wanted)} cannot be read${message === undefined ? '' : `: ${message}`}`;
  return { state: 'unreadable', message: words, why };
}
