/**
 * CEL expressions over the instance type, which `kubelet` of a node class may have in place of numbers and quantities
 * (Karpenter's gate NodeClassCEL): their variables and functions, and the units of what they give.
 */
import { Environment } from '@marcbachmann/cel-js';

/** As an expression names them. */
export interface TypeVariables {
  readonly vcpus: number;
  readonly memory_mib: number;
  /** Interfaces of the default card. */
  readonly default_enis: number;
  readonly ips_per_eni: number;
  readonly max_pods: number;
  readonly instance_type: string;
}

/** What is wrong with an expression, or with its value for a type. */
export class ExpressionError extends Error {}

export type Expression = (variables: TypeVariables) => bigint;

/** @throws {ExpressionError} where it does not compile, or gives no number; the expression throws it where it has no value. */
export function compileExpression(text: string): Expression {
  const known = COMPILED.get(text);
  if (known !== undefined) return known;
  const compiled = compile(text);
  if (COMPILED.size >= MAX_COMPILED) COMPILED.clear();
  COMPILED.set(text, compiled);
  return compiled;
}

/** The quantity that a value means in `kubeReserved` and `systemReserved`, rounded up as Karpenter does. */
export function reservedQuantity(resource: string, value: bigint): string {
  const { unit, step } = UNITS[resource] ?? { unit: '', step: 1n };
  return `${((value + step - 1n) / step) * step}${unit}`;
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_LENGTH = 4096;
const MAX_COMPILED = 256;
const MAX_INT = 2n ** 63n - 1n;
const COMPILED = new Map<string, Expression>();

const UNITS: Readonly<Record<string, { readonly unit: string; readonly step: bigint }>> = {
  cpu: { unit: 'm', step: 10n },
  memory: { unit: 'Mi', step: 16n },
  'ephemeral-storage': { unit: 'Gi', step: 1n },
};

const ENVIRONMENT = environment();

function environment(): Environment {
  const made = new Environment({ unlistedVariablesAreDyn: false });
  for (const name of ['vcpus', 'memory_mib', 'default_enis', 'ips_per_eni', 'max_pods'])
    made.registerVariable(name, 'int');
  made.registerVariable('instance_type', 'string');
  const larger = (one: bigint | number, other: bigint | number) => (one > other ? one : other);
  const smaller = (one: bigint | number, other: bigint | number) => (one < other ? one : other);
  for (const [name, choose] of [
    ['max', larger],
    ['min', smaller],
  ] as const) {
    made.registerFunction(`${name}(int, int): int`, choose);
    for (const types of ['double, double', 'int, double', 'double, int'])
      made.registerFunction(`${name}(${types}): double`, (one: bigint | number, other: bigint | number) =>
        choose(Number(one), Number(other)),
      );
  }
  return made;
}

function compile(text: string): Expression {
  if (text.length > MAX_LENGTH) throw new ExpressionError(`has more than ${MAX_LENGTH} characters`);
  const { valid, type, error } = ENVIRONMENT.check(text);
  if (!valid) throw new ExpressionError(firstLine(error));
  if (type !== 'int' && type !== 'double')
    throw new ExpressionError(`must give an int or a double, not ${type}`);
  const run = ENVIRONMENT.parse(text);
  return (variables) => {
    let value: unknown;
    try {
      value = run(activation(variables));
    } catch (thrown) {
      throw new ExpressionError(firstLine(thrown));
    }
    if (typeof value === 'bigint') return value;
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new ExpressionError(`gives ${String(value)}, which is no finite number`);
    const whole = BigInt(Math.trunc(value));
    if (whole > MAX_INT || whole < -MAX_INT) throw new ExpressionError(`gives ${value}, which is too large`);
    return whole;
  };
}

function activation(variables: TypeVariables): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      name,
      typeof value === 'number' ? BigInt(Math.trunc(value)) : value,
    ]),
  );
}

/** The library adds the expression with a mark below. */
function firstLine(error: unknown): string {
  const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
  return line;
}
