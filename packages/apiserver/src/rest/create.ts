/**
 * Create: from a decoded object to a stored one. The order of the steps is the real server's, because it decides
 * which of several errors a client gets.
 */
import type { KubeObject } from '@chandler/kube';
import { trackUpdate } from '../apply/index.ts';
import { ApiError, alreadyExists, internalFault, invalid, qualify } from '../errors.ts';
import { Stored, toStorage } from '../storage/stored.ts';
import type { Call } from './call.ts';
import { managerRequest } from './field-managers.ts';
import { dedupOwners, generateName, placeInNamespace, wipeSystemFields, withMetadata } from './metadata.ts';

/** Takes the object over. */
export function createObject(call: Call, object: KubeObject): Stored {
  const { metadata } = withMetadata(object);
  wipeSystemFields(metadata);
  placeInNamespace(metadata, call);
  dedupOwners(metadata, call);
  if (call.parts.managedFields) trackUpdate(object, undefined, managerRequest(call));
  else delete metadata.managedFields;
  return storeNew(call, object);
}

/** The second half, for an object with recorded field managers. Server-side apply uses it too. */
export function storeNew(call: Call, object: KubeObject): Stored {
  const { metadata } = object;
  const attributes = { operation: 'CREATE', call, object, current: undefined } as const;
  call.parts.admission.mutate(attributes);
  dedupOwners(metadata, call, true);
  fillSystemFields(call, object);
  const { resource } = call;
  resource.strategy.prepareForCreate(object, call);
  const errors = call.trusted ? [] : resource.strategy.validateCreate(object, call);
  if (errors.length > 0) throw invalid(resource, metadata.name ?? '', errors);
  call.parts.admission.validate(attributes);
  if (metadata.resourceVersion !== undefined && metadata.resourceVersion !== '') {
    throw internalFault('resourceVersion should not be set on objects to be created');
  }
  delete metadata.resourceVersion;
  return commit(call, object);
}

// ---------------------------------------------------------------------------------------------------

const NAME_ATTEMPTS = 8;

/** A generated name that is taken is generated again; after some attempts the request fails. */
function fillSystemFields(call: Call, object: KubeObject): void {
  const { metadata } = object;
  const { random } = call.parts.world;
  metadata.creationTimestamp = call.now;
  metadata.uid = random.uuid();
  const base = metadata.generateName ?? '';
  if (base === '' || (metadata.name ?? '') !== '') return;
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    metadata.name = generateName(base, random);
    if (!exists(call, object)) return;
  }
}

function exists(call: Call, object: KubeObject): boolean {
  const { namespace, name } = object.metadata;
  return call.parts.store.get(call.resource.storage.key, namespace ?? '', name ?? '') !== undefined;
}

function commit(call: Call, object: KubeObject): Stored {
  const { resource } = call;
  if (exists(call, object)) throw taken(call, object);
  const stored = toStorage(object, resource);
  if (call.dryRun) return Stored.unsaved(stored, 0).as(resource);
  return call.parts.store.create(resource.storage.key, stored).as(resource);
}

function taken(call: Call, object: KubeObject): ApiError {
  const { resource } = call;
  const { name = '', generateName: base = '' } = object.metadata;
  if (base === '') return alreadyExists(resource, name);
  return new ApiError(
    409,
    'AlreadyExists',
    `${qualify(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`,
    {
      name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      retryAfterSeconds: 1,
    },
  );
}
