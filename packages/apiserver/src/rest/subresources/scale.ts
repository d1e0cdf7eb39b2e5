/**
 * The scale subresource: autoscaling/v1 Scale over the kinds that have replicas, and over custom resources whose
 * definition says where theirs are.
 */
import type { KubeObject, Stored as StoredObject } from '@chandler/kube';
import { trackUpdate } from '../../apply/index.ts';
import { decodeAs } from '../../builtin/strategy.ts';
import { structureOf } from '../../builtin/structures.ts';
import { selectorText } from '../../edge/columns/selector-text.ts';
import { conflict, invalid, notFound, STALE_OBJECT } from '../../errors.ts';
import { applyPatch } from '../../patch/index.ts';
import { cloneJson, ownField, setField } from '../../storage/json.ts';
import type { Stored } from '../../storage/stored.ts';
import type { Call } from '../call.ts';
import { managerRequest } from '../field-managers.ts';
import { requireName, withMetadata } from '../metadata.ts';
import { type ParsedPatch, patchRefusal } from '../patch.ts';
import { updateObject } from '../update.ts';

export function readScale(call: Call): KubeObject {
  const stored = call.parts.store.get(call.resource.storage.key, call.namespace ?? '', call.objectName);
  if (stored === undefined) throw notFound(call.resource, call.objectName);
  return scaleOf(call, stored.as(call.resource).object);
}

export function replaceScale(call: Call, body: unknown, duplicates: readonly string[]): KubeObject {
  const scale = withMetadata(decodeAs(scaleKind(), body, call, duplicates));
  return writeScale(call, () => scale);
}

export function patchScale(call: Call, patch: ParsedPatch): KubeObject {
  const form = patch.form === 'apply' ? 'merge' : patch.form;
  return writeScale(call, (current) => {
    const scale = scaleOf(call, current);
    const result = cloneJson(applyPatch(form, scale, patch.value, scaleKind().structure));
    const shown = JSON.stringify(result);
    try {
      return withMetadata(decodeAs(scaleKind(), result, call, patch.duplicates));
    } catch (error) {
      throw patchRefusal(error, shown);
    }
  });
}

// ---------------------------------------------------------------------------------------------------

interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

const BUILTIN_PATHS: ScalePaths = {
  spec: ['spec', 'replicas'],
  status: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};

function scaleKind() {
  return {
    group: 'autoscaling',
    version: 'v1',
    kind: 'Scale',
    namespaced: true,
    structure: structureOf('autoscaling', 'v1', 'Scale')!,
  };
}

function writeScale(call: Call, scaleFor: (current: StoredObject) => KubeObject): KubeObject {
  const paths = pathsOf(call);
  const { item } = updateObject(call, {
    next: (current) => {
      if (current === undefined) throw notFound(call.resource, call.objectName);
      const scale = scaleFor(current);
      requireName(scale.metadata, call);
      checkScale(call, scale, current);
      const next = cloneJson(current);
      setAt(next, paths.spec, (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0);
      trackUpdate(next, current, managerRequest(call));
      dropScaleTimes(next);
      return next;
    },
  });
  return scaleOf(call, (item satisfies Stored).object);
}

/** A real server keeps no time of a change through the scale. */
function dropScaleTimes({ metadata }: KubeObject): void {
  if (metadata.managedFields === undefined) return;
  metadata.managedFields = metadata.managedFields.map((entry) => {
    if (entry.subresource !== 'scale') return entry;
    const { time: _time, ...rest } = entry;
    return rest;
  });
}

function checkScale(call: Call, scale: KubeObject, current: KubeObject): void {
  const { name = '', resourceVersion = '' } = scale.metadata;
  const replicas = (scale['spec'] as { replicas?: number } | undefined)?.replicas ?? 0;
  // Of a custom resource, the definition's own path is checked with the whole object.
  if (replicas < 0 && call.resource.scale === undefined) {
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, [
      {
        reason: 'FieldValueInvalid',
        field: 'spec.replicas',
        value: replicas,
        detail: 'must be greater than or equal to 0',
      },
    ]);
  }
  if (resourceVersion !== '' && resourceVersion !== current.metadata.resourceVersion) {
    throw conflict(call.resource, name, STALE_OBJECT);
  }
}

function scaleOf(call: Call, object: StoredObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = pathsOf(call);
  const selector = paths.selector === undefined ? undefined : valueAt(object, paths.selector);
  const text = typeof selector === 'string' ? selector : plainSelector(call, selector);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid,
      resourceVersion,
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: { replicas: Number(valueAt(object, paths.spec) ?? 0) },
    status: {
      replicas: Number(valueAt(object, paths.status) ?? 0),
      ...(text === '' ? {} : { selector: text }),
    },
  };
}

/** A replication controller's selector is a bare map of labels. */
function plainSelector(call: Call, selector: unknown): string {
  if (selector === undefined) return '';
  const form = call.resource.plural === 'replicationcontrollers' ? { matchLabels: selector } : selector;
  return selectorText(form) ?? '';
}

function pathsOf({ resource }: Call): ScalePaths {
  const { scale } = resource;
  if (scale === undefined) return BUILTIN_PATHS;
  return {
    spec: split(scale.specReplicasPath),
    status: split(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : split(scale.labelSelectorPath),
  };
}

function split(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object;
  for (const key of path) {
    value = ownField((value ?? undefined) as Record<string, unknown> | undefined, key);
  }
  return value ?? undefined;
}

function setAt(object: KubeObject, path: readonly string[], value: unknown): void {
  let parent = object as Record<string, unknown>;
  for (const key of path.slice(0, -1)) {
    let child = ownField(parent, key) ?? undefined;
    if (child === undefined) {
      child = {};
      setField(parent, key, child);
    }
    parent = child as Record<string, unknown>;
  }
  setField(parent, path[path.length - 1]!, value);
}
