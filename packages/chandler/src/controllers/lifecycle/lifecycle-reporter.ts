/** Reports the lifecycle of a claim: events, log lines, counters. It decides nothing. */
import { type Counter, type Histogram, type Node, PODS, type Stored } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, NODE_CLAIMS, NODE_POOLS, type NodePool } from '../../api/index.ts';
import type { CloudError, Instance } from '../../cloud/index.ts';

import { disruptedCounter } from '../claims/disrupted.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim, ClaimPatch } from './claim-patch.ts';

/** As in Karpenter v1.15. */
const EVENT_TEXT = 1024;
const POOL_DEDUPE_MS = 5 * 60_000;

export class LifecycleReporter {
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

  launched({ world }: ReconcileScope, claimPatch: ClaimPatch, instance: Instance): void {
    world.log.info('nodeclaim launched', {
      nodeclaim: claimPatch.name,
      providerID: instance.providerID,
      instanceType: instance.instanceType,
      zone: instance.zone,
      capacityType: instance.capacityType,
    });
  }

  launchFailed(
    { world }: ReconcileScope,
    claimPatch: ClaimPatch,
    error: CloudError,
    nodePool: Stored<NodePool> | undefined,
  ): void {
    const { kind, reason, code, message } = error;
    world.log.warn('nodeclaim launch failed', {
      nodeclaim: claimPatch.name,
      kind,
      reason,
      code,
      error: message,
    });
    if (kind === 'Throttled' || kind === 'Unreachable') return;
    const wasLaunched = claimPatch.conditions.isTrue('Launched');
    const type =
      kind === 'InsufficientCapacity'
        ? 'InsufficientCapacityError'
        : wasLaunched
          ? 'AsyncProvisioningError'
          : reason;
    const text = `NodeClaim ${claimPatch.name} event: ${message}`.slice(0, EVENT_TEXT);
    this.#onClaim(claimPatch, 'Warning', type, text);
    // The claim is deleted; the pool stays and can be described.
    if (nodePool !== undefined) this.#onPool(nodePool, type, text);
    if (kind === 'InsufficientCapacity') this.#onPods(claimPatch.name, type, message);
  }

  classUnresolved(claimPatch: ClaimPatch, problem: string): void {
    const message = `Failed resolving NodeClass: ${problem}`;
    this.#onClaim(claimPatch, 'Warning', 'NodeClassResolutionError', message);
  }

  unregisteredTaintMissing(claimPatch: ClaimPatch): void {
    const message =
      'Missing karpenter.sh/unregistered taint: pods may have been scheduled to the node before it was labeled and tainted';
    this.#onClaim(claimPatch, 'Warning', 'UnregisteredTaintMissing', message);
  }

  registered({ world }: ReconcileScope, claimPatch: ClaimPatch, node: Stored<Node>): void {
    world.log.info('node registered', { nodeclaim: claimPatch.name, node: node.metadata.name });
    const { labels } = claimPatch;
    this.#nodesCreated.add(1, {
      nodepool: labels[KarpenterLabel.nodePool] ?? '',
      zone: labels[KubernetesLabel.zone] ?? '',
    });
  }

  initialized({ world }: ReconcileScope, claimPatch: ClaimPatch, node: Stored<Node>): void {
    const fields = {
      nodeclaim: claimPatch.name,
      node: node.metadata.name,
      providerID: claimPatch.providerID,
    };
    world.log.info('nodeclaim initialized', fields);
  }

  disrupted({ world }: ReconcileScope, claimPatch: ClaimPatch, reason: string): void {
    world.log.info('nodeclaim disrupted', { nodeclaim: claimPatch.name, reason });
    this.#disrupted(claimPatch.claim, reason);
  }

  terminated({ world }: ReconcileScope, claimPatch: ClaimPatch): void {
    const nodepool = claimPatch.labels[KarpenterLabel.nodePool] ?? '';
    world.log.info('nodeclaim deleted', { nodeclaim: claimPatch.name, providerID: claimPatch.providerID });
    this.#terminated.add(1, {
      nodepool,
      capacity_type: claimPatch.labels[KarpenterLabel.capacityType] ?? '',
      zone: claimPatch.labels[KubernetesLabel.zone] ?? '',
    });
    const sinceMs = Date.parse(claimPatch.claim.metadata.deletionTimestamp ?? '');
    if (!Number.isNaN(sinceMs)) this.#termination.observe((world.clock.now() - sinceMs) / 1000, { nodepool });
    const terminating = claimPatch.conditions.get('InstanceTerminating')?.lastTransitionTime;
    if (terminating !== undefined)
      this.#instanceTermination.observe((world.clock.now() - Date.parse(terminating)) / 1000, { nodepool });
  }

  #onClaim(claimPatch: ClaimPatch, type: 'Normal' | 'Warning', reason: string, message: string): void {
    this.#context.events.publish({ resource: NODE_CLAIMS, object: claimPatch.claim, type, reason, message });
  }

  /** The pods that wait for the claim: they were nominated to it, and it goes. */
  #onPods(claim: string, reason: string, problem: string): void {
    const message = `NodeClaim ${claim} nominated for this pod failed to launch: ${problem}`.slice(
      0,
      EVENT_TEXT,
    );
    for (const pod of this.#context.cluster.reservedPods(claim)) {
      if (pod.spec?.nodeName) continue;
      this.#context.events.publish({
        resource: PODS,
        object: pod,
        type: 'Warning',
        reason,
        message,
        expendable: true,
        dedupeValues: [pod.metadata.uid, reason],
      });
    }
  }

  #onPool(nodePool: Stored<NodePool>, reason: string, message: string): void {
    this.#context.events.publish({
      resource: NODE_POOLS,
      object: nodePool,
      type: 'Warning',
      reason,
      message,
      // Many claims fail alike: one of them is named, so that the event limit of the pool is not used up.
      dedupeValues: [nodePool.metadata.uid, reason],
      dedupeMs: POOL_DEDUPE_MS,
    });
  }
}
