/**
 * The shapes of the built-in kinds, unpacked from the generated file on first use. In addition to a
 * Structure they describe Go's encoding: which fields are omitted when empty, which never are, and the name of a type
 * in an error message. The walk over them is `decode/typed.ts`.
 */
import type { Structure, StructureType } from '../structure.ts';
import { PACKED_STRUCTURES } from './structures.gen.ts';

/** How a value is read; a small number, so that the walk can switch on it. */
export const Op = {
  struct: 0,
  list: 1,
  map: 2,
  string: 3,
  int32: 4,
  int64: 5,
  number: 6,
  boolean: 7,
  bytes: 8,
  time: 9,
  microTime: 10,
  quantity: 11,
  intOrString: 12,
  any: 13,
} as const;
export type OpCode = (typeof Op)[keyof typeof Op];

export interface BuiltinStructure extends Structure {
  readonly op: OpCode;
  /** The last part of the definition's name: `PodSpec`. */
  readonly structName: string;
  /** As Go prints it: `[]v1.Container`. */
  readonly goType: string;
  /** A pointer in Go: what was given explicitly is kept, even when it is zero. */
  readonly pointer: boolean;
  /** The embedded struct that Go names before the field: `ProbeHandler`. */
  readonly embeddedIn: string | undefined;
  /** An empty value is not written. */
  readonly omitEmpty: boolean;
  readonly properties?: Readonly<Record<string, BuiltinStructure>> | undefined;
  readonly items?: BuiltinStructure;
  readonly additional?: BuiltinStructure;
  /** Fields that a struct always has, each with what it holds when nothing was given. */
  readonly fills: readonly Fill[];
  /** What Go has before anything is decoded into it. */
  zero(): unknown;
}

export interface Fill {
  readonly key: string;
  /** A scalar to put as it is; undefined when `shape` makes a fresh value. */
  readonly scalar: unknown;
  readonly shape: BuiltinStructure | undefined;
}

/** The shape of a kind, or undefined when the generated file does not have it. */
export function structureOf(group: string, version: string, kind: string): BuiltinStructure | undefined {
  const name = packed().kinds[`${group}/${version}/${kind}`];
  return name === undefined ? undefined : definition(name);
}

/** The shape of a definition by its full name (`io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions`). */
export function definition(name: string): BuiltinStructure {
  let found = definitions.get(name);
  if (found === undefined) {
    const source = packed().definitions[name];
    if (source === undefined) throw new Error(`no definition ${name}`);
    found = new Shape(source, name, undefined);
    definitions.set(name, found);
  }
  return found;
}

// ---------------------------------------------------------------------------------------------------

/** One letter each, to keep the file small: see scripts/structures.ts. */
interface PackedNode {
  /** type */
  readonly t?: string;
  /** reference to a definition */
  readonly r?: string;
  /** format */
  readonly f?: string;
  /** items */
  readonly i?: PackedNode;
  /** values of a map */
  readonly a?: PackedNode;
  /** properties */
  readonly p?: Readonly<Record<string, PackedNode>>;
  /** required */
  readonly q?: readonly string[];
  /** default */
  readonly d?: unknown;
  readonly l?: Structure['listType'];
  /** keys of a list of type map */
  readonly k?: readonly string[];
  readonly m?: Structure['mapType'];
  /** patch strategy */
  readonly s?: Structure['patchStrategy'];
  /** patch merge key */
  readonly y?: string;
  /** a pointer in Go */
  readonly x?: 1;
  /** written even when empty */
  readonly w?: 1;
  /** named Go type */
  readonly g?: string;
  /** embedded struct that the field comes from */
  readonly e?: string;
}

interface PackedFile {
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, PackedNode>>;
}

const definitions = new Map<string, Shape>();
let file: PackedFile | undefined;

function packed(): PackedFile {
  file ??= JSON.parse(PACKED_STRUCTURES) as PackedFile;
  return file;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const EXTENSIONS = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Definitions that Go reads with code of its own. */
const SPECIAL: Readonly<Record<string, OpCode>> = {
  'io.k8s.apimachinery.pkg.api.resource.Quantity': Op.quantity,
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': Op.intOrString,
  'io.k8s.apimachinery.pkg.runtime.RawExtension': Op.any,
  [`${META}Time`]: Op.time,
  [`${META}MicroTime`]: Op.microTime,
  [`${META}FieldsV1`]: Op.any,
  [`${META}Patch`]: Op.any,
  [`${EXTENSIONS}JSON`]: Op.any,
  [`${EXTENSIONS}JSONSchemaPropsOrArray`]: Op.any,
  [`${EXTENSIONS}JSONSchemaPropsOrBool`]: Op.any,
  [`${EXTENSIONS}JSONSchemaPropsOrStringArray`]: Op.any,
};

const TYPES: Readonly<Record<OpCode, StructureType>> = {
  [Op.struct]: 'object',
  [Op.list]: 'array',
  [Op.map]: 'object',
  [Op.string]: 'string',
  [Op.int32]: 'integer',
  [Op.int64]: 'integer',
  [Op.number]: 'number',
  [Op.boolean]: 'boolean',
  [Op.bytes]: 'string',
  [Op.time]: 'string',
  [Op.microTime]: 'string',
  [Op.quantity]: 'quantity',
  [Op.intOrString]: 'intOrString',
  [Op.any]: 'any',
};

class Shape implements BuiltinStructure {
  readonly op: OpCode;
  readonly type: StructureType;
  readonly goType: string;
  readonly structName: string;
  readonly pointer: boolean;
  readonly embeddedIn: string | undefined;
  readonly omitEmpty: boolean;
  readonly name?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly listType?: NonNullable<Structure['listType']>;
  readonly listKeys?: readonly string[];
  readonly mapType?: NonNullable<Structure['mapType']>;
  readonly patchStrategy?: NonNullable<Structure['patchStrategy']>;
  readonly patchMergeKey?: string;
  readonly preserveUnknown?: boolean;
  readonly required?: readonly string[];
  readonly items?: BuiltinStructure;
  readonly additional?: BuiltinStructure;
  readonly #node: PackedNode;
  /** The definition that a field refers to; its properties are shared by all fields that do. */
  readonly #target: PackedNode;
  #properties: Readonly<Record<string, BuiltinStructure>> | undefined;
  #fills: readonly Fill[] | undefined;

  constructor(node: PackedNode, name: string | undefined, field: string | undefined) {
    const reference = node.r ?? name;
    this.#node = node;
    this.pointer = node.x === 1;
    this.embeddedIn = node.e;
    this.#target = node.r === undefined ? node : packed().definitions[node.r]!;
    this.op = opOf(reference, this.#target);
    this.type = TYPES[this.op];
    this.structName = reference === undefined ? '' : reference.slice(reference.lastIndexOf('.') + 1);
    if (reference !== undefined) this.name = reference;
    if (node.i !== undefined) this.items = new Shape(node.i, undefined, undefined);
    if (node.a !== undefined) this.additional = new Shape(node.a, undefined, undefined);
    this.goType = node.g ?? goTypeOf(this, reference);
    this.omitEmpty = omitsEmpty(this.op, node, field);
    this.#copyMerging(node);
  }

  #copyMerging(node: PackedNode): void {
    const self = this as Mutable<Shape>;
    const target = this.#target;
    if (target.f !== undefined) self.format = target.f;
    if (node.d !== undefined) self.default = node.d;
    if (node.l !== undefined) self.listType = node.l;
    if (node.k !== undefined) self.listKeys = node.k;
    const mapType = node.m ?? target.m;
    if (mapType !== undefined) self.mapType = mapType;
    if (node.s !== undefined) self.patchStrategy = node.s;
    if (node.y !== undefined) self.patchMergeKey = node.y;
    if (this.op === Op.any) self.preserveUnknown = true;
    if (target.q !== undefined) self.required = target.q;
  }

  get properties(): Readonly<Record<string, BuiltinStructure>> | undefined {
    if (this.op !== Op.struct) return undefined;
    if (this.#properties === undefined) {
      const shared = this.#node.r === undefined ? undefined : definition(this.#node.r);
      this.#properties = shared === undefined ? unpackFields(this.#target) : shared.properties;
    }
    return this.#properties;
  }

  get fills(): readonly Fill[] {
    this.#fills ??=
      this.#node.r === undefined ? fillsOf(this.properties ?? {}) : definition(this.#node.r).fills;
    return this.#fills;
  }

  zero(): unknown {
    if (this.pointer) return null;
    switch (this.op) {
      case Op.struct: {
        const made: Record<string, unknown> = {};
        for (const fill of this.fills)
          made[fill.key] = fill.shape === undefined ? fill.scalar : fill.shape.zero();
        return made;
      }
      case Op.string:
        return '';
      case Op.int32:
      case Op.int64:
      case Op.number:
      case Op.intOrString:
        return 0;
      case Op.boolean:
        return false;
      case Op.quantity:
        return '0';
      default:
        return null;
    }
  }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function opOf(reference: string | undefined, node: PackedNode): OpCode {
  const special = reference === undefined ? undefined : SPECIAL[reference];
  if (special !== undefined) return special;
  switch (node.t) {
    case 'object':
      return node.a === undefined ? Op.struct : Op.map;
    case 'array':
      return Op.list;
    case 'string':
      return node.f === 'byte' ? Op.bytes : Op.string;
    case 'integer':
      return node.f === 'int32' ? Op.int32 : Op.int64;
    case 'number':
      return Op.number;
    case 'boolean':
      return Op.boolean;
    default:
      return Op.any;
  }
}

/** Structs and times have no empty value in Go's eyes; only creationTimestamp is left out when it is zero. */
function omitsEmpty(op: OpCode, node: PackedNode, field: string | undefined): boolean {
  if (node.x === 1) return node.w !== 1;
  if (op === Op.time) return field === 'creationTimestamp';
  if (op === Op.struct || op === Op.microTime || op === Op.quantity || op === Op.intOrString) return false;
  if (op === Op.any) return true;
  return node.w !== 1;
}

const GO_NAMES: Partial<Record<OpCode, string>> = {
  [Op.string]: 'string',
  [Op.int32]: 'int32',
  [Op.int64]: 'int64',
  [Op.number]: 'float64',
  [Op.boolean]: 'bool',
  [Op.bytes]: '[]uint8',
};

function goTypeOf(shape: BuiltinStructure, reference: string | undefined): string {
  if (shape.op === Op.list) return `[]${shape.items?.goType}`;
  if (shape.op === Op.map) return `map[string]${shape.additional?.goType}`;
  if (reference === undefined) return GO_NAMES[shape.op] ?? 'interface {}';
  const parts = reference.split('.');
  return `${parts.at(-2)}.${parts.at(-1)}`;
}

function unpackFields(node: PackedNode): Record<string, BuiltinStructure> {
  // No prototype: a field called `constructor` must not be found.
  const fields = Object.create(null) as Record<string, BuiltinStructure>;
  for (const [key, value] of Object.entries(node.p ?? {})) fields[key] = new Shape(value, undefined, key);
  return fields;
}

/** Fields that Go writes whatever they hold, and those with a default that the schema itself states. */
function fillsOf(properties: Readonly<Record<string, BuiltinStructure>>): Fill[] {
  const fills: Fill[] = [];
  for (const key of Object.keys(properties)) {
    const shape = properties[key]!;
    const stated = shape.default;
    if (typeof stated === 'string' && stated !== '') fills.push({ key, scalar: stated, shape: undefined });
    else if (!shape.omitEmpty) {
      const fresh = shape.op === Op.struct && shape.zero() !== null;
      fills.push({ key, scalar: fresh ? undefined : shape.zero(), shape: fresh ? shape : undefined });
    }
  }
  return fills;
}
