/** The preconditions of a client on an object, and the conflict when they fail. */
import type { Stored } from '@chandler/kube';
import { type ApiError, conflict } from '../errors.ts';
import type { Resource } from '../resource.ts';

/** The conflict of a write whose precondition fails in storage; a real server passes the message of its storage on. */
export function storageConflict(
  resource: Resource,
  current: Stored,
  field: 'UID' | 'ResourceVersion',
  wanted: string,
  found: string,
): ApiError {
  return conflict(
    resource,
    current.metadata.name,
    `StorageError: invalid object, Code: 4, Key: ${storagePath(resource, current)}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: ${field} in precondition: ${wanted}, ${field} in object meta: ${found}`,
  );
}

/** The conflict of a delete, which names the kind instead of the resource. */
export function deletePreconditionError(
  resource: Resource,
  current: Stored,
  preconditions: { readonly uid?: string; readonly resourceVersion?: string } | undefined,
): ApiError | undefined {
  if (preconditions === undefined) return undefined;
  const { uid, resourceVersion, name } = current.metadata;
  const kind = { group: resource.group, plural: resource.kind };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    return conflict(
      kind,
      name,
      `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    return conflict(
      kind,
      name,
      `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** Where etcd would keep it: a real server shows this path. */
function storagePath(resource: Resource, object: Stored): string {
  const custom = resource.structure.name === undefined;
  const folder = custom
    ? `${resource.group}/${resource.plural}`
    : (FOLDERS[resource.storage.key] ?? resource.plural);
  const { namespace, name } = object.metadata;
  return `/registry/${folder}/${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** Resources that are kept under another name than their own. */
const FOLDERS: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  'customresourcedefinitions.apiextensions.k8s.io': 'apiextensions.k8s.io/customresourcedefinitions',
};
