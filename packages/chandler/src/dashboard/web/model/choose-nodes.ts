/** Which nodes are shown, and in which groups: search, filter, group. Pure. */
import type { NodeRow, PodRow } from '../../wire.ts';
import type { GroupBy } from './route.ts';
import type { ClusterStore } from './store.ts';

export interface NodeGroup {
  readonly name: string;
  readonly nodes: readonly NodeRow[];
  readonly pricePerHour: number;
  readonly unpriced: number;
  readonly cpuMillis: number;
  readonly cpuRequestedMillis: number;
}

export interface Choice {
  readonly q: string;
  /** A phase; empty: all. */
  readonly only: string;
}

export function chosenNodes(store: ClusterStore, { q, only }: Choice): NodeRow[] {
  const words = wordsOf(q);
  return [...store.nodes.values()].filter((node) => isChosen(store, node, words, only));
}

export function isChosen(
  store: ClusterStore,
  node: NodeRow,
  words: readonly string[],
  only: string,
): boolean {
  return (only === '' || node.phase === only) && (words.length === 0 || matchesNode(store, node, words));
}

export function groupsOf(store: ClusterStore, nodes: readonly NodeRow[], by: GroupBy): NodeGroup[] {
  const groups = Map.groupBy(nodes, (node) => node[by] ?? '');
  return [...groups]
    .sort(([a], [b]) => (a === '' ? 1 : b === '' ? -1 : a < b ? -1 : 1))
    .map(([name, members]) => ({
      name: name === '' ? NO_GROUP[by] : name,
      nodes: members.sort((a, b) => (a.createdMs ?? 0) - (b.createdMs ?? 0) || (a.name < b.name ? -1 : 1)),
      pricePerHour: members.reduce((sum, node) => sum + (node.pricePerHour ?? 0), 0),
      unpriced: members.filter((node) => node.pricePerHour === null).length,
      cpuMillis: members.reduce((sum, node) => sum + (node.cpuMillis ?? 0), 0),
      cpuRequestedMillis: members.reduce(
        (sum, { name: node }) => sum + (store.loadOf(node)?.cpuMillis ?? 0),
        0,
      ),
    }));
}

/** The words of a search, all of which must be found; in any case. */
export function wordsOf(q: string): string[] {
  return q.toLowerCase().split(/\s+/).filter(Boolean);
}

export function hasWords(words: readonly string[], ...texts: readonly (string | null)[]): boolean {
  if (words.length === 0) return true;
  const text = texts.join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

export function nodeHasWords(node: NodeRow, words: readonly string[]): boolean {
  const { name, claim, pool, type, zone, capacity, phaseText } = node;
  return hasWords(words, name, claim, pool, type, zone, capacity, phaseText);
}

export function podHasWords([namespace, name, , , , , workload]: PodRow, words: readonly string[]): boolean {
  return hasWords(words, namespace, name, workload);
}

const NO_GROUP: Readonly<Record<GroupBy, string>> = {
  pool: 'no NodePool',
  zone: 'no zone',
  type: 'no instance type',
  capacity: 'no capacity type',
};

/** By what the node says, or by one of its pods. */
function matchesNode(store: ClusterStore, node: NodeRow, words: readonly string[]): boolean {
  if (nodeHasWords(node, words)) return true;
  const pods = store.loadOf(node.name)?.pods;
  if (pods === undefined) return false;
  for (const pod of pods.values()) if (podHasWords(pod, words)) return true;
  return false;
}
