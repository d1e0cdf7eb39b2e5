/**
 * The shape of a kind as a tree: what fields there are, of what type, and how lists and maps merge.
 * One form serves built-in kinds (generated from OpenAPI) and custom resources (compiled from their CRD),
 * so decoding, pruning, patching and server-side apply are each written once.
 */

export interface Structure {
  readonly type: StructureType;
  /** OpenAPI format: int32, int64, byte, date-time, … */
  readonly format?: string;
  /** The definition of this node (`io.k8s.api.core.v1.PodSpec`); absent for custom resources. */
  readonly name?: string;
  readonly properties?: Readonly<Record<string, Structure>> | undefined;
  /** The shape of a map's values. */
  readonly additional?: Structure;
  /** The shape of a list's items. */
  readonly items?: Structure;
  readonly required?: readonly string[];
  readonly nullable?: boolean;
  readonly default?: unknown;
  /** Server-side apply: default atomic for lists, granular for maps and structs. */
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly listKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  /** Strategic merge patch, built-in kinds only. */
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly patchMergeKey?: string;
  /** Unknown fields below this node are kept (`x-kubernetes-preserve-unknown-fields`, RawExtension, FieldsV1). */
  readonly preserveUnknown?: boolean;
  /** The node is a whole object with apiVersion, kind and metadata of its own. */
  readonly embedded?: boolean;
}

/**
 * `quantity` and `intOrString` are strings or numbers on the wire; a quantity of a built-in kind is rewritten
 * in canonical form. `any` is a value of unknown shape.
 */
export type StructureType =
  | 'object'
  | 'array'
  | 'string'
  | 'integer'
  | 'number'
  | 'boolean'
  | 'quantity'
  | 'intOrString'
  | 'any';
