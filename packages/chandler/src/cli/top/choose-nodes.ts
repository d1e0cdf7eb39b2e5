/** Which nodes `chandler top` shows, and in which order. Pure. */
import type { LabelSelectorRequirement } from '@chandler/kube';
import type { Share, TopNode } from '../../dashboard/index.ts';
import { compileSelector } from '../../scheduling/index.ts';

export interface NodeChoice {
  /** Empty: all. */
  readonly nodePools: readonly string[];
  readonly zones: readonly string[];
  readonly selector: (labels: Readonly<Record<string, string>>) => boolean;
  /** In a name, the instance type, the phase or the reason; in any case. Empty: all. */
  readonly text: string;
}

export type SortKey = keyof typeof ORDERS;

export function chosenNodes(nodes: readonly TopNode[], choice: NodeChoice): readonly TopNode[] {
  const { nodePools, zones, selector, text } = choice;
  const wanted = text.toLowerCase();
  return nodes.filter(
    (node) =>
      (nodePools.length === 0 || nodePools.includes(node.nodePool ?? '')) &&
      (zones.length === 0 || zones.includes(node.zone ?? '')) &&
      selector(node.labels) &&
      (wanted === '' || textOf(node).includes(wanted)),
  );
}

/** Ties are ordered by name, and what is not known comes last. */
export function sortedNodes(nodes: readonly TopNode[], key: SortKey, reverse: boolean): readonly TopNode[] {
  const { of, largestFirst } = ORDERS[key];
  const sign = largestFirst === reverse ? 1 : -1;
  return nodes
    .map((node) => ({ node, value: of(node) }))
    .sort((one, other) => {
      if (one.value === undefined || other.value === undefined)
        return (
          Number(one.value === undefined) - Number(other.value === undefined) || byName(one.node, other.node)
        );
      if (one.value === other.value) return byName(one.node, other.node);
      return one.value < other.value ? -sign : sign;
    })
    .map(({ node }) => node);
}

export function shareOf({ requested, allocatable }: Share): number | undefined {
  return requested === undefined || allocatable === undefined ? undefined : requested / allocatable;
}

/**
 * Reads a label selector as kubectl writes it: `a=b,c!=d,e in (f,g),h notin (i),j,!k`.
 * @returns the test, or what is wrong with the text.
 */
export function parseSelector(text: string): NodeChoice['selector'] | { readonly problem: string } {
  const parts = text.match(/(?:[^,()]|\([^()]*\))+/g) ?? [];
  const matchExpressions: LabelSelectorRequirement[] = [];
  for (const part of parts) {
    const expression = expressionOf(part.trim());
    if (expression === undefined) return { problem: `"${part.trim()}" is not a requirement of labels` };
    matchExpressions.push(expression);
  }
  const compiled = compileSelector({ matchExpressions });
  return 'problem' in compiled ? compiled : compiled.matches;
}

// ---------------------------------------------------------------------------------------------------

const ORDERS = {
  name: { of: ({ name }: TopNode) => name, largestFirst: false },
  nodepool: { of: ({ nodePool }: TopNode) => nodePool, largestFirst: false },
  type: { of: ({ instanceType }: TopNode) => instanceType, largestFirst: false },
  zone: { of: ({ zone }: TopNode) => zone, largestFirst: false },
  phase: { of: ({ phase }: TopNode) => phase, largestFirst: false },
  cpu: { of: ({ cpu }: TopNode) => shareOf(cpu), largestFirst: true },
  memory: { of: ({ memory }: TopNode) => shareOf(memory), largestFirst: true },
  pods: { of: ({ pods }: TopNode) => pods.requested, largestFirst: true },
  price: { of: ({ pricePerHour }: TopNode) => pricePerHour, largestFirst: true },
  // The oldest has the smallest time.
  age: { of: ({ createdMs }: TopNode) => createdMs, largestFirst: false },
} as const;

export const SORT_KEYS = Object.keys(ORDERS) as readonly SortKey[];

function byName(one: TopNode, other: TopNode): number {
  return one.name < other.name ? -1 : 1;
}

function textOf(node: TopNode): string {
  const { name, nodeClaim, nodePool, instanceType, zone, capacityType, phase, staying } = node;
  return [
    name,
    nodeClaim,
    nodePool,
    instanceType,
    zone,
    capacityType,
    phase,
    ...staying.map(({ text }) => text),
  ]
    .join('\n')
    .toLowerCase();
}

const KEY = '[A-Za-z0-9]([A-Za-z0-9._/-]*[A-Za-z0-9])?';
const VALUE = '([A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?)?';
const EQUALS = new RegExp(`^(?<key>${KEY})\\s*(?<sign>!=|==?)\\s*(?<value>${VALUE})$`);
const IN = new RegExp(`^(?<key>${KEY})\\s+(?<word>in|notin)\\s*\\((?<values>[^()]*)\\)$`);
const EXISTS = new RegExp(`^(?<not>!?)\\s*(?<key>${KEY})$`);

function expressionOf(part: string): LabelSelectorRequirement | undefined {
  const equals = EQUALS.exec(part)?.groups;
  if (equals !== undefined) {
    const operator = equals['sign'] === '!=' ? 'NotIn' : 'In';
    return { key: equals['key']!, operator, values: [equals['value'] ?? ''] };
  }
  const listed = IN.exec(part)?.groups;
  if (listed !== undefined) {
    const values = listed['values']!.split(',').map((value) => value.trim());
    return { key: listed['key']!, operator: listed['word'] === 'in' ? 'In' : 'NotIn', values };
  }
  const exists = EXISTS.exec(part)?.groups;
  if (exists === undefined) return undefined;
  return { key: exists['key']!, operator: exists['not'] === '!' ? 'DoesNotExist' : 'Exists' };
}
