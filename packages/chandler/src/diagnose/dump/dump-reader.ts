/** Reads a dump as if it were the cluster. A missing object is known not to exist only if the dump has all of its kind. */
import { keyString, type ResourceRef, resourceName } from '@chandler/kube';
import type {
  ListFilter,
  LookupFailure,
  LookupResult,
  ObjectReader,
  ReadObject,
} from '../../causes/index.ts';
import { type Dump, logKey } from './dump.ts';
import { type DumpView, type KindView, viewOf } from './dump-view.ts';

export function dumpReader(dump: Dump | DumpView): ObjectReader {
  const view = 'kindOf' in dump ? dump : viewOf(dump);
  const list: ObjectReader['list'] = async (resource, filter = {}) => {
    const kind = kindOf(view, resource);
    if ('why' in kind) return kind;
    const { atMost = Number.POSITIVE_INFINITY } = filter;
    const found: ReadObject[] = [];
    for (const object of kind.having(wordsOf(filter))) {
      if (found.length >= atMost) break;
      if (matches(object, filter)) found.push(object);
    }
    return isWhole(kind, filter.namespace) ? { found } : { found, partial: true };
  };
  return {
    from: 'dump',
    atMs: Date.parse(view.madeAt) || 0,
    kept: { records: view.evidence, unread: view.unread },
    async get(resource, key) {
      const kind = kindOf(view, resource);
      if ('why' in kind) return kind;
      for (const object of kind.having([`"name":${JSON.stringify(key.name)}`]))
        if (keyOf(object) === keyString(key)) return { found: object };
      const isKnown = isWhole(kind, key.namespace) || kind.absent?.includes(key.name) === true;
      return { why: isKnown ? 'notFound' : 'notInDump' };
    },
    list,
    async *pages(resource, filter) {
      yield list(resource, filter);
    },
    async log(pod, container, previous): Promise<LookupResult<string>> {
      const found = view.logs[logKey(pod.namespace ?? '', pod.name, container, previous)];
      return found === undefined ? { why: 'notInDump' } : { found };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** A kind of which some objects could be read is not one that could not be read. */
function kindOf(view: DumpView, resource: ResourceRef): KindView | LookupFailure {
  const kind = view.kindOf(resourceName(resource));
  if (kind === undefined) return { why: 'notInDump' };
  if (kind.unread === undefined) return kind;
  for (const _ of kind.having([])) return kind;
  return kind.unread;
}

/** The dump has all objects of the kind, or all of the namespace. */
function isWhole({ complete, wholeNamespaces = [] }: KindView, namespace: string | undefined): boolean {
  return complete || (namespace !== undefined && wholeNamespaces.includes(namespace));
}

/** What the compact JSON of an object has in it when it matches. A field may be no string: its value without quotes. */
function wordsOf({ namespace, labels = {}, fields = {} }: ListFilter): readonly string[] {
  return [
    ...(namespace === undefined ? [] : [`"namespace":${JSON.stringify(namespace)}`]),
    ...Object.entries(labels).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`),
    ...Object.values(fields).map((value) => JSON.stringify(value).slice(1, -1)),
  ].filter((word) => word !== '');
}

function keyOf({ metadata: { namespace, name } }: ReadObject): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

function matches(object: ReadObject, { namespace, labels = {}, fields = {} }: ListFilter): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const own = object.metadata.labels ?? {};
  return (
    Object.entries(labels).every(([name, value]) => own[name] === value) &&
    Object.entries(fields).every(([path, value]) => fieldOf(object, path) === value)
  );
}

function fieldOf(object: ReadObject, path: string): string {
  let value: unknown = object;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return value === undefined ? '' : String(value);
}
