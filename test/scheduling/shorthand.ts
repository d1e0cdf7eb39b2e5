/**
 * The short forms for labels, taints, selectors and terms in tests: `zone In zone-1,zone-2`,
 * `team=red:NoSchedule`, `app=web`, `zone app=web`, `1 zone app=web`. This file only parses them.
 */
import type { Taint } from '../../packages/chandler/src/api/index.ts';
import type {
  LabelRequirement,
  LabelSelector,
  PodAffinityTerm,
  Toleration,
  TopologySpreadConstraint,
} from '../../packages/chandler/src/scheduling/index.ts';

export const ZONE = 'topology.kubernetes.io/zone';
export const HOST = 'kubernetes.io/hostname';
export const ARCH = 'kubernetes.io/arch';
export const OS = 'kubernetes.io/os';
export const TYPE = 'node.kubernetes.io/instance-type';
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
export const POOL = 'karpenter.sh/nodepool';

const ALIASES: ReadonlyMap<string, string> = new Map([
  ['zone', ZONE],
  ['host', HOST],
  ['arch', ARCH],
  ['os', OS],
  ['type', TYPE],
  ['capacity', CAPACITY_TYPE],
  ['pool', POOL],
]);

/** `zone` stands for the whole name of the label, and so on; other names stand for themselves. */
export function labelKey(name: string): string {
  return ALIASES.get(name) ?? name;
}

/** Labels with their keys written out. */
export function labels(short: Readonly<Record<string, string | number>> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(short).map(([key, value]) => [labelKey(key), String(value)]));
}

/** `zone In zone-1,zone-2`, `gpu Exists`, `size Gt 3`, with `min=2` at the end for minValues. */
export function requirement(text: string): LabelRequirement {
  const words = text.split(' ');
  const least = words.at(-1)?.startsWith('min=') ? Number(words.pop()!.slice(4)) : undefined;
  const [key, operator, values] = words;
  return {
    key: labelKey(key!),
    operator: operator!,
    ...(values === undefined ? {} : { values: values.split(',') }),
    ...(least === undefined ? {} : { minValues: least }),
  };
}

/** `key=value:Effect`; without value `key:Effect`. */
export function taint(text: string): Taint {
  const [label, effect] = text.split(':');
  const [key, value] = label!.split('=');
  return { key: key!, ...(value === undefined ? {} : { value }), effect: effect as Taint['effect'] };
}

/** `*` tolerates everything, `key` any value, `key=value` one; `:Effect` narrows. `key>5`, `key<5` compare. */
export function toleration(text: string): Toleration {
  const [label, effect] = text.split(':');
  const scope = effect === undefined ? {} : { effect };
  if (label === '*') return { operator: 'Exists', ...scope };
  const compared = /^([^<>]+)([<>])(.+)$/.exec(label!);
  if (compared) {
    const [, key, sign, value] = compared;
    return { key: key!, operator: sign === '<' ? 'Lt' : 'Gt', value: value!, ...scope };
  }
  const [key, value] = label!.split('=');
  return value === undefined
    ? { key: key!, operator: 'Exists', ...scope }
    : { key: key!, operator: 'Equal', value, ...scope };
}

/** `app=web,tier in a|b,!old,new`: what kubectl takes for `-l`, but for the bars. `*` selects everything. */
export function selector(text: string): LabelSelector {
  if (text === '*') return {};
  const matchLabels: Record<string, string> = {};
  const matchExpressions: { key: string; operator: string; values?: string[] }[] = [];
  for (const part of text.split(',')) {
    const set = /^(\S+) (in|notin) (\S+)$/.exec(part);
    if (set) {
      const operator = set[2] === 'in' ? 'In' : 'NotIn';
      matchExpressions.push({ key: set[1]!, operator, values: set[3]!.split('|') });
    } else if (part.startsWith('!')) matchExpressions.push({ key: part.slice(1), operator: 'DoesNotExist' });
    else if (!part.includes('=')) matchExpressions.push({ key: part, operator: 'Exists' });
    else {
      const [key, value] = part.split('=');
      matchLabels[key!] = value!;
    }
  }
  return {
    ...(Object.keys(matchLabels).length > 0 ? { matchLabels } : {}),
    ...(matchExpressions.length > 0 ? { matchExpressions } : {}),
  };
}

/** `zone app=web`, or `zone app=web in shop,bank` for other namespaces, `in *` for all. */
export function affinityTerm(text: string): PodAffinityTerm {
  const [, key, wanted, where] = /^(\S+) (.+?)(?: in (\S+))?$/.exec(text)!;
  return {
    topologyKey: labelKey(key!),
    labelSelector: selector(wanted!),
    ...(where === undefined
      ? {}
      : where === '*'
        ? { namespaceSelector: {} }
        : { namespaces: where.split(',') }),
  };
}

/** `1 zone app=web` is hard, `1 zone app=web soft` is not. */
export function spread(text: string): TopologySpreadConstraint {
  const soft = text.endsWith(' soft');
  const [maxSkew, key, ...wanted] = (soft ? text.slice(0, -5) : text).split(' ');
  return {
    maxSkew: Number(maxSkew),
    topologyKey: labelKey(key!),
    whenUnsatisfiable: soft ? 'ScheduleAnyway' : 'DoNotSchedule',
    ...(wanted.length > 0 ? { labelSelector: selector(wanted.join(' ')) } : {}),
  };
}
