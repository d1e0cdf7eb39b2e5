/** Objects as manifests: which resource a kind belongs to, and how it is put into the cluster. */
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

/** @throws when the kind is not one of a cluster with our kinds. */
export function resourceOfKind(apiVersion: string, kind: string): ResourceRef {
  const known = [...Object.values(resources), ...Object.values(karpenterResources)].filter(
    (one) => typeof one === 'object',
  );
  const found = known.find((one) => one.kind === kind && apiVersionOf(one.group, one.version) === apiVersion);
  if (found === undefined) throw new Error(`there is no kind ${kind} in ${apiVersion}`);
  return found;
}

/** Creates it; one that is there stays as it is. */
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
