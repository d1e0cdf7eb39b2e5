/** Metadata with its fields in the order of a real server: messages quote it. */
import type { ObjectMeta } from '@chandler/kube';

export function inOrder<M extends ObjectMeta>(metadata: M): M {
  const ordered: Record<string, unknown> = {};
  const given = metadata as Record<string, unknown>;
  for (const field of FIELDS) if (given[field] !== undefined) ordered[field] = given[field];
  for (const field in given)
    if (!KNOWN.has(field) && given[field] !== undefined) ordered[field] = given[field];
  return ordered as M;
}

// ---------------------------------------------------------------------------------------------------

const FIELDS = [
  'name',
  'generateName',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;

const KNOWN: ReadonlySet<string> = new Set(FIELDS);
