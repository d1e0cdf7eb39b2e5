/**
 * The accept and refuse cases of the CRDs: how a YAML file of them is read, and how one case is tried on an API server.
 * Which server, and how it is reached, is the caller's business: a `Send` is all that is needed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import type { KubeObject, Status } from '@chandler/kube';
import { parse } from 'yaml';
import { KINDS } from '../../../packages/chandler/src/api/kinds/index.ts';

export interface CrdCase {
  readonly name: string;
  /** A JSON merge patch on the base of the file: the object that is created. */
  readonly with?: MergePatch;
  /** Puts a list of equal items somewhere, for limits on length. */
  readonly repeat?: { readonly path: string; readonly count: number; readonly item: unknown };
  /** A JSON merge patch on the created object: an update. */
  readonly then?: MergePatch;
  /** The subresource that is updated. */
  readonly subresource?: string;
  /** Parts of the message with which the last step is refused; absent when it must be accepted. */
  readonly refused?: readonly string[];
  /** The status code of the refusal; the default is 422. */
  readonly code?: number;
  /** The field of the first cause. */
  readonly field?: string;
  /** What the answer must contain at least. */
  readonly stored?: MergePatch;
  /** Part of the warning sent with the answer. */
  readonly warning?: string;
}

export interface CrdCaseFile {
  readonly file: string;
  readonly base: KubeObject;
  readonly cases: readonly CrdCase[];
}

export type MergePatch = { readonly [field: string]: unknown };

export interface Answer {
  readonly code: number;
  readonly warning: string;
  readonly body: KubeObject | Status;
}

/** Sends one request to the API server under test. */
export type Send = (method: string, path: string, body?: unknown) => Promise<Answer>;

export function readCaseFiles(): CrdCaseFile[] {
  const folder = new URL('.', import.meta.url);
  return readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .sort()
    .map((file) => {
      const { base, cases } = parse(readFileSync(new URL(file, folder), 'utf8'), { merge: true });
      return { file, base, cases };
    });
}

/** The answer to the last step of a case. What was created is deleted again. */
export async function tryCase(send: Send, base: KubeObject, row: CrdCase, name: string): Promise<Answer> {
  const object = objectOf(base, row, name);
  const collection = collectionPath(object);
  if (row.then === undefined) return send('POST', `${collection}?dryRun=All&fieldValidation=Strict`, object);

  const created = await send('POST', collection, object);
  if (created.code !== 201) throw new Error(`cannot create: ${JSON.stringify(created.body)}`);
  const path = `${collection}/${name}${row.subresource === undefined ? '' : `/${row.subresource}`}`;
  try {
    return await send('PUT', `${path}?fieldValidation=Strict`, merge(created.body, row.then));
  } finally {
    await removeObject(send, `${collection}/${name}`);
  }
}

/** The object that a case creates. */
export function objectOf(base: KubeObject, row: CrdCase, name: string): KubeObject {
  const merged = merge(base, row.with ?? {}) as KubeObject;
  const object = { ...merged, metadata: { ...merged.metadata, name } };
  if (row.repeat !== undefined) {
    put(object, row.repeat.path.split('.'), Array(row.repeat.count).fill(row.repeat.item));
  }
  return object;
}

/** RFC 7386, without touching the arguments. */
export function merge(target: unknown, patch: unknown): unknown {
  if (!isRecord(patch)) return patch;
  const merged: Record<string, unknown> = isRecord(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete merged[field];
    else merged[field] = merge(merged[field], value);
  }
  return merged;
}

export function collectionPath(object: KubeObject): string {
  const kind = KINDS.find((known) => known.kind === object.kind);
  if (kind === undefined) throw new Error(`no such kind: ${object.kind}`);
  const scope = kind.scope === 'Namespaced' ? `namespaces/${object.metadata.namespace}/` : '';
  return `/apis/${object.apiVersion}/${scope}${kind.plural}`;
}

// ---------------------------------------------------------------------------------------------------------------

async function removeObject(send: Send, path: string): Promise<void> {
  const { code } = await send('DELETE', path);
  if (code !== 200 && code !== 404) throw new Error(`cannot delete ${path}: ${code}`);
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [head, ...rest] = path as [string, ...string[]];
  if (rest.length === 0) target[head] = value;
  else {
    target[head] = { ...(target[head] as Record<string, unknown>) };
    put(target[head] as Record<string, unknown>, rest, value);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
