/** What the way of a claim tells people: events, log lines, counters. It decides nothing. */
import type { Counter, Histogram, Stored } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, NODE_CLAIMS, NODE_POOLS, type NodePool } from '../../api/index.ts';
import type { CloudError, Instance } from '../../cloud/index.ts';
import type { NodeObject } from '../../state/index.ts';

import { disruptedCounter } from '../claims/disrupted.ts';
import type { ControllerContext } from '../context.ts';
import type { Claim, ClaimDraft } from './draft.ts';

const EVENT_TEXT = 300;

export class LifecycleNews {
  readonly #context: ControllerContext;
  readonly #disrupted: (claim: Claim, reason: string) => void;
  readonly #terminated: Counter;
  readonly #nodesCreated: Counter;
  readonly #termination: Histogram;
  readonly #instanceTermination: Histogram;

  constructor(context: ControllerContext) {
    const { metrics } = context.world;
    this.#context = context;
    this.#disrupted = disruptedCounter(context);
    this.#terminated = metrics.counter({
      name: 'karpenter_nodeclaims_terminated_total',
      help: 'NodeClaims that are gone, and their machines with them.',
      labels: ['nodepool', 'capacity_type', 'zone'],
    });
    this.#nodesCreated = metrics.counter({
      name: 'karpenter_nodes_created_total',
      help: 'Nodes that registered.',
      labels: ['nodepool', 'zone'],
    });
    this.#termination = metrics.histogram({
      name: 'karpenter_nodeclaims_termination_duration_seconds',
      help: 'From the deletion of a NodeClaim to its end.',
      labels: ['nodepool'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048],
    });
    this.#instanceTermination = metrics.histogram({
      name: 'karpenter_nodeclaims_instance_termination_duration_seconds',
      help: 'From when the cloud accepted the deletion of a machine to its end.',
      labels: ['nodepool'],
      buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024],
    });
  }

  launched(draft: ClaimDraft, instance: Instance): void {
    this.#context.world.log.info('claim launched', {
      nodeclaim: draft.name,
      providerID: instance.providerID,
      instanceType: instance.instanceType,
      zone: instance.zone,
      capacityType: instance.capacityType,
    });
  }

  launchFailed(draft: ClaimDraft, error: CloudError, nodePool: Stored<NodePool> | undefined): void {
    const { world } = this.#context;
    const { kind, reason, code, message } = error;
    world.log.warn('claim not launched', { nodeclaim: draft.name, kind, reason, code, error: message });
    if (kind === 'Throttled' || kind === 'Unreachable') return;
    const wasLaunched = draft.conditions.isTrue('Launched');
    const type =
      kind === 'InsufficientCapacity'
        ? 'InsufficientCapacityError'
        : wasLaunched
          ? 'AsyncProvisioningError'
          : reason;
    const text = `NodeClaim ${draft.name} event: ${message.slice(0, EVENT_TEXT)}`;
    this.#onClaim(draft, 'Warning', type, text);
    // The claim will be gone; the pool stays and can be described.
    if (nodePool !== undefined) this.#onPool(nodePool, type, text);
  }

  unregisteredTaintMissing(draft: ClaimDraft): void {
    const message =
      'Missing karpenter.sh/unregistered taint: pods may have come to the node before it was labelled and tainted';
    this.#onClaim(draft, 'Warning', 'UnregisteredTaintMissing', message);
  }

  registered(draft: ClaimDraft, node: NodeObject): void {
    this.#context.world.log.info('node registered', { nodeclaim: draft.name, node: node.metadata.name });
    const { labels } = draft;
    this.#nodesCreated.add(1, {
      nodepool: labels[KarpenterLabel.nodePool] ?? '',
      zone: labels[KubernetesLabel.zone] ?? '',
    });
  }

  initialized(draft: ClaimDraft, node: NodeObject): void {
    const fields = { nodeclaim: draft.name, node: node.metadata.name, providerID: draft.providerID };
    this.#context.world.log.info('claim complete', fields);
  }

  disrupted(draft: ClaimDraft, reason: string): void {
    const { world } = this.#context;
    world.log.info('claim given up', { nodeclaim: draft.name, reason });
    this.#disrupted(draft.claim, reason);
  }

  terminated(draft: ClaimDraft): void {
    const { world } = this.#context;
    const nodepool = draft.labels[KarpenterLabel.nodePool] ?? '';
    world.log.info('claim gone', { nodeclaim: draft.name, providerID: draft.providerID });
    this.#terminated.add(1, {
      nodepool,
      capacity_type: draft.labels[KarpenterLabel.capacityType] ?? '',
      zone: draft.labels[KubernetesLabel.zone] ?? '',
    });
    const sinceMs = Date.parse(draft.claim.metadata.deletionTimestamp ?? '');
    if (!Number.isNaN(sinceMs)) this.#termination.observe((world.clock.now() - sinceMs) / 1000, { nodepool });
    const terminating = draft.conditions.get('InstanceTerminating')?.lastTransitionTime;
    if (terminating !== undefined)
      this.#instanceTermination.observe((world.clock.now() - Date.parse(terminating)) / 1000, { nodepool });
  }

  #onClaim(draft: ClaimDraft, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.events.publish({ resource: NODE_CLAIMS, object: draft.claim, type, reason, message });
  }

  #onPool(nodePool: Stored<NodePool>, reason: string, message: string): void {
    const object = nodePool;
    this.#context.events.publish({ resource: NODE_POOLS, object, type: 'Warning', reason, message });
  }
}
