/**
 * Plays a recorded case against the strategies alone: what the server around them does to an object (names, uid,
 * timestamps) is done here in the shortest form. Serves the golden test and the script that refreshes the recordings.
 */
import type { KubeObject, Stored, Status } from '@chandler/kube';
import { ApiError, invalid, qualify } from '../../errors.ts';
import type { RequestContext, Resource } from '../../resource.ts';
import type { Operation } from '../../rest/admission/admission.ts';
import { STORAGE_PROTECTION, TAINT_NODES_BY_CONDITION } from '../../rest/admission/object-defaults.ts';
import { DEFAULT_TOLERATION_SECONDS, PRIORITY } from '../../rest/admission/pod-defaults.ts';
import type { Call } from '../../rest/call.ts';
import { commonUpdateErrors } from '../../rest/metadata.ts';
import { builtinResources } from '../catalogue.ts';

export interface GoldenCase {
  readonly name: string;
  /** `pods`, `deployments.apps`. */
  readonly resource: string;
  /** What is created; for an update, what is there before. */
  readonly create: Readonly<Record<string, unknown>>;
  /** Laid over what is there, field by field; null removes. */
  readonly update?: Readonly<Record<string, unknown>>;
  readonly subresource?: string;
  readonly expect?: GoldenAnswer;
}

export interface GoldenAnswer {
  readonly code: number;
  /** The object without what differs from run to run, or the refusal. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings?: readonly string[];
}

export const GOLDEN_NAMESPACE = 'golden';
const NOW = '2024-01-01T00:00:00Z';
const UID = '00000000-0000-4000-8000-000000000000';

const PRIORITY_KEY = 'priorityclasses.scheduling.k8s.io';
/** A real server makes these for itself when it starts. */
const SYSTEM_PRIORITIES: readonly Stored[] = [
  { metadata: { name: 'system-node-critical', uid: 'n', resourceVersion: '1' }, value: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' },
  { metadata: { name: 'system-cluster-critical', uid: 'c', resourceVersion: '1' }, value: 2_000_000_000, preemptionPolicy: 'PreemptLowerPriority' },
];

export function resourceOf(key: string): Resource {
  const found = builtinResources().find((resource) => qualify(resource) === key);
  if (found === undefined) throw new Error(`no resource ${key}`);
  return found;
}

export function contextFor(resource: Resource, more: Partial<RequestContext> = {}): RequestContext {
  return {
    resource,
    subresource: undefined,
    namespace: resource.namespaced ? GOLDEN_NAMESPACE : undefined,
    name: undefined,
    user: { username: 'admin', uid: 'admin', groups: ['system:masters', 'system:authenticated'] },
    fieldManager: 'golden',
    fieldValidation: 'Strict',
    dryRun: true,
    now: NOW,
    warn: () => {},
    lookup: (key, _namespace, name) => SYSTEM_PRIORITIES.find((one) => key === PRIORITY_KEY && one.metadata.name === name),
    list: () => [],
    ...more,
  };
}

export function replay(golden: GoldenCase): GoldenAnswer {
  const resource = resourceOf(golden.resource);
  const warnings: string[] = resource.deprecationWarning === undefined ? [] : [resource.deprecationWarning];
  const answer = play(golden, resource, warnings);
  return warnings.length === 0 ? answer : { ...answer, warnings };
}

function play(golden: GoldenCase, resource: Resource, warnings: string[]): GoldenAnswer {
  const heard = (text: string): void => {
    if (!warnings.includes(text)) warnings.push(text);
  };
  try {
    const context = contextFor(resource, golden.update === undefined ? { warn: heard } : {});
    const created = create(resource, structuredClone(golden.create), context);
    if (golden.update === undefined) return { code: 201, body: normalise(created) };
    const changed = overlay(structuredClone(created), golden.update) as KubeObject;
    return { code: 200, body: normalise(update(resource, changed, created, golden.subresource, heard)) };
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, body: normalise(error.toStatus()) };
    throw error;
  }
}

/** Takes out what no two runs share, and what others than the strategies decide. */
export function normalise(object: KubeObject | Status): Record<string, unknown> {
  const text = JSON.stringify(object)
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, UID)
    .replace(/20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, NOW)
    .replace(/"10\.96\.\d+\.\d+"/g, '"10.96.0.2"')
    .replace(/"(nodePort|healthCheckNodePort)":3[0-2]\d\d\d/g, '"$1":30000');
  const copy = JSON.parse(text) as { metadata?: Record<string, unknown> };
  if (copy.metadata !== undefined) {
    for (const field of ['managedFields', 'resourceVersion', 'uid', 'creationTimestamp', 'selfLink']) delete copy.metadata[field];
  }
  return sorted(copy) as Record<string, unknown>;
}

/** JSON merge patch, which is all an update needs to say. */
export function overlay(target: unknown, change: unknown): unknown {
  if (typeof change !== 'object' || change === null || Array.isArray(change)) return change;
  const result: Record<string, unknown> =
    typeof target === 'object' && target !== null && !Array.isArray(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = overlay(result[key], value);
  }
  return result;
}

// ---------------------------------------------------------------------------------------------------

function create(resource: Resource, body: unknown, context: RequestContext): KubeObject {
  const object = resource.strategy.decode(body, context);
  const { metadata } = object;
  if (resource.namespaced) metadata.namespace = GOLDEN_NAMESPACE;
  metadata.uid = UID;
  metadata.creationTimestamp = NOW;
  admit('CREATE', object, undefined, context);
  resource.strategy.prepareForCreate(object, context);
  const errors = resource.strategy.validateCreate(object, context);
  if (errors.length > 0) throw invalid(resource, metadata.name ?? '', errors);
  return object;
}

/** The plugins that change the objects of the recordings. */
const PLUGINS = [PRIORITY, DEFAULT_TOLERATION_SECONDS, TAINT_NODES_BY_CONDITION, STORAGE_PROTECTION];

function admit(operation: Operation, object: KubeObject, current: KubeObject | undefined, context: RequestContext): void {
  for (const plugin of PLUGINS) plugin.mutate?.({ operation, object, current, call: context as Call });
}

function update(resource: Resource, body: unknown, current: KubeObject, subresource: string | undefined, warn: (text: string) => void): KubeObject {
  const context = contextFor(resource, { subresource, name: current.metadata.name, warn });
  const next = resource.strategy.decode(body, context);
  admit('UPDATE', next, current, context);
  resource.strategy.prepareForUpdate(next, current, context);
  const errors = [
    ...commonUpdateErrors(next.metadata, current.metadata),
    ...resource.strategy.validateUpdate(next, current, context),
  ];
  if (errors.length > 0) throw invalid(resource, current.metadata.name ?? '', errors);
  return next;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
