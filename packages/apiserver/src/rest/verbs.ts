/** The verbs on a resource itself: from a routed request to its answer. */
import { apiVersionOf, type Status } from '@chandler/kube';
import { trackUpdate } from '../apply/index.ts';
import { jsonSyntaxError } from '../decode/json-syntax.ts';
import { parseYaml } from '../decode/yaml-body.ts';
import { reviewHandlers } from '../edge/auth/reviews.ts';
import { ApiError, badRequest, internalFault, notFound, tooLargeResourceVersion } from '../errors.ts';
import type { Resource } from '../resource.ts';
import type { Stored } from '../storage/stored.ts';
import type { ApiAnswer, ApiRequest } from './answer.ts';
import { type ExpectedType, mediaTypeOf, readBody } from './body.ts';
import { Call } from './call.ts';
import { createObject } from './create.ts';
import { deleteObject } from './delete.ts';
import { managerRequest } from './field-managers.ts';
import { quoted, resourceVersionProblem } from './go-values.ts';
import { listObjects } from './list.ts';
import { listOptionsOf } from './list-options.ts';
import { dedupOwners, placeInNamespace, requireName, withMetadata } from './metadata.ts';
import { patchPlan, readPatch } from './patch.ts';
import { PROTOBUF_TYPE } from './protobuf/decode.ts';
import { type Rendition, renditionFor } from './rendition.ts';
import type { ResourceRoute } from './route.ts';
import { bindPod, decodeBinding } from './subresources/binding.ts';
import { updateObject } from './update.ts';
import { Watch } from './watch.ts';
import { deleteOptionsOf, writeOptionsOf } from './write-options.ts';

export interface VerbRequest {
  readonly call: Call;
  readonly request: ApiRequest;
  readonly route: ResourceRoute;
  readonly query: URLSearchParams | undefined;
}

export type VerbHandler = (request: VerbRequest) => ApiAnswer;

export const VERB_HANDLERS: Readonly<Record<string, VerbHandler>> = {
  get,
  list,
  watch,
  create,
  update,
  patch,
  delete: remove,
  deletecollection: removeCollection,
};

/** Also for subresources that speak the kind itself (status, approval, finalize). */
export function get(from: VerbRequest): ApiAnswer {
  const { call, query } = from;
  const rendition = renditionOf(from);
  const { store } = call.parts;
  const resourceVersion = query?.get('resourceVersion') ?? '';
  if (resourceVersion !== '') {
    const problem = resourceVersionProblem(resourceVersion);
    if (problem !== undefined) {
      throw internalFault(`resourceVersion: Invalid value: ${quoted(resourceVersion)}: ${problem}`);
    }
    if (Number(resourceVersion) > store.revision)
      throw tooLargeResourceVersion(resourceVersion, store.revision);
  }
  const item = store.get(call.resource.storage.key, call.namespace ?? '', call.objectName);
  if (item === undefined) throw notFound(call.resource, call.objectName);
  return written(200, rendition, item);
}

export function update(from: VerbRequest): ApiAnswer {
  const { call, request, query } = from;
  const rendition = renditionOf(from);
  call.options = writeOptionsOf(query, 'UpdateOptions');
  const { value, duplicates } = readBody(request, typeOf(call.resource));
  const object = withMetadata(call.resource.strategy.decode(value, call, duplicates));
  placeInNamespace(object.metadata, call);
  requireName(object.metadata, call);
  dedupOwners(object.metadata, call);
  const { uid } = object.metadata;
  const { item, created } = updateObject(call, {
    ...(uid === undefined || uid === '' ? {} : { uid }),
    next: (current) => {
      trackUpdate(object, current, managerRequest(call));
      return object;
    },
  });
  return written(created ? 201 : 200, rendition, item);
}

export function patch(from: VerbRequest): ApiAnswer {
  const { call, request, query } = from;
  const parsed = readPatch(call, request, query);
  const rendition = renditionOf(from);
  const { item, created } = updateObject(call, patchPlan(call, parsed));
  return written(created ? 201 : 200, rendition, item);
}

export function renditionOf({ call, request, query, route }: VerbRequest): Rendition {
  return renditionFor({
    accept: request.headers['accept'],
    query,
    resource: call.resource,
    world: call.parts.world,
    listing: route.name === undefined,
  });
}

// ---------------------------------------------------------------------------------------------------

/** Kinds whose deletion answers with the object; the others with a Status. */
const RETURN_DELETED: ReadonlySet<string> = new Set([
  'csidrivers.storage.k8s.io',
  'storageclasses.storage.k8s.io',
  'volumeattachments.storage.k8s.io',
  'csinodes.storage.k8s.io',
  'volumeattributesclasses.storage.k8s.io',
  'resourcequotas',
  'persistentvolumes',
  'serviceaccounts',
  'persistentvolumeclaims',
  'namespaces',
  'pods',
  'services',
  'podtemplates',
]);

function written(status: number, rendition: Rendition, item: Stored): ApiAnswer {
  return {
    status,
    headers: { 'content-type': rendition.contentType },
    body: rendition.finish(rendition.single(item)),
  };
}

function list(from: VerbRequest): ApiAnswer {
  const { call, query } = from;
  const rendition = renditionOf(from);
  const options = listOptionsOf(query, call.resource, call.name);
  const { items, meta } = listObjects(call.parts.store, call.resource, call.namespace, options);
  const body = rendition.finish(rendition.list(items, meta));
  return { status: 200, headers: { 'content-type': rendition.contentType }, body };
}

function watch(from: VerbRequest): ApiAnswer {
  const { call, query, route } = from;
  const rendition = renditionOf(from);
  const options = listOptionsOf(query, call.resource, call.name, route.watchByPath);
  if (options.resourceVersion !== '') {
    const problem = resourceVersionProblem(options.resourceVersion);
    if (problem !== undefined) {
      throw internalFault(`resourceVersion: Invalid value: ${quoted(options.resourceVersion)}: ${problem}`);
    }
  }
  const stream = new Watch({
    parts: call.parts,
    resource: call.resource,
    namespace: call.namespace,
    options,
    rendition,
  });
  return { status: 200, headers: { 'content-type': 'application/json' }, body: stream };
}

function create(from: VerbRequest): ApiAnswer {
  const { call, request, query } = from;
  const { resource } = call;
  const rendition = renditionOf(from);
  call.options = writeOptionsOf(query, 'CreateOptions');
  const { value, duplicates } = readBody(request, typeOf(resource));
  if (resource.group === '' && resource.plural === 'bindings') {
    const binding = decodeBinding(call, value, duplicates);
    return statusAnswer(bindPod(call, binding, binding.metadata?.name ?? ''));
  }
  const object = withMetadata(resource.strategy.decode(value, call, duplicates));
  const review = reviewHandlers.get(`${resource.group}/${resource.plural}`);
  if (review !== undefined) {
    const { authorizer, authenticator } = call.parts;
    const context = {
      user: call.user,
      namespace: call.namespace ?? '',
      authorizer,
      authenticator,
      now: call.now,
    };
    return {
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(review(object, context)),
    };
  }
  return written(201, rendition, createObject(call, object));
}

function remove(from: VerbRequest): ApiAnswer {
  const { call, request, query } = from;
  const { resource } = call;
  const rendition = renditionOf(from);
  const options = deleteOptionsOf(bodyOfDelete(request), query);
  call.options = { ...call.options, dryRun: options.dryRun };
  const { item, gone, pending } = deleteObject(call, options);
  if (
    (!gone && !pending) ||
    RETURN_DELETED.has(resource.storage.key) ||
    (pending && !gone && hasFinalizers(item))
  ) {
    return written(!gone && options.orphanDependents === false ? 202 : 200, rendition, item);
  }
  return statusAnswer({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: {
      name: item.name,
      ...(resource.group === '' ? {} : { group: resource.group }),
      kind: resource.plural,
      uid: item.object.metadata.uid,
    },
  });
}

function hasFinalizers(item: Stored): boolean {
  return (item.object.metadata.finalizers?.length ?? 0) > 0;
}

function removeCollection(from: VerbRequest): ApiAnswer {
  const { call, request, query } = from;
  const { resource, parts } = call;
  const rendition = renditionOf(from);
  const listOptions = listOptionsOf(query, resource, undefined);
  const options = deleteOptionsOf(bodyOfDelete(request), query);
  const { items, meta } = listObjects(parts.store, resource, call.namespace, listOptions);
  for (const item of items) {
    const target = {
      resource,
      ...(resource.namespaced ? { namespace: item.namespace } : {}),
      name: item.name,
    };
    const own = new Call(parts, target, call.user, call.userAgent);
    own.options = { ...own.options, dryRun: options.dryRun };
    try {
      deleteObject(own, options);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 404) throw error;
    }
  }
  return {
    status: 200,
    headers: { 'content-type': rendition.contentType },
    body: rendition.finish(rendition.list(items, meta)),
  };
}

function typeOf({ group, version, kind, structure }: Resource): ExpectedType {
  return { apiVersion: apiVersionOf(group, version), kind, custom: structure.name === undefined };
}

/** Undefined when there is none. Its words differ from those about other bodies. */
function bodyOfDelete(request: ApiRequest): unknown {
  if (request.body === '') return undefined;
  if (mediaTypeOf(request) === PROTOBUF_TYPE)
    return readBody(request, { apiVersion: 'v1', kind: 'DeleteOptions' }).value;
  if (mediaTypeOf(request) === 'application/yaml') {
    const parsed = parseYaml(request.body);
    if (parsed.error !== undefined) throw badRequest(parsed.error);
    return parsed.value;
  }
  try {
    return JSON.parse(request.body);
  } catch {
    throw badRequest(`couldn't get version/kind; json parse error: ${jsonSyntaxError(request.body)}`);
  }
}

export function statusAnswer(status: Status): ApiAnswer {
  return {
    status: status.code ?? 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(status),
  };
}
