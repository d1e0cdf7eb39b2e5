/**
 * The row type of the variables table, and the few ways in which a row gets its value. The table itself is
 * `variables.table.ts`.
 */
import { hardcoded, type Source, type Sourced } from '../../settings/index.ts';
import type { BootstrapOptions, ClusterValues, NodeBootstrapInput } from '../input.ts';

export type VariableGroup =
  | 'machine'
  | 'cluster'
  | 'identity'
  | 'network'
  | 'cloud provider'
  | 'artifacts'
  | 'container runtime'
  | 'kubelet'
  | 'gpu'
  | 'operating system'
  | 'proxy'
  | 'scripts'
  | 'legacy';

/** Where a value comes from by design; a rendered variable names the very flag, field or cluster value. */
export type SourceKind = 'hardcoded' | 'option' | 'NodeClass' | 'NodePool' | 'cluster' | 'computed';

export interface VariableRow {
  readonly name: string;
  readonly group: VariableGroup;
  readonly kind: SourceKind;
  /** What it is when nothing says otherwise; empty for what always has another value. */
  readonly default: string;
  /** Always in double quotes, as in AKS' own scripts; others only where they need it. */
  readonly quoted: boolean;
  readonly secret?: true;
  readonly doc: string;
  resolve(input: NodeBootstrapInput): Sourced<string>;
}

export type Resolve = (input: NodeBootstrapInput) => Sourced<string>;

/** The same for every node. */
export function fixed(value: string | boolean | number): Resolve {
  const text = String(value);
  return () => hardcoded(text);
}

/** An option of the controller as it is; a default names the flag that would change it. */
export function option(name: keyof BootstrapOptions, convert: (value: string) => string = same): Resolve {
  return ({ options }) => ({ ...named(options[name], flagOf(name)), value: convert(options[name].value) });
}

/** A value found in the cluster as it is. */
export function clusterValue(name: keyof ClusterValues): Resolve {
  return ({ cluster }) => cluster[name];
}

/** Worked out from other values; `from` names them. */
export function computed(from: string, work: (input: NodeBootstrapInput) => string | boolean): Resolve {
  return (input) => ({ value: String(work(input)), source: 'computed', path: from });
}

/** A field of the node class, or the default when it is not there; either names the field. */
export function classField(
  path: string,
  read: (spec: NodeBootstrapInput['nodeClass']['spec']) => string | boolean | number | undefined,
  otherwise: string,
): Resolve {
  return ({ nodeClass }) => {
    const value = read(nodeClass.spec);
    return value === undefined
      ? { ...hardcoded(otherwise), path }
      : { value: String(value), source: 'NodeClass' satisfies Source, path };
  };
}

/** The value, with a name for where it could be set if nothing held it. */
export function named(value: Sourced<string>, path: string): Sourced<string> {
  return value.path === '' ? { ...value, path } : value;
}

/** `linuxAdminUsername` → `--linux-admin-username`. */
export function flagOf(option: string): string {
  return `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** A variable that is the same on every node. */
export function constant(
  name: string,
  group: VariableGroup,
  value: string | boolean | number,
  doc: string,
): VariableRow {
  return {
    name,
    group,
    kind: 'hardcoded',
    default: String(value),
    quoted: false,
    doc,
    resolve: fixed(value),
  };
}

/** A variable with a value of its own on each cluster or node. */
export function variable(
  name: string,
  group: VariableGroup,
  kind: SourceKind,
  resolve: Resolve,
  doc: string,
  otherwise = '',
): VariableRow {
  return { name, group, kind, default: otherwise, quoted: false, doc, resolve };
}

export function quoted(row: VariableRow): VariableRow {
  return { ...row, quoted: true };
}

export function secret(row: VariableRow): VariableRow {
  return { ...row, secret: true };
}

// ---------------------------------------------------------------------------------------------------

function same(value: string): string {
  return value;
}
