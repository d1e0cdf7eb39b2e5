/**
 * Delete: at once, gracefully (pods on a node), or marked and left to finalizers. The garbage collector learns
 * about dependents through finalizers, as on a real server.
 */
import type { KubeObject } from '@chandler/kube';
import { notFound } from '../errors.ts';
import { cloneJson, equalJson } from '../storage/json.ts';
import { Stored, toStorage } from '../storage/stored.ts';
import { type Call, timestampOf } from './call.ts';
import { DEFINITIONS, startCleanup } from './definition-cleanup.ts';
import { deletePreconditionError } from './preconditions.ts';
import type { DeleteOptions } from './write-options.ts';

export const ORPHAN_FINALIZER = 'orphan';
export const FOREGROUND_FINALIZER = 'foregroundDeletion';

export interface Deleted {
  /** The object as the deletion leaves it, in the request's version. */
  readonly item: Stored;
  /** False while it waits for its grace period or for finalizers. */
  readonly gone: boolean;
  /** Nothing changed: it was being deleted already, and not later than requested. */
  readonly pending: boolean;
}

export function deleteObject(call: Call, options: DeleteOptions): Deleted {
  const { resource, parts } = call;
  const stored = parts.store.get(resource.storage.key, call.namespace ?? '', call.objectName);
  if (stored === undefined) throw notFound(resource, call.objectName);
  const current = stored.as(resource).object;
  const refusal = deletePreconditionError(resource, current, options.preconditions);
  if (refusal !== undefined) throw refusal;
  parts.admission.mutate({ operation: 'DELETE', call, object: undefined, current });
  parts.admission.validate({ operation: 'DELETE', call, object: undefined, current });
  if (resource.storage.key === 'namespaces') return terminateNamespace(call, stored);
  if (resource.storage.key === DEFINITIONS && current.metadata.deletionTimestamp === undefined) {
    return terminateDefinition(call, stored);
  }
  const next = cloneJson(current);
  const grace = graceOf(call, next, options);
  if (grace === 'pending') return { item: stored.as(resource), gone: false, pending: true };
  setFinalizers(call, next, options);
  const waiting = (next.metadata.finalizers?.length ?? 0) > 0;
  if (grace === undefined && waiting) markAsDeleting(next, call);
  const marked = store(call, next, stored, options.dryRun);
  if (waiting || (grace !== undefined && grace > 0))
    return { item: marked.as(resource), gone: false, pending: false };
  if (options.dryRun) return { item: marked.as(resource), gone: true, pending: false };
  const gone = parts.store.delete(resource.storage.key, marked).as(resource);
  return { item: gone, gone: true, pending: false };
}

// ---------------------------------------------------------------------------------------------------

const GC_UNSUPPORTED: ReadonlySet<string> = new Set(['events', 'events.events.k8s.io']);

/**
 * Sets deletionTimestamp for kinds that end gracefully and returns the seconds they get. Undefined: the kind
 * has no grace period, or it has passed. Pending: the object is terminating already, and the request does not shorten that.
 */
function graceOf(call: Call, next: KubeObject, options: DeleteOptions): number | 'pending' | undefined {
  const { strategy } = call.resource;
  if (strategy.gracePeriodSeconds === undefined) return undefined;
  const { metadata } = next;
  const wanted = options.gracePeriodSeconds;
  const requested = wanted !== undefined && wanted < 0 ? 1 : wanted;
  if (metadata.deletionTimestamp !== undefined) return shorten(call, next, requested);
  const seconds = strategy.gracePeriodSeconds(next, requested);
  metadata.deletionTimestamp = timestampOf(call.parts.world.clock.now() + seconds * 1000);
  metadata.deletionGracePeriodSeconds = seconds;
  if ((metadata.generation ?? 0) > 0) metadata.generation = metadata.generation! + 1;
  return seconds;
}

/** A grace period that has started can only become shorter. */
function shorten(
  call: Call,
  next: KubeObject,
  requested: number | undefined,
): number | 'pending' | undefined {
  const { metadata } = next;
  const present = metadata.deletionGracePeriodSeconds ?? 0;
  if (present === 0) return undefined;
  if (requested === undefined || requested >= present) return 'pending';
  const nowMs = call.parts.world.clock.now();
  let seconds = requested;
  let endMs = Date.parse(metadata.deletionTimestamp!) - present * 1000 + requested * 1000;
  if (endMs < nowMs) {
    endMs = nowMs;
    if (seconds !== 0) seconds = 1;
  }
  metadata.deletionTimestamp = timestampOf(endMs);
  metadata.deletionGracePeriodSeconds = seconds;
  return seconds;
}

function setFinalizers(call: Call, next: KubeObject, options: DeleteOptions): void {
  if (GC_UNSUPPORTED.has(call.resource.storage.key)) return;
  const before = next.metadata.finalizers ?? [];
  const own = propagation(before, options);
  const after = before.filter((name) => name !== ORPHAN_FINALIZER && name !== FOREGROUND_FINALIZER);
  if (own !== undefined) after.push(own);
  if (equalJson([...before].sort(), [...after].sort())) return;
  if (after.length === 0) delete next.metadata.finalizers;
  else next.metadata.finalizers = after;
}

/** What the options say, else what a finalizer already on the object says. */
function propagation(finalizers: readonly string[], options: DeleteOptions): string | undefined {
  if (options.orphanDependents !== undefined) return options.orphanDependents ? ORPHAN_FINALIZER : undefined;
  if (options.propagationPolicy === 'Orphan') return ORPHAN_FINALIZER;
  if (options.propagationPolicy === 'Foreground') return FOREGROUND_FINALIZER;
  if (options.propagationPolicy === 'Background') return undefined;
  return finalizers.find((name) => name === ORPHAN_FINALIZER || name === FOREGROUND_FINALIZER);
}

function markAsDeleting(next: KubeObject, call: Call): void {
  const { metadata } = next;
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = metadata.generation! + 1;
  }
  if (
    metadata.deletionTimestamp === undefined ||
    Date.parse(metadata.deletionTimestamp) > call.parts.world.clock.now()
  ) {
    metadata.deletionTimestamp = call.now;
  }
  metadata.deletionGracePeriodSeconds = 0;
}

/** A namespace is marked first; it is removed when it is empty and has no finalizers. */
function terminateNamespace(call: Call, stored: Stored): Deleted {
  const { resource, parts } = call;
  if (stored.object.metadata.deletionTimestamp === undefined) {
    const next = cloneJson(stored.object);
    next.metadata.deletionTimestamp = call.now;
    next['status'] = { ...(next['status'] as object | undefined), phase: 'Terminating' };
    return { item: store(call, next, stored, call.dryRun).as(resource), gone: false, pending: false };
  }
  const spec = stored.object['spec'] as { finalizers?: string[] } | undefined;
  const waiting = (spec?.finalizers?.length ?? 0) > 0 || (stored.object.metadata.finalizers?.length ?? 0) > 0;
  if (waiting || call.dryRun) return { item: stored.as(resource), gone: false, pending: true };
  return { item: parts.store.delete(resource.storage.key, stored).as(resource), gone: true, pending: false };
}

/** A definition is marked first; it is removed with the last of its objects. */
function terminateDefinition(call: Call, stored: Stored): Deleted {
  const next = cloneJson(stored.object);
  next.metadata.deletionTimestamp = call.now;
  startCleanup(next, call.now);
  return { item: store(call, next, stored, call.dryRun).as(call.resource), gone: false, pending: false };
}

/** What is written before the end, if anything changed. */
function store(call: Call, next: KubeObject, stored: Stored, dryRun: boolean): Stored {
  const encoded = toStorage(next, call.resource);
  if (equalJson(encoded, stored.object)) return stored;
  return dryRun
    ? Stored.unsaved(encoded, stored.revision)
    : call.parts.store.update(call.resource.storage.key, encoded);
}
