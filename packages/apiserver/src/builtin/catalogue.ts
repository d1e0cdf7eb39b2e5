/**
 * The built-in resources, ready to be served: the table's rows with their shapes, rules, columns and selectable
 * fields. Shapes and strategies are made when they are first used, so that starting costs next to nothing.
 */
import { builtinColumns } from '../edge/columns/index.ts';
import { qualify } from '../errors.ts';
import type {
  PrinterColumn,
  Resource,
  SelectableField,
  Storage,
  Strategy,
  Subresource,
  Verb,
} from '../resource.ts';
import { decodeEvent, encodeEvent } from './cluster/events.ts';
import { rulesOf } from './kind-rules.ts';
import { RESOURCE_TABLE, type ResourceRow } from './resources.table.ts';
import { selectableFields } from './selectable-fields.ts';
import { builtinStrategy } from './strategy.ts';
import { type BuiltinStructure, structureOf } from './structures.ts';

/** The same objects at every call. */
export function builtinResources(): readonly Resource[] {
  resources ??= RESOURCE_TABLE.map((row) => new BuiltinResource(row));
  return resources;
}

// ---------------------------------------------------------------------------------------------------

let resources: readonly Resource[] | undefined;

const NOTHING: readonly never[] = [];

const DEPRECATED: Readonly<Record<string, string>> = {
  endpoints: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};

class BuiltinResource implements Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  readonly storage: Storage;
  readonly deprecationWarning?: string;
  #strategy: Strategy | undefined;
  #structure: BuiltinStructure | undefined;

  constructor(row: ResourceRow) {
    this.group = row.group;
    this.version = row.version;
    this.kind = row.kind;
    this.listKind = `${row.kind}List`;
    this.plural = row.plural;
    this.singular = row.singular;
    this.namespaced = row.namespaced;
    this.shortNames = row.shortNames ?? NOTHING;
    this.categories = row.categories ?? NOTHING;
    this.verbs = row.verbs;
    this.subresources = row.subresources ?? NOTHING;
    this.storage = storageOf(row);
    const warning = DEPRECATED[qualify(row)];
    if (warning !== undefined) this.deprecationWarning = warning;
  }

  get structure(): BuiltinStructure {
    if (this.#structure === undefined) {
      const found = structureOf(this.group, this.version, this.kind);
      if (found === undefined) throw new Error(`no structure for ${this.group}/${this.version} ${this.kind}`);
      this.#structure = found;
    }
    return this.#structure;
  }

  get strategy(): Strategy {
    this.#strategy ??= builtinStrategy(this, rulesOf(qualify(this)));
    return this.#strategy;
  }

  get columns(): readonly PrinterColumn[] {
    return builtinColumns(this.group, this.kind);
  }

  get selectableFields(): readonly SelectableField[] {
    return selectableFields(qualify(this));
  }
}

function storageOf(row: ResourceRow): Storage {
  if (row.group === 'events.k8s.io') {
    return { key: 'events', apiVersion: 'v1', kind: 'Event', encode: encodeEvent, decode: decodeEvent };
  }
  const apiVersion = row.group === '' ? row.version : `${row.group}/${row.version}`;
  return { key: qualify(row), apiVersion, kind: row.kind };
}
