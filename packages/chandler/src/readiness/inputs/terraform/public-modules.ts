/** What calls of public modules say: values of their arguments, defaults, and outputs that return them. */
import { find, type Tree, textOf } from '../../model/tree.ts';
import type { ModuleCall } from '../inputs.ts';
import { MODULE_FACTS, type ModuleFact } from './public-modules.table.ts';

export interface ModuleValue {
  readonly row: ModuleFact;
  /** The argument, and whether its default applies. */
  readonly argument: string;
  readonly isDefault: boolean;
  readonly tree: Tree;
}

/** The values that the call gives facts. */
export function moduleValues(call: ModuleCall): readonly ModuleValue[] {
  return rowsOf(call).flatMap((row) => valueOfRow(call, row) ?? []);
}

/** The value of an output, where the call tells it. */
export function publicOutput(call: ModuleCall, name: string): Tree | undefined {
  const row = rowsOf(call).find(({ outputs }) => outputs.includes(name));
  return row === undefined ? undefined : valueOfRow(call, row)?.tree;
}

/** `~> 20.31` is 20. */
export function majorOf({ version }: ModuleCall): number | undefined {
  const found = /\d+/.exec(version ?? '')?.[0];
  return found === undefined ? undefined : Number(found);
}

// ---------------------------------------------------------------------------------------------------------------

function rowsOf(call: ModuleCall): readonly ModuleFact[] {
  const major = majorOf(call);
  const row = MODULE_FACTS.find(
    ({ source, majors }) =>
      source.test(call.moduleSource) &&
      (majors === undefined || (major !== undefined && major >= majors[0] && major < majors[1])),
  );
  return row?.facts ?? [];
}

function valueOfRow(call: ModuleCall, row: ModuleFact): ModuleValue | undefined {
  const given = (name: string) => find(call.arguments, name);
  // A module is general; the name of its call says what it is for.
  if (row.when !== undefined && textOf(given(row.when)) !== 'true' && !/karpenter/i.test(call.address))
    return undefined;
  if (row.onlyIf !== undefined && !holds(row.onlyIf, call)) return undefined;
  const argument = row.arguments.find((each) => given(each) !== undefined) ?? row.arguments[0]!;
  const prefix = row.prefixSwitch;
  const isPrefix = row.prefixArgument === undefined || row.prefixArgument === argument;
  if (prefix !== undefined && isPrefix && textOf(given(prefix)) !== 'false') {
    const why = `only begins with the name that ${argument} gives, unless ${prefix} is false`;
    return { row, argument, isDefault: false, tree: { kind: 'unknown', why, at: call.at } };
  }
  const own = given(argument);
  if (own !== undefined) return { row, argument, isDefault: false, tree: own };
  if (row.default === undefined) return undefined;
  const cluster = textOf(given('cluster_name'));
  if (row.default.includes('{cluster}') && cluster === undefined) return undefined;
  const value = row.default.replace('{cluster}', cluster ?? '');
  return { row, argument, isDefault: true, tree: { kind: 'scalar', value, at: call.at } };
}

/** @returns false also where the version of the module is not known. */
function holds({ argument, sinceMajor }: NonNullable<ModuleFact['onlyIf']>, call: ModuleCall): boolean {
  const given = find(call.arguments, argument);
  if (given !== undefined) return textOf(given) === 'true';
  return sinceMajor !== undefined && (majorOf(call) ?? 0) >= sinceMajor;
}
