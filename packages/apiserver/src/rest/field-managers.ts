/** How a call is named among the managers of an object's fields. */
import { apiVersionOf, type KubeObject, parseApiVersion } from '@chandler/kube';
import { type ManagerRequest, resetFieldsOf } from '../apply/index.ts';
import { qualify } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { cloneJson } from '../storage/json.ts';
import { Stored, toStorage } from '../storage/stored.ts';
import type { Call } from './call.ts';

export function managerRequest(call: Call): ManagerRequest {
  const { resource, subresource } = call;
  const custom =
    resource.structure.name === undefined
      ? { hasStatus: resource.subresources.some(({ name }) => name === 'status') }
      : undefined;
  return {
    structure: resource.structure,
    manager: call.fieldManager,
    apiVersion: apiVersionOf(resource.group, resource.version),
    kind: resource.kind,
    ...(subresource === undefined ? {} : { subresource }),
    now: call.now,
    ...resetFieldsOf(qualify(resource), subresource, custom),
    atVersion: (object, apiVersion) => atVersion(call, object, apiVersion),
  };
}

// ---------------------------------------------------------------------------------------------------

function atVersion(
  call: Call,
  object: KubeObject,
  apiVersion: string,
): { object: KubeObject; structure: Resource['structure'] } | undefined {
  const { resource } = call;
  const { group, version } = parseApiVersion(apiVersion);
  const other = call.parts.catalogue.resource(group, version, resource.plural);
  if (other === undefined || other.storage.key !== resource.storage.key) return undefined;
  const stored = Stored.unsaved(toStorage(cloneJson(object), resource), 0);
  return { object: stored.as(other).object, structure: other.structure };
}
