/**
 * The static types of CEL as Kubernetes uses them, and how they relate: what may be passed where, and what two
 * branches have in common. Values are in `values.ts`.
 */

export type CelType =
  | { readonly kind: 'simple'; readonly name: string }
  | { readonly kind: 'list'; readonly elem: CelType }
  | { readonly kind: 'map'; readonly key: CelType; readonly value: CelType }
  | { readonly kind: 'optional'; readonly elem: CelType }
  | { readonly kind: 'type'; readonly of: CelType }
  | { readonly kind: 'param'; readonly name: string }
  | ObjectType;

/** An object with declared fields. Identity counts: two objects of the same shape are different types. */
export interface ObjectType {
  readonly kind: 'object';
  readonly fields: ReadonlyMap<string, CelType>;
}

const simple = (name: string): CelType => ({ kind: 'simple', name });

export const INT = simple('int');
export const UINT = simple('uint');
export const DOUBLE = simple('double');
export const BOOL = simple('bool');
export const STRING = simple('string');
export const BYTES = simple('bytes');
export const NULL = simple('null_type');
export const DYN = simple('dyn');
export const TIMESTAMP = simple('google.protobuf.Timestamp');
export const DURATION = simple('google.protobuf.Duration');
export const QUANTITY = simple('kubernetes.Quantity');
export const SEMVER = simple('kubernetes.Semver');
export const URL_TYPE = simple('kubernetes.URL');
export const FORMAT = simple('kubernetes.NamedFormat');
export const IP = simple('net.IP');
export const CIDR = simple('net.CIDR');
export const TYPE_PARAM_A: CelType = { kind: 'param', name: 'A' };
export const TYPE_PARAM_B: CelType = { kind: 'param', name: 'B' };

export function listOf(elem: CelType): CelType {
  return { kind: 'list', elem };
}

export function mapOf(key: CelType, value: CelType): CelType {
  return { kind: 'map', key, value };
}

export function optionalOf(elem: CelType): CelType {
  return { kind: 'optional', elem };
}

export function isDyn(type: CelType): boolean {
  return type === DYN;
}

export type Bindings = Map<string, CelType>;

/** Whether an argument of type `from` fits a parameter of type `to`; binds the type parameters in `to`. */
export function fits(to: CelType, from: CelType, bindings: Bindings): boolean {
  if (to.kind === 'param') return bind(to.name, from, bindings);
  if (to === DYN || from === DYN || to === from) return true;
  if (from === NULL) return isNullable(to);
  if (to.kind !== from.kind) return false;
  switch (to.kind) {
    case 'simple':
      return to.name === (from as typeof to).name;
    case 'list':
    case 'optional':
      return fits(to.elem, (from as typeof to).elem, bindings);
    case 'map':
      return (
        fits(to.key, (from as typeof to).key, bindings) && fits(to.value, (from as typeof to).value, bindings)
      );
    case 'type':
      return true;
    case 'object':
      return false;
  }
}

/** The type with its parameters filled in; a parameter that nothing bound is dynamic. */
export function substitute(type: CelType, bindings: Bindings): CelType {
  switch (type.kind) {
    case 'param':
      return bindings.get(type.name) ?? DYN;
    case 'list':
      return listOf(substitute(type.elem, bindings));
    case 'optional':
      return optionalOf(substitute(type.elem, bindings));
    case 'map':
      return mapOf(substitute(type.key, bindings), substitute(type.value, bindings));
    default:
      return type;
  }
}

/** The type of "one or the other", or undefined where CEL wants both to be the same. */
export function join(left: CelType, right: CelType): CelType | undefined {
  if (left === DYN || right === DYN) return DYN;
  if (left === NULL && isNullable(right)) return right;
  if (right === NULL && isNullable(left)) return left;
  if (!fits(left, right, new Map())) return undefined;
  return moreGeneral(left, right);
}

export function typeText(type: CelType): string {
  switch (type.kind) {
    case 'simple':
      return SHOWN[type.name] ?? type.name;
    case 'list':
      return `list(${typeText(type.elem)})`;
    case 'map':
      return `map(${typeText(type.key)}, ${typeText(type.value)})`;
    case 'optional':
      return `optional_type(${typeText(type.elem)})`;
    case 'type':
      return `type(${typeText(type.of)})`;
    case 'param':
      return type.name;
    case 'object':
      return 'object';
  }
}

// ---------------------------------------------------------------------------------------------------

const SHOWN: Readonly<Record<string, string>> = {
  null_type: 'null',
  'google.protobuf.Timestamp': 'timestamp',
  'google.protobuf.Duration': 'duration',
};

const NULLABLE_SIMPLE: ReadonlySet<CelType> = new Set([
  TIMESTAMP,
  DURATION,
  NULL,
  QUANTITY,
  SEMVER,
  URL_TYPE,
  FORMAT,
  IP,
  CIDR,
]);

function isNullable(type: CelType): boolean {
  return type.kind === 'object' || type.kind === 'optional' || NULLABLE_SIMPLE.has(type);
}

function bind(name: string, from: CelType, bindings: Bindings): boolean {
  const bound = bindings.get(name);
  if (bound === undefined) {
    bindings.set(name, from);
    return true;
  }
  const joined = join(bound, from);
  if (joined === undefined) return false;
  bindings.set(name, joined);
  return true;
}

function moreGeneral(left: CelType, right: CelType): CelType {
  if (left.kind === 'list' && right.kind === 'list') return listOf(join(left.elem, right.elem) ?? DYN);
  if (left.kind === 'optional' && right.kind === 'optional')
    return optionalOf(join(left.elem, right.elem) ?? DYN);
  if (left.kind === 'map' && right.kind === 'map') {
    return mapOf(join(left.key, right.key) ?? DYN, join(left.value, right.value) ?? DYN);
  }
  return left;
}
