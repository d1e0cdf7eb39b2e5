/**
 * What nodes have, what their pods ask for and may use, and how old nodes are; and the share of the whole cluster that is
 * asked for. Sums are kept by node and made anew only for nodes on which something changed.
 */
import { KarpenterLabel } from '../../api/index.ts';
import type { Controller } from '../../kube/index.ts';
import { isOwnedByDaemonSet, isTerminal, type NodeObject, type PodObject } from '../../state/index.ts';
import type { Gauge, MetricLabels } from '../../world.ts';
import type { ControllerContext } from '../context.ts';
import { type ObservedGauge, observer } from './observer.ts';
import { type Amounts, addTo, amountsOf, PodAmounts, resourceLabel, subtract } from './resource-amounts.ts';

interface NodeFigures {
  readonly labels: MetricLabels;
  readonly amounts: Readonly<Record<AmountMetric, Amounts>>;
}

type AmountMetric = keyof typeof AMOUNT_METRICS;

export function nodeMetrics(context: ControllerContext): Controller {
  const { world, stores } = context;
  const book = new NodeBook(context);
  const touchPod = ({ object, before }: { object: PodObject; before?: PodObject }) => {
    for (const pod of [object, before]) if (pod?.spec.nodeName) book.touch(pod.spec.nodeName);
  };
  return observer({
    name: 'metrics.node',
    world,
    synced: [stores.nodes.synced, stores.pods.synced],
    listen: () => [
      stores.nodes.store.subscribe(({ object }) => book.touch(object.metadata.name ?? '')),
      stores.pods.store.subscribe(touchPod),
    ],
    gauges: gaugesOf(context, book),
  });
}

/** Well-known labels under the names that metrics give them: what stands after the slash. */
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

const AMOUNT_METRICS = {
  karpenter_nodes_allocatable: 'What a node has for pods.',
  karpenter_nodes_total_pod_requests: 'What the pods on a node ask for, daemons among them.',
  karpenter_nodes_total_pod_limits: 'What the pods on a node may use at most, daemons among them.',
  karpenter_nodes_total_daemon_requests: 'What the daemons on a node ask for.',
  karpenter_nodes_total_daemon_limits: 'What the daemons on a node may use at most.',
  karpenter_nodes_system_overhead: 'What a node keeps for itself.',
} as const;

class NodeBook {
  readonly #context: ControllerContext;
  readonly #figures = new Map<string, NodeFigures>();
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
    this.#figures.delete(nodeName);
  }

  figuresOf(node: NodeObject): NodeFigures {
    const name = node.metadata.name ?? '';
    let figures = this.#figures.get(name);
    if (figures === undefined) {
      figures = this.#reckon(node);
      this.#figures.set(name, figures);
    }
    return figures;
  }

  #reckon(node: NodeObject): NodeFigures {
    const { cluster } = this.#context;
    const joined = cluster.nodeNamed(node.metadata.name ?? '');
    const pods = (joined === undefined ? [] : cluster.podsOn(joined)).filter((pod) => !isTerminal(pod));
    const daemons = pods.filter(isOwnedByDaemonSet);
    const allocatable = amountsOf(node.status?.allocatable);
    const managed = joined?.claim !== undefined || KarpenterLabel.nodePool in (node.metadata.labels ?? {});
    return {
      labels: this.#labelsOf(node, managed),
      amounts: {
        karpenter_nodes_allocatable: allocatable,
        karpenter_nodes_total_pod_requests: this.#pods.requests(pods),
        karpenter_nodes_total_pod_limits: this.#pods.limits(pods),
        karpenter_nodes_total_daemon_requests: this.#pods.requests(daemons),
        karpenter_nodes_total_daemon_limits: this.#pods.limits(daemons),
        karpenter_nodes_system_overhead: subtract(amountsOf(node.status?.capacity), allocatable),
      },
    };
  }

  #labelsOf(node: NodeObject, managed: boolean): MetricLabels {
    const own = node.metadata.labels ?? {};
    const labels: Record<string, string> = {
      node_name: node.metadata.name ?? '',
      phase: '',
      managed: `${managed}`,
    };
    for (const [metric, candidates] of this.#names)
      labels[metric] = candidates.map((label) => own[label]).find((value) => value !== undefined) ?? '';
    return labels;
  }
}

function gaugesOf({ world, stores }: ControllerContext, book: NodeBook): readonly ObservedGauge[] {
  const nodes = () => stores.nodes.store.values();
  const amountGauges = Object.entries(AMOUNT_METRICS).map(([name, help]) => ({
    spec: { name, help, labels: [...book.labelNames, 'resource_type'] },
    observe(set: Gauge['set']) {
      for (const node of nodes()) {
        const { labels, amounts } = book.figuresOf(node);
        for (const [resource, amount] of amounts[name as AmountMetric])
          set(amount, { ...labels, resource_type: resourceLabel(resource) });
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
      observe(set) {
        for (const node of nodes()) {
          const bornMs = Date.parse(node.metadata.creationTimestamp ?? '');
          if (!Number.isNaN(bornMs)) set((world.clock.now() - bornMs) / 1000, book.figuresOf(node).labels);
        }
      },
    },
    {
      spec: {
        name: 'karpenter_cluster_utilization_percent',
        help: 'What pods ask for, of all that nodes have.',
        labels: ['resource_type'],
      },
      observe(set) {
        const have = new Map<string, number>();
        const asked = new Map<string, number>();
        for (const node of nodes()) {
          const { amounts } = book.figuresOf(node);
          addTo(have, amounts.karpenter_nodes_allocatable);
          addTo(asked, amounts.karpenter_nodes_total_pod_requests);
        }
        for (const [resource, amount] of have) {
          if (amount > 0)
            set((100 * (asked.get(resource) ?? 0)) / amount, { resource_type: resourceLabel(resource) });
        }
      },
    },
  ];
}
