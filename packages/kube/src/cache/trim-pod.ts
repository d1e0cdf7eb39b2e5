/**
 * What is kept of a pod, at well below a kilobyte each: there may be 150,000. Objects have the size of their fields.
 * Fields a pod does not have are absent, as on the wire.
 */
import { type ContainerStatus, resizedContainers } from '../kinds/index.ts';
import type { Stored, StoredMeta } from '../object.ts';
import { exactObject } from './exact-object.ts';
import type { Interner } from './interner.ts';

/** Decides by its name whether an annotation of a pod is kept. */
export type KeepAnnotation = (name: string) => boolean;

/** Annotations by which Kubernetes' own controllers decide. */
export const keepBuiltinAnnotations: KeepAnnotation = (name) => KEPT_ANNOTATIONS.has(name);

export function trimPod(
  pod: Stored,
  interner: Interner,
  keep: KeepAnnotation = keepBuiltinAnnotations,
): Stored {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: trimPodMeta(pod.metadata, interner, keep),
    spec: trimPodSpec(asRecord(pod['spec']), interner),
    status: trimPodStatus(asRecord(pod['status']), asRecord(pod['spec']), interner),
  };
}

/** Of a pod or of a workload's template. */
export function trimPodSpec(spec: Fields, interner: Interner): Fields {
  const usual: Fields = {
    containers: interner.value(asList(spec['containers']).map(trimContainer)),
    schedulerName: interner.value(spec['schedulerName']),
    restartPolicy: interner.value(spec['restartPolicy']),
    terminationGracePeriodSeconds: spec['terminationGracePeriodSeconds'],
    nodeName: interner.value(spec['nodeName']),
    tolerations: interner.value(spec['tolerations']),
    priority: spec['priority'],
  };
  const rare: Fields = {};
  const init = asList(spec['initContainers']);
  if (init.length > 0) rare['initContainers'] = interner.value(init.map(trimContainer));
  const volumes = asList(spec['volumes']).filter(takesStorage);
  if (volumes.length > 0) rare['volumes'] = interner.value(volumes);
  for (const field of RARE_SPEC_FIELDS) {
    if (spec[field] !== undefined && spec[field] !== RARE_DEFAULTS[field])
      rare[field] = interner.value(spec[field]);
  }
  return exactObject(usual, rare);
}

/** The annotations of pods that are used in decisions; undefined when there are none. */
export function keptPodAnnotations(
  all: Record<string, string>,
  keep: KeepAnnotation,
): Record<string, string> | undefined {
  const kept = Object.entries(all).filter(([name]) => keep(name));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

// ------------------------------------------------------------------------------------------------

type Fields = Record<string, unknown>;

const KEPT_ANNOTATIONS: ReadonlySet<string> = new Set([
  'controller.kubernetes.io/pod-deletion-cost',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'kubernetes.io/config.source',
  'kubernetes.io/config.mirror',
]);

const RARE_META_FIELDS = ['deletionTimestamp', 'deletionGracePeriodSeconds', 'generation'] as const;

const RARE_SPEC_FIELDS = [
  'nodeSelector',
  'affinity',
  'topologySpreadConstraints',
  'schedulingGates',
  'priorityClassName',
  'preemptionPolicy',
  'overhead',
  'resources',
  'resourceClaims',
  'readinessGates',
  'runtimeClassName',
  'hostNetwork',
] as const;

/** Written by the API server into every pod; absent means the same. */
const RARE_DEFAULTS: Fields = { preemptionPolicy: 'PreemptLowerPriority' };

const KEPT_CONDITIONS: ReadonlySet<unknown> = new Set(['PodScheduled', 'Ready', 'DisruptionTarget']);

/** Volumes that neither tie a pod to a zone nor use up an attachment. The projected token is in every pod. */
const PLAIN_VOLUMES = [
  'projected',
  'configMap',
  'secret',
  'emptyDir',
  'downwardAPI',
  'hostPath',
  'image',
] as const;

function trimPodMeta(meta: StoredMeta, interner: Interner, keep: KeepAnnotation): StoredMeta {
  const usual: Fields = {
    name: meta.name,
    namespace: interner.value(meta.namespace),
    uid: meta.uid,
    resourceVersion: meta.resourceVersion,
    creationTimestamp: interner.value(meta.creationTimestamp),
    labels: interner.value(meta.labels),
    ownerReferences: interner.value(meta.ownerReferences),
  };
  const rare: Fields = {};
  const annotations = meta.annotations === undefined ? undefined : keptPodAnnotations(meta.annotations, keep);
  if (annotations !== undefined) rare['annotations'] = interner.value(annotations);
  if (meta.finalizers !== undefined) rare['finalizers'] = interner.value(meta.finalizers);
  for (const field of RARE_META_FIELDS) {
    // The generation of a pod is 1 until it is resized.
    if (meta[field] !== undefined && !(field === 'generation' && meta[field] === 1))
      rare[field] = meta[field];
  }
  return exactObject(usual, rare) as unknown as StoredMeta;
}

function trimContainer(container: Fields): Fields {
  const kept: Fields = { name: container['name'], resources: container['resources'] ?? {} };
  const ports = asList(container['ports']).filter((port) => Number(port['hostPort'] ?? 0) !== 0);
  if (ports.length > 0) kept['ports'] = ports;
  if (container['restartPolicy'] !== undefined) kept['restartPolicy'] = container['restartPolicy'];
  return kept;
}

function takesStorage(volume: Fields): boolean {
  return !PLAIN_VOLUMES.some((source) => volume[source] !== undefined);
}

function trimPodStatus(status: Fields, spec: Fields, interner: Interner): Fields {
  const conditions = asList(status['conditions']).filter(({ type }) => KEPT_CONDITIONS.has(type));
  const usual: Fields = {
    phase: interner.value(status['phase']),
    startTime: interner.value(status['startTime']),
    conditions: conditions.length === 0 ? undefined : conditions.map((each) => trimCondition(each, interner)),
  };
  const rare: Fields = {};
  for (const field of ['nominatedNodeName', 'reason', 'resourceClaimStatuses'] as const) {
    if (status[field] !== undefined) rare[field] = interner.value(status[field]);
  }
  const statuses = asList(status['containerStatuses']).filter(isRecord) as unknown as ContainerStatus[];
  const resized = resizedContainers(asList(spec['containers']).filter(isRecord), statuses);
  if (resized.length > 0) rare['containerStatuses'] = interner.value(resized);
  return exactObject(usual, rare);
}

function trimCondition(condition: Fields, interner: Interner): Fields {
  const kept: Fields = {
    type: interner.value(condition['type']),
    status: interner.value(condition['status']),
    lastTransitionTime: interner.value(condition['lastTransitionTime']),
  };
  for (const field of ['reason', 'message'] as const) {
    if (condition[field] !== undefined) kept[field] = interner.value(condition[field]);
  }
  return kept;
}

function isRecord(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}

function asRecord(value: unknown): Fields {
  return isRecord(value) ? (value as Fields) : {};
}

function asList(value: unknown): Fields[] {
  return Array.isArray(value) ? value : [];
}
