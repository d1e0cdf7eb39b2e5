/**
 * Functions, methods and operators: how they are declared, and how a call finds its overload. Where the types of
 * all arguments are known the overload is chosen when the rule is compiled; with a dynamic argument, at every call.
 */
import { type Bindings, type CelType, DYN, fits, isDyn, substitute } from './types.ts';
import { type CelValue, noSuchOverload, runtimeType } from './values.ts';

export interface Overload {
  /** A method's receiver is its first parameter. */
  readonly params: readonly CelType[];
  readonly result: CelType;
  readonly member: boolean;
  readonly run: (...args: CelValue[]) => CelValue;
}

export type FunctionTable = ReadonlyMap<string, readonly Overload[]>;

/** Implementations are written for the types they are declared with; overload resolution makes sure of those. */
export type Implementation = (...args: never[]) => CelValue;

export function fn(params: readonly CelType[], result: CelType, run: Implementation): Overload {
  return { params, result, member: false, run: run as Overload['run'] };
}

export function method(params: readonly CelType[], result: CelType, run: Implementation): Overload {
  return { params, result, member: true, run: run as Overload['run'] };
}

export interface Resolved {
  readonly result: CelType;
  readonly run: (args: CelValue[]) => CelValue;
  /** The one overload that is left, when no argument needs to be looked at. */
  readonly direct: Overload['run'] | undefined;
}

/** undefined when no overload can take these types. */
export function resolve(
  overloads: readonly Overload[],
  member: boolean,
  types: readonly CelType[],
): Resolved | undefined {
  const matching: { overload: Overload; result: CelType }[] = [];
  for (const overload of overloads) {
    if (overload.member !== member || overload.params.length !== types.length) continue;
    const bindings: Bindings = new Map();
    if (overload.params.every((param, index) => fits(param, types[index]!, bindings))) {
      matching.push({ overload, result: substitute(overload.result, bindings) });
    }
  }
  const first = matching[0];
  if (first === undefined) return undefined;
  const needsDispatch = types.some((type) => isDyn(type)) || matching.length > 1;
  const result = matching.every((match) => match.result === first.result) ? first.result : DYN;
  if (!needsDispatch)
    return { result, direct: first.overload.run, run: (args) => first.overload.run(...args) };
  const candidates = matching.map(({ overload }) => overload);
  return { result, direct: undefined, run: (args) => dispatch(candidates, args) };
}

// ---------------------------------------------------------------------------------------------------

function dispatch(candidates: readonly Overload[], args: CelValue[]): CelValue {
  for (const candidate of candidates) {
    if (candidate.params.every((param, index) => takes(param, args[index]!))) return candidate.run(...args);
  }
  throw noSuchOverload();
}

function takes(param: CelType, value: CelValue): boolean {
  switch (param.kind) {
    case 'param':
      return true;
    case 'simple':
      return param === DYN || param.name === runtimeType(value);
    case 'optional':
      return runtimeType(value) === 'optional_type';
    case 'object':
      return runtimeType(value) === 'map';
    default:
      return param.kind === runtimeType(value);
  }
}
