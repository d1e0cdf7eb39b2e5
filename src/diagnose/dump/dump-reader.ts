/** Reads a dump as if it were the cluster. What is not in it is not there only where the dump has all of the kind. */
import type { KubeObject } from '../../api/index.ts';
import { keyString, type ResourceRef, resourceName } from '../../kube/index.ts';
import type { ListFilter, Looked, NotSeen, ObjectReader } from '../reader/reader.ts';
import { type Dump, type DumpedKind, logKey } from './dump.ts';

export function dumpReader(dump: Dump): ObjectReader {
  const index = new Map<string, Map<string, KubeObject>>();
  return {
    from: 'dump',
    atMs: Date.parse(dump.madeAt) || 0,
    kept: { records: dump.evidence, unread: dump.unread },
    async get(resource, key) {
      const kind = kindOf(dump, resource);
      if (!('objects' in kind)) return kind;
      const found = indexOf(index, resource, kind).get(keyString(key));
      return found === undefined ? absent(kind) : { found };
    },
    async list(resource, filter = {}) {
      const kind = kindOf(dump, resource);
      if (!('objects' in kind)) return kind;
      const found = kind.objects.filter((object) => matches(object, filter));
      return { found: filter.atMost === undefined ? found : found.slice(0, filter.atMost) };
    },
    async log(pod, container, previous): Promise<Looked<string>> {
      const found = dump.logs[logKey(pod.namespace ?? '', pod.name, container, previous)];
      return found === undefined ? { why: 'notInDump' } : { found };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function kindOf({ kinds }: Dump, resource: ResourceRef): DumpedKind | NotSeen {
  const kind = kinds[resourceName(resource)];
  if (kind === undefined) return { why: 'notInDump' };
  return kind.unread ?? kind;
}

function absent({ complete }: DumpedKind): NotSeen {
  return { why: complete ? 'notFound' : 'notInDump' };
}

function indexOf(
  index: Map<string, Map<string, KubeObject>>,
  resource: ResourceRef,
  { objects }: DumpedKind,
): Map<string, KubeObject> {
  const name = resourceName(resource);
  let known = index.get(name);
  if (known === undefined) {
    known = new Map(objects.map((object) => [keyOf(object), object]));
    index.set(name, known);
  }
  return known;
}

function keyOf({ metadata: { namespace, name = '' } }: KubeObject): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

function matches(object: KubeObject, { namespace, labels = {}, fields = {} }: ListFilter): boolean {
  if (namespace !== undefined && object.metadata.namespace !== namespace) return false;
  const own = object.metadata.labels ?? {};
  return (
    Object.entries(labels).every(([name, value]) => own[name] === value) &&
    Object.entries(fields).every(([path, value]) => fieldOf(object, path) === value)
  );
}

function fieldOf(object: KubeObject, path: string): string {
  let value: unknown = object;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return value === undefined ? '' : String(value);
}
