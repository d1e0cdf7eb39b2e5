/** What the verbs send: patches of the four kinds with their media types, and the options of a delete. */
import type { DeleteOptions } from './client-options.ts';

export interface JsonPatchOperation {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test';
  readonly path: string;
  readonly from?: string;
  readonly value?: unknown;
}

/** How to change an object; `apply` states what the caller wants to own. */
export type Patch =
  | { readonly type: 'json'; readonly patch: readonly JsonPatchOperation[] }
  | { readonly type: 'merge'; readonly patch: object }
  | { readonly type: 'strategic'; readonly patch: object }
  | { readonly type: 'apply'; readonly patch: object };

export const PATCH_MEDIA_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
} as const;

export function encodePatch(patch: Patch): { contentType: string; body: string } {
  // JSON is YAML, so an apply needs no other encoder.
  return { contentType: PATCH_MEDIA_TYPES[patch.type], body: JSON.stringify(patch.patch) };
}

export function deleteBody(options: DeleteOptions): object {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(dryRun === undefined ? {} : { dryRun: [dryRun] }),
  };
}
