/** The fields of a spec as rows with their paths. Requirements, taints and tolerations are one row each, as people write them. */
import { isSecretName, type KubeObject, withoutSecrets } from '@chandler/kube';
import type { wire } from '../../dashboard/index.ts';

export function specValues(object: KubeObject): wire.ObjectAnswer['values'] {
  return rowsOf(object['spec'] ?? {}, 'spec', 'spec').slice(0, MAX_VALUES);
}

// ---------------------------------------------------------------------------------------------------

const MAX_VALUES = 200;
const MAX_TEXT = 500;
/** Scripts and variables, which people put secrets into. */
const HIDDEN = /^(userdata|customdata|env|args|command)$/i;

interface Entry {
  readonly key?: unknown;
  readonly operator?: unknown;
  readonly values?: unknown;
  readonly value?: unknown;
  readonly effect?: unknown;
  readonly minValues?: unknown;
  readonly tolerationSeconds?: unknown;
}

/** Lists whose entries are one row: what an entry is called, and how it is written. */
const ENTRIES: Readonly<Record<string, readonly [name: string, text: (entry: Entry) => string]>> = {
  requirements: ['requirement', requirementText],
  matchExpressions: ['match expression', requirementText],
  taints: ['taint', taintText],
  startupTaints: ['startup taint', taintText],
  tolerations: ['toleration', tolerationText],
};

function rowsOf(value: unknown, path: string, name: string): wire.ObjectAnswer['values'] {
  if (HIDDEN.test(name) || isSecretName(name)) return [];
  const row = (label: string, text: string, from: string) => ({
    name: label,
    value: withoutSecrets(text).slice(0, MAX_TEXT),
    from,
  });
  if (typeof value !== 'object' || value === null) return [row(name, `${value}`, path)];
  if (!Array.isArray(value))
    return Object.entries(value).flatMap(([key, each]) => rowsOf(each, `${path}.${key}`, key));
  if (value.every((each) => typeof each !== 'object')) return [row(name, value.join(', '), path)];
  const [label, text] = (Object.hasOwn(ENTRIES, name) ? ENTRIES[name] : undefined) ?? [];
  return value.flatMap((each, at) =>
    label === undefined || text === undefined || typeof each !== 'object' || each === null
      ? rowsOf(each, `${path}[${at}]`, name)
      : [row(label, text(each as Entry), `${path}[${at}]`)],
  );
}

/** `kubernetes.io/arch In amd64, arm64`. */
function requirementText({ key, operator, values, minValues }: Entry): string {
  const listed = Array.isArray(values) ? values.join(', ') : '';
  const text = [key, operator, listed].filter((part) => part !== undefined && part !== '').join(' ');
  return minValues === undefined ? text : `${text}, at least ${minValues} values`;
}

/** `gpu=yes:NoSchedule`, as kubectl writes it. */
function taintText({ key, value, effect }: Entry): string {
  const named = value === undefined || value === '' ? `${key}` : `${key}=${value}`;
  return effect === undefined || effect === '' ? named : `${named}:${effect}`;
}

function tolerationText(entry: Entry): string {
  const { key, effect, tolerationSeconds } = entry;
  const isEvery = key === undefined || key === '';
  const taint = isEvery ? `every taint${effect === undefined ? '' : ` with ${effect}`}` : taintText(entry);
  return tolerationSeconds === undefined ? taint : `${taint} for ${tolerationSeconds} s`;
}
