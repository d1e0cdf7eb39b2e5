/**
 * Capacity of nodes, requests and limits of their pods, age of nodes, and utilization of the cluster. Sums over pods
 * are kept by node and recomputed only for nodes that changed; everything else is computed at every scrape.
 */
import type { Controller, MetricLabels, Node, Pod, Series, Stored } from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { isOwnedByDaemonSet, isTerminal } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import { type ObservedGauge, observer } from './observer.ts';
import { type Amounts, amountsOf, PodAmounts, resourceLabel } from './resource-amounts.ts';

/** Sums over the pods of a node. */
interface NodeSums {
  readonly requests: Amounts;
  readonly limits: Amounts;
  readonly daemonRequests: Amounts;
  readonly daemonLimits: Amounts;
}

type NamedAmounts = Iterable<readonly [resource: string, amount: number]>;

export function nodeMetrics(context: ControllerContext): Controller {
  const { world, stores } = context;
  const book = new NodeBook(context);
  const touchPod = ({ object, before }: { object: Stored<Pod>; before?: Stored<Pod> }) => {
    for (const pod of [object, before]) if (pod?.spec.nodeName) book.touch(pod.spec.nodeName);
  };
  return observer({
    name: 'metrics.node',
    world,
    synced: [stores.nodes.synced, stores.pods.synced],
    listen: () => [
      stores.nodes.store.subscribe(({ object }) => book.touch(object.metadata.name)),
      stores.pods.store.subscribe(touchPod),
    ],
    gauges: gaugesOf(context, book),
  });
}

/** Well-known labels and their metric label: the part after the slash. */
export function metricNamesOf(labels: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const label of [...labels].sort()) {
    const [, name] = label.split('/');
    if (name === undefined) continue;
    const metric = name.toLowerCase().replaceAll('-', '_').replaceAll('.', '_');
    names.set(metric, [...(names.get(metric) ?? []), label]);
  }
  return names;
}

// ---------------------------------------------------------------------------------------------------

interface AmountMetric {
  readonly help: string;
  readonly amounts: (book: NodeBook, node: Stored<Node>) => NamedAmounts;
}

const AMOUNT_METRICS: Readonly<Record<string, AmountMetric>> = {
  karpenter_nodes_allocatable: {
    help: 'What a node has for pods.',
    amounts: (_, { status }) => amountsOf(status?.allocatable),
  },
  karpenter_nodes_total_pod_requests: {
    help: 'What the pods on a node ask for, daemons among them.',
    amounts: (book, node) => book.sums(node, 'requests'),
  },
  karpenter_nodes_total_pod_limits: {
    help: 'What the pods on a node may use at most, daemons among them.',
    amounts: (book, node) => book.sums(node, 'limits'),
  },
  karpenter_nodes_total_daemon_requests: {
    help: 'What the daemons on a node ask for.',
    amounts: (book, node) => book.sums(node, 'daemonRequests'),
  },
  karpenter_nodes_total_daemon_limits: {
    help: 'What the daemons on a node may use at most.',
    amounts: (book, node) => book.sums(node, 'daemonLimits'),
  },
  karpenter_nodes_system_overhead: {
    help: 'What a node keeps for itself.',
    amounts: (_, { status }) => overheadOf(status),
  },
};

class NodeBook {
  readonly #context: ControllerContext;
  readonly #sums = new Map<string, NodeSums>();
  readonly #names: ReadonlyMap<string, readonly string[]>;
  readonly #pods = new PodAmounts();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#names = metricNamesOf(context.labelRules.wellKnown);
  }

  get labelNames(): readonly string[] {
    return ['node_name', 'phase', 'managed', ...this.#names.keys()];
  }

  touch(nodeName: string): void {
    this.#sums.delete(nodeName);
  }

  sums(node: Stored<Node>, of: keyof NodeSums): NamedAmounts {
    const name = node.metadata.name;
    let sums = this.#sums.get(name);
    if (sums === undefined) {
      sums = this.#reckon(name);
      // A node that was deleted during the scrape is skipped: nothing would remove its entry.
      if (this.#context.stores.nodes.store.get({ name }) !== undefined) this.#sums.set(name, sums);
    }
    return this.#pods.named(sums[of]);
  }

  labelsOf(node: Stored<Node>): MetricLabels {
    const own = node.metadata.labels ?? {};
    const name = node.metadata.name;
    const joined = this.#context.cluster.nodeNamed(name);
    const managed = joined?.claim !== undefined || KarpenterLabel.nodePool in own;
    const labels: Record<string, string> = { node_name: name, phase: '', managed: `${managed}` };
    for (const [metric, candidates] of this.#names)
      labels[metric] = candidates.map((label) => own[label]).find((value) => value !== undefined) ?? '';
    return labels;
  }

  #reckon(name: string): NodeSums {
    const { cluster } = this.#context;
    const joined = cluster.nodeNamed(name);
    const pods = (joined === undefined ? [] : cluster.podsOn(joined)).filter((pod) => !isTerminal(pod));
    const daemons = pods.filter(isOwnedByDaemonSet);
    return {
      requests: this.#pods.requests(pods),
      limits: this.#pods.limits(pods),
      daemonRequests: this.#pods.requests(daemons),
      daemonLimits: this.#pods.limits(daemons),
    };
  }
}

function gaugesOf({ world, stores }: ControllerContext, book: NodeBook): readonly ObservedGauge[] {
  // A snapshot: a node that is recreated during the scrape must not appear twice.
  const nodes = () => [...stores.nodes.store.values()];
  const amountGauges = Object.entries(AMOUNT_METRICS).map(([name, { help, amounts }]) => ({
    spec: { name, help, labels: [...book.labelNames, 'resource_type'] },
    *observe(): Generator<Series> {
      for (const node of nodes()) {
        let labels: MetricLabels | undefined;
        for (const [resource, amount] of amounts(book, node)) {
          labels ??= book.labelsOf(node);
          yield [amount, labels, { resource_type: resourceLabel(resource) }];
        }
      }
    },
  }));
  return [
    ...amountGauges,
    {
      spec: {
        name: 'karpenter_nodes_current_lifetime_seconds',
        help: 'How old a node is.',
        labels: book.labelNames,
      },
      *observe() {
        for (const node of nodes()) {
          const bornMs = Date.parse(node.metadata.creationTimestamp ?? '');
          if (!Number.isNaN(bornMs)) yield [(world.clock.now() - bornMs) / 1000, book.labelsOf(node)];
        }
      },
    },
    {
      spec: {
        name: 'karpenter_cluster_utilization_percent',
        help: 'What pods ask for, of all that nodes have.',
        labels: ['resource_type'],
      },
      *observe() {
        const have = new Map<string, number>();
        const asked = new Map<string, number>();
        for (const node of nodes()) {
          addTo(have, amountsOf(node.status?.allocatable));
          addTo(asked, book.sums(node, 'requests'));
        }
        for (const [resource, amount] of have) {
          if (amount > 0)
            yield [(100 * (asked.get(resource) ?? 0)) / amount, { resource_type: resourceLabel(resource) }];
        }
      },
    },
  ];
}

function addTo(sum: Map<string, number>, more: NamedAmounts): void {
  for (const [resource, amount] of more) sum.set(resource, (sum.get(resource) ?? 0) + amount);
}

function* overheadOf(status: Stored<Node>['status']): NamedAmounts {
  const allocatable = amountsOf(status?.allocatable);
  for (const [resource, amount] of amountsOf(status?.capacity))
    yield [resource, amount - (allocatable.get(resource) ?? 0)];
}
