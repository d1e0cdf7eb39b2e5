/**
 * Reads a live cluster by the table, and only reads. What may not be read is remembered with the permission that is missing, so
 * that the checks that need it are skipped; a kind that is not installed has no objects.
 */
import { type ObjectKey, objectPath, PODS, type ResourceRef, SERVICE_ACCOUNTS } from '@chandler/kube';
import {
  isFound,
  type ListFilter,
  type LookupFailure,
  type ObjectReader,
  permissionText,
  type ReadObject,
} from '../../../causes/index.ts';
import { fromValue } from '../../model/tree.ts';
import type { ClusterInput, Manifest, UnreadKind } from '../inputs.ts';
import { awsCallerOf } from './aws-callers.ts';
import { isController, liveRelease, selectorOf, serviceAccountOf } from './controller-deployment.ts';
import { CLUSTER_READS, type ClusterRead, readName } from './reads.table.ts';

/** What was read of a cluster, before it meets what files say. */
export type ReadCluster = Omit<ClusterInput, 'declared'>;

export async function readCluster(reader: ObjectReader): Promise<ReadCluster> {
  const objects: Manifest[] = [];
  const unread: UnreadKind[] = [];
  const cut = new Map<string, string>();
  const results = await Promise.all(
    CLUSTER_READS.filter(({ follows }) => follows !== true).map(async (row) => {
      const { resource, key, verb } = row;
      const permission = permissionText(verb, resource, key?.namespace);
      return { row, permission, found: await look(reader, row) };
    }),
  );
  for (const { row, permission, found } of results)
    if (Array.isArray(found)) {
      const { atMost = found.length, resource } = row;
      if (found.length > atMost)
        cut.set(
          resource.kind,
          `there are more than ${atMost} ${resource.plural}, and the others were not read`,
        );
      objects.push(...found.slice(0, atMost).map((object) => liveManifest(resource, object)));
    } else
      unread.push({ ...unreadOf(row.resource, found as LookupFailure, permission), kind: readName(row) });
  const followed = await follow(reader, objects.filter(isController), objects);
  return assembleCluster([...objects, ...followed.objects], [...unread, ...followed.unread], cut);
}

/** Why nothing at all could be read; undefined where something was, even that there are no objects. */
export function whyUnread({ unread }: Pick<ReadCluster, 'unread'>): string | undefined {
  const kinds = new Set(unread.map(({ kind }) => kind));
  return CLUSTER_READS.every((row) => kinds.has(readName(row))) ? unread[0]?.reason : undefined;
}

/** The same for objects that were read already. */
export function assembleCluster(
  objects: readonly Manifest[],
  unread: readonly UnreadKind[],
  cut: ReadonlyMap<string, string> = new Map(),
): ReadCluster {
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  const releases = objects.filter(isController).map((deployment) =>
    liveRelease(
      deployment,
      accounts.find(
        ({ name, namespace }) => name === serviceAccountOf(deployment) && namespace === deployment.namespace,
      ),
    ),
  );
  return { objects, releases, unread, cut };
}

/** An object as the API server returned it. Fields that no check needs and that may be large are left out. */
export function liveManifest(resource: ResourceRef, object: ReadObject): Manifest {
  const { name, namespace } = object.metadata;
  const { managedFields: _, ...metadata } = object.metadata;
  const key = resource.namespaced && namespace !== undefined ? { name, namespace } : { name };
  const at = { call: `GET ${objectPath(resource, key)}` };
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  return {
    apiVersion,
    kind: resource.kind,
    name,
    ...(namespace === undefined ? {} : { namespace }),
    tree: fromValue({ ...trimmed(resource, object), apiVersion, kind: resource.kind, metadata }, at),
    source: 'live',
    at,
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Of workloads beyond it, the service account is not known. */
const MAX_ACCOUNTS = 50;

/** The schema of a CRD is larger than everything else together, and its versions are what matters. */
function trimmed({ kind }: ResourceRef, object: ReadObject): object {
  if (kind !== 'CustomResourceDefinition') return object;
  const spec = object['spec'] as { readonly versions?: readonly object[] } | undefined;
  const versions = spec?.versions?.map((version) => ({ ...version, schema: undefined }));
  return { ...object, spec: { ...spec, versions } };
}

async function look(
  reader: ObjectReader,
  { resource, key, verb, fields, atMost }: ClusterRead,
): Promise<readonly ReadObject[] | LookupFailure> {
  if (verb === 'get') {
    const one = await reader.get(resource, key!);
    return isFound(one) ? [one.found] : absent(one);
  }
  const filter = fields === undefined ? {} : { fields };
  if (atMost !== undefined) return firstPages(reader, resource, filter, atMost);
  const listed = await reader.list(resource, filter);
  return isFound(listed) ? listed.found : absent(listed);
}

/** Until there are more than this, which tells that there are others. */
async function firstPages(
  reader: ObjectReader,
  resource: ResourceRef,
  filter: ListFilter,
  atMost: number,
): Promise<readonly ReadObject[] | LookupFailure> {
  const objects: ReadObject[] = [];
  for await (const page of reader.pages(resource, filter)) {
    if (!isFound(page)) return absent(page);
    objects.push(...page.found);
    if (objects.length > atMost) break;
  }
  return objects;
}

/** A kind that is not installed, and an object that is not there: none. */
function absent(failure: LookupFailure): readonly ReadObject[] | LookupFailure {
  return failure.why === 'notFound' ? [] : failure;
}

function unreadOf({ kind }: ResourceRef, failure: LookupFailure, permission: string): UnreadKind {
  return { kind, permission, reason: reasonOf(failure, permission) };
}

function reasonOf({ why, permission, message }: LookupFailure, asked: string): string {
  if (why !== 'forbidden') return message ?? `${asked}: no answer`;
  return permission === undefined ? 'the credentials were refused' : `the permission to ${asked} is missing`;
}

/** Pods and service accounts of the controller, the pods of the cluster DNS, and service accounts of workloads that call AWS. */
async function follow(
  reader: ObjectReader,
  controllers: readonly Manifest[],
  workloads: readonly Manifest[],
): Promise<{ readonly objects: readonly Manifest[]; readonly unread: readonly UnreadKind[] }> {
  const objects: Manifest[] = [];
  const unread = new Map<string, UnreadKind>();
  const pods = [
    { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } },
    ...controllers.map((each) => ({ namespace: each.namespace ?? 'default', labels: selectorOf(each) })),
  ];
  for (const filter of pods) {
    const found = await reader.list(PODS, filter);
    if (isFound(found)) objects.push(...found.found.map((object) => liveManifest(PODS, object)));
    else unread.set('Pod', unreadOf(PODS, found, permissionText('list', PODS)));
  }
  const accounts: readonly ObjectKey[] = [
    { namespace: 'kube-system', name: 'aws-node' },
    ...controllers.map((each) => ({
      namespace: each.namespace ?? 'default',
      name: serviceAccountOf(each),
    })),
    ...workloads.flatMap((each) => awsCallerOf(each, ['spec', 'template'])?.serviceAccount ?? []),
  ];
  const different = new Map(accounts.map((key) => [`${key.namespace}/${key.name}`, key]));
  for (const key of [...different.values()].slice(0, MAX_ACCOUNTS)) {
    const found = await reader.get(SERVICE_ACCOUNTS, key);
    if (isFound(found)) objects.push(liveManifest(SERVICE_ACCOUNTS, found.found));
    else if (found.why !== 'notFound')
      unread.set(
        'ServiceAccount',
        unreadOf(SERVICE_ACCOUNTS, found, permissionText('get', SERVICE_ACCOUNTS)),
      );
  }
  return { objects, unread: [...unread.values()] };
}
