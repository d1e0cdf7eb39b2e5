/**
 * Pods that still exist on nodes that are being removed. They use nothing that a plan could give away, and they count in one
 * respect only: as long as they exist, an affinity to them is satisfied in their domain, and by kube-scheduler's rule an
 * affinity group does not start in another one. The nodes themselves still are hosts, empty ones, for spreads over hosts.
 */
import type { ExistingNode, Pod } from '../model.ts';
import { type Algebra, excludes, type Requirement } from '../requirements/algebra.ts';
import { namespaceOf } from '../shapes/named-pods.ts';
import type { NodeFilter, TopologyGroup } from '../topology/group.ts';
import type { LabelClass, LabelClasses } from '../topology/label-classes.ts';
import { usesNode } from './bound-pods.ts';
import { labelOf } from './nodes.ts';

export interface LeavingContext {
  readonly algebra: Algebra;
  readonly labelClasses: LabelClasses;
  readonly nodes: readonly ExistingNode[];
  readonly pods: readonly Pod[];
  /** Whether its spec can be read: other pods count nowhere. */
  readonly isReadable: (pod: Pod) => boolean;
}

export class LeavingPods {
  readonly #context: LeavingContext;
  #tallies: Tallies | undefined;

  constructor(context: LeavingContext) {
    this.#context = context;
  }

  get isEmpty(): boolean {
    return this.#context.pods.length === 0;
  }

  /** Whether one of the nodes takes part in a spread over hosts. */
  hasHostOf({ spec: { filter } }: TopologyGroup): boolean {
    const { algebra, nodes } = this.#context;
    return nodes.some((node) => filter === undefined || takesPart(algebra, filter, node));
  }

  /** Counts those that the group selects. */
  countIn(group: TopologyGroup): void {
    if (this.isEmpty) return;
    const { key, namespaces } = group.spec;
    const { labels } = this.#context.algebra;
    this.#tallies ??= readTallies(this.#context);
    for (const namespace of namespaces) {
      for (const [pods, byNode] of this.#tallies.get(namespace) ?? []) {
        if (!group.selects(pods)) continue;
        for (const [node, count] of byNode) {
          const text = labelOf(node, labels.keyName(key));
          if (text !== undefined) group.addLeaving(labels.value(key, text), count);
        }
      }
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Its taints are ignored or it is out: a node that is being removed has one that pods do not tolerate. */
function takesPart(algebra: Algebra, { terms, tolerations, keys }: NodeFilter, node: ExistingNode): boolean {
  if (tolerations !== undefined) return false;
  const { labels } = algebra;
  const textOf = (key: number) => labelOf(node, labels.keyName(key));
  const meets = (requirement: Requirement) => {
    const text = textOf(requirement.key);
    return text === undefined
      ? excludes(requirement)
      : algebra.has(requirement, labels.value(requirement.key, text));
  };
  return (
    keys.every((key) => textOf(key) !== undefined) &&
    (terms.length === 0 || terms.some(({ items }) => items.every(meets)))
  );
}

/** By namespace and label class: how many pods on which node. */
type Tallies = Map<string, Map<LabelClass, Map<ExistingNode, number>>>;

function readTallies({ labelClasses, nodes, pods, isReadable }: LeavingContext): Tallies {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const tallies: Tallies = new Map();
  for (const pod of pods) {
    const node = byName.get(pod.spec?.nodeName ?? '');
    if (node === undefined || !usesNode(pod) || !isReadable(pod)) continue;
    const { labels, deletionTimestamp } = pod.metadata;
    const namespace = namespaceOf(pod.metadata);
    const byLabels: Map<LabelClass, Map<ExistingNode, number>> = tallies.get(namespace) ?? new Map();
    tallies.set(namespace, byLabels);
    const podLabels = labelClasses.of(namespace, labels, deletionTimestamp !== undefined);
    const byNode: Map<ExistingNode, number> = byLabels.get(podLabels) ?? new Map();
    byLabels.set(podLabels, byNode.set(node, (byNode.get(node) ?? 0) + 1));
  }
  return tallies;
}
