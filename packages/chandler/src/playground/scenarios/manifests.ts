/** Objects as manifests: finds the resource of a kind, and creates or applies the object. */
import {
  apiVersionOf,
  isApiError,
  type KubeClient,
  type KubeObject,
  type ObjectKey,
  type ResourceRef,
  resourceName,
  resources,
} from '@chandler/kube';
import { karpenterResources } from '../../api/index.ts';

/** @throws when neither Kubernetes nor Karpenter has such a kind. */
export function resourceOfKind(apiVersion: string, kind: string): ResourceRef {
  const known = [...Object.values(resources), ...Object.values(karpenterResources)].filter(
    (one) => typeof one === 'object',
  );
  const found = known.find((one) => one.kind === kind && apiVersionOf(one.group, one.version) === apiVersion);
  if (found === undefined) throw new Error(`unknown kind ${kind} in ${apiVersion}`);
  return found;
}

/** Creates the object; leaves an existing one unchanged. */
export async function ensureObject(client: KubeClient, object: KubeObject): Promise<void> {
  const { resource } = placeOf(object);
  try {
    await client.create(resource, object);
  } catch (error) {
    if (!isApiError(error, 'alreadyExists')) throw error;
  }
}

/** As `kubectl apply --server-side --force-conflicts`. */
export async function applyObject(client: KubeClient, object: KubeObject): Promise<KubeObject> {
  const { resource, key } = placeOf(object);
  return client.patch(
    resource,
    key,
    { type: 'apply', patch: object },
    { fieldManager: MANAGER, force: true },
  );
}

/** One that does not exist is deleted already. */
export async function deleteObject(client: KubeClient, object: KubeObject): Promise<void> {
  const { resource, key } = placeOf(object);
  try {
    await client.delete(resource, key);
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

const MANAGER = 'chandler-playground';

function placeOf({ apiVersion = '', kind = '', metadata }: KubeObject): {
  resource: ResourceRef;
  key: ObjectKey;
} {
  const resource = resourceOfKind(apiVersion, kind);
  const { name, namespace } = metadata;
  if (name === undefined) throw new Error(`an object of ${resourceName(resource)} has no name`);
  if (!resource.namespaced) return { resource, key: { name } };
  return { resource, key: { name, namespace: namespace ?? 'default' } };
}
