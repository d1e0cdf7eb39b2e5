/** Calls to subresources through the client: eviction, binding, scale and service account tokens. */
import { apiVersionOf, type KubeObject, type NamedObject, type Stored } from '../object.ts';
import type { KubeClient } from './client.ts';
import { deleteBody } from './client-bodies.ts';
import type { DeleteOptions } from './client-options.ts';
import type { ObjectKey, ResourceRef } from './resource.ts';
import { PODS, SERVICE_ACCOUNTS } from './resources.table.ts';

/** Evicts a pod within its disruption budgets. A 429 (the budget rejects it) is returned at once, as `tooManyRequests`. */
export async function evict(client: KubeClient, pod: ObjectKey, options: DeleteOptions = {}): Promise<void> {
  const { signal } = options;
  const eviction = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: { name: pod.name, namespace: pod.namespace },
    deleteOptions: deleteBody(options),
  };
  await client.post(PODS, pod, 'eviction', eviction, { retry: false, ...(signal ? { signal } : {}) });
}

/** Binds the pod to the node, as a scheduler does. */
export async function bind(
  client: KubeClient,
  pod: ObjectKey & { readonly uid?: string },
  node: string,
): Promise<void> {
  const { name, namespace, uid } = pod;
  await client.post(PODS, pod, 'binding', {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, ...(uid === undefined ? {} : { uid }) },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });
}

export interface Scale extends KubeObject {
  spec: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

export function getScale(client: KubeClient, resource: ResourceRef, key: ObjectKey): Promise<Stored<Scale>> {
  return client.get(resource as ResourceRef<Scale>, key, { subresource: 'scale' });
}

/** Carries the Scale's resourceVersion when it was read before. */
export function updateScale(
  client: KubeClient,
  resource: ResourceRef,
  scale: Scale & NamedObject,
): Promise<Stored<Scale>> {
  const body = { apiVersion: apiVersionOf('autoscaling', 'v1'), kind: 'Scale', ...scale };
  return client.update(resource as ResourceRef<Scale>, body, { subresource: 'scale' });
}

export interface TokenRequest extends KubeObject {
  spec: { audiences: string[]; expirationSeconds?: number };
  status?: { token: string; expirationTimestamp: string };
}

/** A short-lived token of a service account. */
export function requestToken(
  client: KubeClient,
  account: ObjectKey,
  spec: TokenRequest['spec'],
): Promise<TokenRequest> {
  return client.post<TokenRequest>(SERVICE_ACCOUNTS, account, 'token', {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec,
  });
}
