/** Reports the termination of a node: events, log lines, metrics. It decides nothing. */
import {
  type Counter,
  type Histogram,
  NODES,
  type Node,
  type Stored,
  type Summary,
  type VolumeAttachment,
} from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, NODE_CLAIMS } from '../../api/index.ts';
import type { ClusterNode } from '../../state/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

const MAX_NAMED = 5;
const DAY_SECONDS = 86_400;

export class TerminationReporter {
  readonly #context: ControllerContext;
  readonly #drained: Counter;
  readonly #terminated: Counter;
  readonly #duration: Summary;
  readonly #lifetime: Histogram;

  constructor(context: ControllerContext) {
    const { metrics } = context.world;
    this.#context = context;
    const labels = ['nodepool'];
    this.#drained = metrics.counter({
      name: 'karpenter_nodes_drained_total',
      help: 'Nodes that were drained.',
      labels,
    });
    this.#terminated = metrics.counter({
      name: 'karpenter_nodes_terminated_total',
      help: 'Nodes that are gone.',
      labels: ['nodepool', 'zone'],
    });
    this.#duration = metrics.summary({
      name: 'karpenter_nodes_termination_duration_seconds',
      help: 'From the deletion of a node to its end.',
      labels,
    });
    this.#lifetime = metrics.histogram({
      name: 'karpenter_nodes_lifetime_duration_seconds',
      help: 'How long nodes lived.',
      labels,
      buckets: [
        900,
        3600,
        7200,
        21_600,
        43_200,
        DAY_SECONDS,
        2 * DAY_SECONDS,
        7 * DAY_SECONDS,
        14 * DAY_SECONDS,
        30 * DAY_SECONDS,
      ],
    });
  }

  deadline(node: Stored<Node>, claim: Claim | undefined, deadlineMs: number): void {
    const when = new Date(deadlineMs).toISOString().replace(/\.\d+Z$/, 'Z');
    const event = {
      type: 'Warning' as const,
      reason: 'TerminationGracePeriodExpiring',
      message: `All pods will be deleted by ${when}`,
    };
    this.#context.events.publish({ ...event, resource: NODES, object: node });
    if (claim !== undefined) this.#context.events.publish({ ...event, resource: NODE_CLAIMS, object: claim });
  }

  failedDraining(node: Stored<Node>, problem: string): void {
    this.#context.events.publish({
      resource: NODES,
      object: node,
      type: 'Warning',
      reason: 'FailedDraining',
      message: `Failed to drain node, ${problem}`,
      dedupeValues: [node.metadata.uid],
    });
  }

  awaitingVolumes(node: Stored<Node>, attachments: readonly Stored<VolumeAttachment>[]): void {
    const names = attachments.map(({ metadata }) => metadata.name).sort();
    const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} other(s)` : '';
    this.#context.events.publish({
      resource: NODES,
      object: node,
      type: 'Normal',
      reason: 'AwaitingVolumeDetachment',
      message: `Awaiting deletion of bound volumeattachments (${names.slice(0, MAX_NAMED).join(', ')}${more})`,
      dedupeValues: [node.metadata.uid],
    });
  }

  drained({ world }: ReconcileScope, node: ClusterNode): void {
    this.#drained.add(1, { nodepool: node.nodePool ?? '' });
    world.log.info('node drained', { node: node.name, nodeclaim: node.claim?.metadata.name });
  }

  gone({ world }: ReconcileScope, node: Stored<Node>, nodepool: string): void {
    const now = world.clock.now();
    world.log.info('node deleted', { node: node.metadata.name });
    const zone = node.metadata.labels?.[KubernetesLabel.zone] ?? '';
    this.#terminated.add(1, {
      nodepool: nodepool || (node.metadata.labels?.[KarpenterLabel.nodePool] ?? ''),
      zone,
    });
    this.#duration.observe((now - Date.parse(node.metadata.deletionTimestamp ?? '')) / 1000, { nodepool });
    this.#lifetime.observe((now - Date.parse(node.metadata.creationTimestamp ?? '')) / 1000, { nodepool });
  }
}
