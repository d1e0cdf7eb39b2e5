/**
 * All objects of a simulation, by kind and name, whether they come from files or from a cluster. What comes
 * later replaces what has the same name, so files can change a live cluster. It checks shapes and keeps the
 * position of each object; it does not interpret them.
 */
import { fieldText, type KubeObject, parseApiVersion } from '@chandler/kube';
import { closestName } from '../../settings/index.ts';
import { checkShape } from './check-shape.ts';
import type { FieldPath, Found, Origin } from './documents.ts';
import { IGNORED_GROUPS, IGNORED_KINDS, KINDS_READ, type KindRow } from './kinds.table.ts';
import type { Problem } from './problem.ts';

/** Before the kind, in the names of lists of objects of which only the selector is read. */
export const SELECTING = 'selecting/';

export interface WrittenObject {
  /** `Deployment/shop/web`. */
  readonly id: string;
  readonly object: KubeObject;
}

export class Inventory {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly #objects = new Map<string, Map<string, KubeObject>>();
  readonly #origins = new Map<string, Origin>();
  readonly #written: WrittenObject[] = [];
  readonly #live = new WeakSet<object>();
  readonly #listed = new Set<string>();
  readonly #kinds: readonly KindRow[];
  #unnamed = 0;

  /** @param more kinds to read besides those of a simulation. */
  constructor(more: readonly KindRow[] = []) {
    this.#kinds = [...KINDS_READ, ...more];
  }

  /** The objects of one kind, in the order in which they were first added. */
  objects<T = KubeObject>(kind: string): T[] {
    return [...(this.#objects.get(kind)?.values() ?? [])] as T[];
  }

  get size(): number {
    let size = 0;
    for (const objects of this.#objects.values()) size += objects.size;
    return size;
  }

  /** Objects of files that no API server has accepted yet: those without a UID. */
  get written(): readonly WrittenObject[] {
    return this.#written;
  }

  /** An object as a file gives it. */
  addFound({ value, given: written, origin }: Found): void {
    const complain = (path: FieldPath, message: string, object?: string, warning = false) => {
      const problem = problemAt(origin, path, message, object);
      (warning ? this.warnings : this.problems).push(problem);
    };
    const row = this.#rowFor(value, complain);
    if (row === undefined) return;
    const given = value as KubeObject;
    const id = objectId(row, given);
    const { metadata, ...rest } = given;
    const mismatches = [...metadataMismatches(metadata), ...checkShape(row.shape, rest)];
    for (const { path, message, warning } of mismatches) complain(path, message, id, warning);
    if (mismatches.some((mismatch) => !mismatch.warning)) return;
    const earlier = this.#origins.get(id);
    if (
      given.metadata.name !== undefined &&
      earlier !== undefined &&
      this.#objects.get(listOf(row))?.has(id)
    ) {
      complain(
        [],
        `is defined twice; this definition replaces the one in ${[earlier.file, earlier.lineOf([])].filter((part) => part !== undefined).join(':')}`,
        id,
        true,
      );
    }
    this.#origins.set(id, origin);
    if (given.metadata.uid === undefined) this.#written.push({ id, object: written as KubeObject });
    this.#put(row, given);
  }

  /** An object as an API server gives it: taken as it is. @param list default: that of the kind. */
  addLive(kind: string, object: KubeObject, list?: string): void {
    const row = this.#kinds.find((candidate) => candidate.kind === kind);
    if (row !== undefined) this.#live.add(this.#put(list === undefined ? row : { ...row, list }, object));
  }

  /** Whether an object of the inventory comes from an API server, and no file has replaced it. */
  isLive(object: object): boolean {
    return this.#live.has(object);
  }

  /** All objects of this kind that an API server has were added. */
  noteListed(kind: string): void {
    this.#listed.add(kind);
  }

  /** Whether an object of this kind that is not here does not exist in the cluster. */
  isListed(kind: string): boolean {
    return this.#listed.has(kind);
  }

  /** Removes objects of a kind. @returns how many. */
  drop(kind: string, isDropped: (object: KubeObject) => boolean): number {
    const objects = this.#objects.get(kind) ?? new Map<string, KubeObject>();
    const before = objects.size;
    for (const [id, object] of objects) if (isDropped(object)) objects.delete(id);
    return before - objects.size;
  }

  /** The position of a field of an object, for errors found later. The object is given as `Kind/namespace/name`. */
  locate(object: string, field: string, message: string): Problem {
    const origin = this.#origins.get(object);
    if (origin === undefined) return { file: object, field, message };
    return { ...problemAt(origin, pathOf(field), message, object), field };
  }

  #put(row: KindRow, given: KubeObject): KubeObject {
    const namespace = row.namespaced ? { namespace: given.metadata.namespace || 'default' } : {};
    const name = given.metadata.name ?? `${given.metadata.generateName ?? ''}${this.#unnamed++}`;
    const object = { ...given, kind: row.kind, metadata: { ...given.metadata, name, ...namespace } };
    const list = listOf(row);
    const objects = this.#objects.get(list) ?? new Map<string, KubeObject>();
    this.#objects.set(list, objects);
    objects.set(objectId(row, object), object);
    return object;
  }

  #rowFor(value: unknown, complain: Complain): KindRow | undefined {
    if (typeof value !== 'object' || value === null) {
      complain([], 'not a Kubernetes object; it needs apiVersion, kind and metadata');
      return undefined;
    }
    const { apiVersion, kind, problem } = value as Readonly<Record<string, unknown>>;
    if (typeof problem === 'string' && kind === '') {
      complain([], problem);
      return undefined;
    }
    if (typeof kind !== 'string' || typeof apiVersion !== 'string') {
      complain([], 'not a Kubernetes object; it needs apiVersion and kind');
      return undefined;
    }
    const { group } = parseApiVersion(apiVersion);
    const row = this.#kinds.find((candidate) => candidate.kind === kind && candidate.group === group);
    if (row === undefined && !IGNORED_GROUPS.has(group) && !IGNORED_KINDS.has(`${group}/${kind}`)) {
      complain([], unknownKind(apiVersion, kind), undefined, true);
    }
    return row;
  }
}

// ---------------------------------------------------------------------------------------------------------------

type Complain = (path: FieldPath, message: string, object?: string, warning?: boolean) => void;

function problemAt(origin: Origin, path: FieldPath, message: string, object?: string): Problem {
  const line = origin.lineOf(path);
  const { document } = origin;
  return {
    file: origin.file,
    ...(line === undefined ? {} : { line }),
    ...(document === undefined ? {} : { document }),
    ...(object === undefined ? {} : { object }),
    ...(path.length === 0 ? {} : { field: fieldText(path) }),
    message,
  };
}

function listOf({ kind, list }: KindRow): string {
  return list ?? kind;
}

function objectId(row: KindRow, object: KubeObject): string {
  const { name, generateName, namespace } = object.metadata ?? {};
  const own = name ?? generateName ?? '(unnamed)';
  return row.namespaced ? `${row.kind}/${namespace || 'default'}/${own}` : `${row.kind}/${own}`;
}

function metadataMismatches(metadata: unknown) {
  const labels = { type: 'object', additionalProperties: { type: 'string' } } as const;
  const name = { type: 'string', minLength: 1 } as const;
  const properties = {
    name,
    generateName: name,
    namespace: { type: 'string' },
    labels,
    annotations: labels,
    ownerReferences: { type: 'array', items: { type: 'object' } },
  } as const;
  const shape = { type: 'object', properties, 'x-kubernetes-preserve-unknown-fields': true } as const;
  if (metadata === undefined || metadata === null) return [{ path: ['metadata'], message: 'is missing' }];
  const { name: own, generateName } = metadata as { name?: unknown; generateName?: unknown };
  const unnamed = own === undefined && generateName === undefined;
  return [
    ...(unnamed ? [{ path: ['metadata', 'name'], message: 'is missing' }] : []),
    ...checkShape(shape, metadata, ['metadata']),
  ];
}

function unknownKind(apiVersion: string, kind: string): string {
  const same = KINDS_READ.find((row) => row.kind === kind);
  if (same !== undefined) {
    return `${kind} of ${apiVersion} is ignored; only the group ${same.group || 'core'} is supported`;
  }
  const guess = closestName(
    kind,
    KINDS_READ.map((row) => row.kind),
  );
  const hint = guess === undefined ? '' : ` (did you mean ${guess}?)`;
  return `${kind} of ${apiVersion} is ignored: a simulation does not use this kind${hint}`;
}

/** `spec.containers[0].name` as steps. */
function pathOf(field: string): FieldPath {
  return [...field.matchAll(/\[(\d+)\]|\["([^"]*)"\]|([^.[\]]+)/g)].map(([, index, quoted, plain]) =>
    index === undefined ? (quoted ?? plain!) : Number(index),
  );
}
