/**
 * Reads objects from a live cluster or a dump. Reading does not throw for problems of the source: forbidden, not found
 * and no answer are results as well, with the permission that is missing.
 */
import type { KubeObject, NamedObject } from '@chandler/kube';
import { type ObjectKey, type ResourceRef, resourceName } from '@chandler/kube';
import type { Evidence, Unread } from './evidence.ts';

export interface ObjectReader {
  readonly from: 'kubernetes' | 'dump';
  /** Now, or when the dump was made. */
  readonly atMs: number;
  get(resource: ResourceRef, key: ObjectKey): Promise<LookupResult<ReadObject>>;
  list(resource: ResourceRef, filter?: ListFilter): Promise<LookupResult<readonly ReadObject[]>>;
  /** The same page by page, for lists that are long. After a failure there is no other page. */
  pages(resource: ResourceRef, filter?: ListFilter): AsyncIterable<LookupResult<readonly ReadObject[]>>;
  /** The last lines of a container. */
  log(pod: ObjectKey, container: string, previous: boolean): Promise<LookupResult<string>>;
  /** What only the maker of a dump could read: the cloud, tokens. */
  readonly kept: KeptEvidence;
}

export interface KeptEvidence {
  readonly records: readonly Evidence[];
  readonly unread: readonly Unread[];
}

export interface ListFilter {
  readonly namespace?: string;
  /** Labels that an object has, each exactly. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Fields that an object has, by path: `involvedObject.name`. */
  readonly fields?: Readonly<Record<string, string>>;
  /** The maximum number of objects. */
  readonly atMost?: number;
}

/** As a cluster or a dump has it: the name is certain, a UID is not. */
export type ReadObject = KubeObject & NamedObject;

export type LookupResult<T> = Found<T> | LookupFailure;

export interface Found<T> {
  readonly found: T;
  /** Of a list in a dump: the cluster had more objects than these. */
  readonly partial?: true;
}

export interface LookupFailure {
  readonly why: Unread['why'];
  readonly permission?: string;
  readonly message?: string;
}

export function isFound<T>(result: LookupResult<T>): result is Found<T> {
  return 'found' in result;
}

/** Why a list could not be read. An empty one of a dump that does not have all objects proves nothing, either. */
export function listFailure(result: LookupResult<readonly unknown[]>): LookupFailure | undefined {
  if (!isFound(result)) return result;
  return result.partial === true && result.found.length === 0 ? { why: 'notInDump' } : undefined;
}

/** Why a list is not known to have all objects. */
export function wholeFailure(result: LookupResult<readonly unknown[]>): LookupFailure | undefined {
  if (!isFound(result)) return result;
  return result.partial === true ? { why: 'notInDump' } : undefined;
}

/** The list, or an empty one if it could not be read; then `onFailure` is called. */
export function listOr<T>(
  result: LookupResult<readonly T[]>,
  onFailure: (unseen: LookupFailure) => void = () => undefined,
): readonly T[] {
  if (isFound(result)) return result.found;
  onFailure(result);
  return [];
}

/** `list pods`, `get nodeclaims.karpenter.sh`, `get pods/log in namespace shop`: as `kubectl auth can-i` asks. */
export function permissionText(verb: string, resource: ResourceRef, namespace?: string, sub = ''): string {
  const name = sub === '' ? resourceName(resource) : `${resourceName(resource)}/${sub}`;
  return `${verb} ${name}${namespace === undefined ? '' : ` in namespace ${namespace}`}`;
}
