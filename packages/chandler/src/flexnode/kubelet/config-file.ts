/** `config.yaml`, a KubeletConfiguration: the fields of the settings, and over them whatever the operator asks for. */
import { KUBE_YAML } from '@chandler/kube';
import { stringify } from 'yaml';
import type { KubeletSetting } from './settings.ts';

type Tree = { [key: string]: unknown };

export function renderKubeletConfig(
  settings: readonly KubeletSetting[],
  extraConfig: Readonly<Record<string, unknown>>,
): string {
  const tree: Tree = {};
  for (const { field, value } of settings) if (field !== undefined) put(tree, field, value);
  const merged = layOver(tree, extraConfig) as Tree;
  const { apiVersion: _version, kind: _kind, ...fields } = merged;
  return stringify(
    {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      ...(sorted(fields) as Tree),
    },
    { ...KUBE_YAML, lineWidth: 0, aliasDuplicateObjects: false },
  );
}

// ---------------------------------------------------------------------------------------------------

function put(tree: Tree, field: readonly [string, ...string[]], value: unknown): void {
  let at = tree;
  for (const name of field.slice(0, -1)) {
    at[name] ??= {};
    at = at[name] as Tree;
  }
  at[field.at(-1)!] = value;
}

/** Objects go into each other; everything else is replaced; `null` takes a field away. */
function layOver(base: unknown, over: unknown): unknown {
  if (!isTree(base) || !isTree(over)) return over;
  const merged: Tree = { ...base };
  for (const [key, value] of Object.entries(over)) {
    if (value === null) delete merged[key];
    else merged[key] = layOver(merged[key], value);
  }
  return merged;
}

/** Sorts keys recursively, so that the output is deterministic. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
