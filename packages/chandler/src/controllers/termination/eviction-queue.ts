/**
 * Evicts pods one by one and retries: through the eviction API, which respects disruption budgets; past the deadline
 * by deletion. A pod that may not be disrupted stays in the queue until it may, or until the deadline.
 * `termination.ts` reports why a node is not drained yet.
 */
import {
  type ApiErrorKind,
  Controller,
  type Counter,
  evict,
  isApiError,
  itemBackoff,
  keyString,
  PODS,
  type Pod,
  parseKey,
  type Result,
  type Stored,
} from '@chandler/kube';
import { KarpenterAnnotation } from '../../api/index.ts';
import { isProtected } from '../../disruption/index.ts';
import { conditionOf } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { reportDoNotDisrupt } from './do-not-disrupt-reporter.ts';
import { forcedGraceSeconds } from './drain-plan.ts';

const POD_RESOURCE = PODS;

interface Request {
  readonly uid: string;
  readonly force: boolean;
  refusals: number;
  /** The error of the last attempt. */
  refusal?: string;
}

const FIRST_WAIT_MS = 100;
const MAX_WAIT_MS = 10_000;

/** Budgets, admission and permissions; an unreachable server is no refusal. */
const REFUSALS: readonly ApiErrorKind[] = [
  'tooManyRequests',
  'internal',
  'forbidden',
  'invalid',
  'badRequest',
];

export class EvictionQueue {
  readonly controller: Controller;
  readonly #requests = new Map<string, Request>();
  readonly #evictions: Counter;
  readonly #drained: Counter;

  constructor(context: ControllerContext) {
    const { world, settings } = context;
    this.#evictions = world.metrics.counter({
      name: 'karpenter_pods_eviction_requests_total',
      help: 'Eviction requests, by status code.',
      labels: ['code'],
    });
    this.#drained = world.metrics.counter({
      name: 'karpenter_pods_drained_total',
      help: 'Pods that were evicted from terminating nodes.',
      labels: ['reason'],
    });
    this.controller = new Controller({
      name: 'eviction-queue',
      world,
      concurrency: workers(settings.cpuRequests, 20, 200),
      limiter: itemBackoff({ baseMs: FIRST_WAIT_MS, maxMs: MAX_WAIT_MS }),
      reconcile: (key, run) => this.#reconcile(key, scopeOf(context, run)),
    });
  }

  /** Idempotent. A forced pod stays forced. */
  add(pod: Stored<Pod>, force: boolean): void {
    const { namespace, name, uid } = pod.metadata;
    const key = keyString({ namespace, name });
    const known = this.#requests.get(key);
    if (known?.uid === uid && (known?.force || !force)) return;
    this.#requests.set(key, { uid, force, refusals: 0 });
    this.controller.queue.forget(key);
    this.controller.enqueue(key);
  }

  /** The pod stays after all, unless it is forced. */
  withdraw({ metadata }: Stored<Pod>): void {
    const key = keyString({ namespace: metadata.namespace, name: metadata.name });
    const known = this.#requests.get(key);
    if (known?.uid === metadata.uid && !known.force) this.#requests.delete(key);
  }

  /** The error of its last eviction, if it was rejected. */
  refusalOf({ metadata }: Stored<Pod>): string | undefined {
    const request = this.#requests.get(keyString({ namespace: metadata.namespace, name: metadata.name }));
    return request?.uid === metadata.uid ? request?.refusal : undefined;
  }

  get size(): number {
    return this.#requests.size;
  }

  async #reconcile(key: string, scope: ReconcileScope): Promise<Result> {
    const request = this.#requests.get(key);
    const pod = scope.stores.pods.store.get(parseKey(key));
    if (request === undefined) return {};
    if (pod === undefined || pod.metadata.uid !== request.uid || !pod.spec.nodeName) {
      this.#requests.delete(key);
      return {};
    }
    const done = request.force ? await forceDelete(scope, pod) : await this.#evict(scope, pod, request);
    if (!done) return { requeueAfterMs: Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** request.refusals++) };
    // It may have been replaced by a forced one in the meantime.
    if (this.#requests.get(key) === request) this.#requests.delete(key);
    return {};
  }

  async #evict(scope: ReconcileScope, pod: Stored<Pod>, request: Request): Promise<boolean> {
    const { client, events, world, stores } = scope;
    // Since the store was last updated the pod may have got do-not-disrupt.
    if (stores.pods.failingMs > 0) return false;
    reportDoNotDisrupt(scope, pod);
    if (isProtected(pod, world.clock.now())) return false;
    const { namespace, name, uid } = pod.metadata;
    try {
      await evict(client, { namespace, name }, { preconditions: { uid } });
      this.#evictions.add(1, { code: '200' });
    } catch (error) {
      scope.signal.throwIfAborted();
      this.#evictions.add(1, { code: codeOf(error) });
      if (isApiError(error, 'notFound', 'conflict')) return true;
      if (isApiError(error, ...REFUSALS)) request.refusal = error.message;
      if (!isApiError(error, 'tooManyRequests', 'internal')) throw error;
      return false;
    }
    const reason = reasonOf(scope, pod);
    this.#drained.add(1, { reason });
    events.publish({
      resource: POD_RESOURCE,
      object: pod,
      type: 'Normal',
      reason: 'Evicted',
      message: `Evicted pod: ${reason}`,
    });
    return true;
  }
}

// ---------------------------------------------------------------------------------------------------

function codeOf(error: unknown): string {
  const code = (error as { code?: number }).code;
  return code === undefined ? '0' : `${code}`;
}

async function forceDelete(scope: ReconcileScope, pod: Stored<Pod>): Promise<boolean> {
  const { client, events, world } = scope;
  const { namespace, name, uid } = pod.metadata;
  const seconds = forcedGraceSeconds(world.clock.now(), deadlineOf(scope, pod) ?? world.clock.now());
  const message = `Deleting the pod before the termination deadline of its node, with a grace period of ${seconds} s; this bypasses its disruption budget and do-not-disrupt`;
  events.publish({ resource: POD_RESOURCE, object: pod, type: 'Normal', reason: 'Disrupted', message });
  try {
    await client.delete(
      POD_RESOURCE,
      { namespace, name },
      { preconditions: { uid }, gracePeriodSeconds: seconds },
    );
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
  return true;
}

function deadlineOf({ cluster }: ReconcileScope, pod: Stored<Pod>): number | undefined {
  const claim = cluster.nodeNamed(pod.spec.nodeName ?? '')?.claim;
  const text = claim?.metadata.annotations?.[KarpenterAnnotation.terminationTimestamp];
  return text === undefined ? undefined : Date.parse(text);
}

function reasonOf({ cluster }: ReconcileScope, pod: Stored<Pod>): string {
  const node = cluster.nodeNamed(pod.spec.nodeName ?? '');
  if (node?.claim === undefined) return '';
  return conditionOf(node.claim, 'DisruptionReason')?.reason ?? 'Forceful Termination';
}
