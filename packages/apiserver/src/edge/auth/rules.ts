/**
 * Policy rules: what one allows, whether a set of them covers another, and how a rule reads in a message.
 */
import { type Attributes, isPath } from './attributes.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

export function ruleAllows(rule: PolicyRule, attributes: Attributes): boolean {
  if (!hasOrAll(rule.verbs, attributes.verb)) return false;
  if (isPath(attributes)) {
    return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, attributes.path));
  }
  const names = rule.resourceNames ?? [];
  return (
    hasOrAll(rule.apiGroups ?? [], attributes.group) &&
    resourceMatches(rule.resources ?? [], attributes.resource, attributes.subresource) &&
    (names.length === 0 || names.includes(attributes.name))
  );
}

/** The parts of `wanted` that no owned rule covers, each with one verb on one thing; empty when all is covered. */
export function uncovered(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));
}

/** One line per resource, verbs gathered, sorted: for the message about rights that are not held. */
export function describeRules(parts: readonly PolicyRule[]): readonly string[] {
  const gathered = new Map<string, PolicyRule & { verbs: string[] }>();
  const lines = new Set<string>();
  for (const part of parts) {
    if (part.nonResourceURLs !== undefined) {
      lines.add(ruleText(part));
      continue;
    }
    const key = JSON.stringify([part.apiGroups, part.resources, part.resourceNames]);
    const found = gathered.get(key);
    if (found === undefined) gathered.set(key, { ...part, verbs: [...part.verbs] });
    else found.verbs.push(...part.verbs);
  }
  for (const rule of gathered.values()) lines.add(ruleText(rule));
  return [...lines].sort();
}

/** A list of strings in quotes, as Go prints it: `["a" "b"]`. */
export function quotedList(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
}

// ---------------------------------------------------------------------------------------------------

function hasOrAll(values: readonly string[], wanted: string): boolean {
  return values.includes('*') || values.includes(wanted);
}

function resourceMatches(resources: readonly string[], resource: string, subresource: string): boolean {
  if (subresource === '') return hasOrAll(resources, resource);
  return hasOrAll(resources, `${resource}/${subresource}`) || resources.includes(`*/${subresource}`);
}

function urlMatches(url: string, path: string): boolean {
  return url === path || (url.endsWith('*') && path.startsWith(url.replace(/\*+$/, '')));
}

function breakDown(rule: PolicyRule): readonly PolicyRule[] {
  const parts: PolicyRule[] = [];
  const names = rule.resourceNames ?? [];
  for (const group of rule.apiGroups ?? []) {
    for (const resource of rule.resources ?? []) {
      for (const verb of rule.verbs) {
        const part = { apiGroups: [group], resources: [resource], verbs: [verb] };
        if (names.length === 0) parts.push(part);
        else parts.push(...names.map((name) => ({ ...part, resourceNames: [name] })));
      }
    }
  }
  for (const url of rule.nonResourceURLs ?? []) {
    for (const verb of rule.verbs) parts.push({ nonResourceURLs: [url], verbs: [verb] });
  }
  return parts;
}

/** `part` has one verb and one resource, name or URL at most. */
function covers(rule: PolicyRule, part: PolicyRule): boolean {
  if (!hasOrAll(rule.verbs, part.verbs[0]!)) return false;
  const names = rule.resourceNames ?? [];
  const partName = part.resourceNames?.[0];
  if (names.length > 0 && (partName === undefined || !names.includes(partName))) return false;
  const partUrl = part.nonResourceURLs?.[0];
  if (partUrl !== undefined) return (rule.nonResourceURLs ?? []).some((url) => urlMatches(url, partUrl));
  const [resource, subresource] = splitOnce(part.resources![0]!);
  return (
    hasOrAll(rule.apiGroups ?? [], part.apiGroups![0]!) &&
    resourceMatches(rule.resources ?? [], resource, subresource)
  );
}

function splitOnce(resource: string): [string, string] {
  const slash = resource.indexOf('/');
  return slash < 0 ? [resource, ''] : [resource.slice(0, slash), resource.slice(slash + 1)];
}

function ruleText(rule: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ];
  const shown = parts.filter(([, values]) => values !== undefined && values.length > 0);
  return `{${shown.map(([name, values]) => `${name}:${quotedList(values!)}`).join(', ')}}`;
}
