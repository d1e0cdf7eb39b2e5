/**
 * Reboots the instance of a claim in place: taints and drains its node, asks the cloud, and waits until the node is back with
 * another boot id. The conditions of the claim say how far it is, so a new leader continues. A reboot that fails ends with the
 * deletion of the claim. Disruption decides which nodes are rebooted (`disruption/reboot-request.ts`).
 */
import {
  Controller,
  DurationError,
  isApiError,
  keyOfObject,
  NODES,
  type Node,
  parseDurationMs,
  type Result,
  type Stored,
  storeSource,
} from '@chandler/kube';
import {
  ChandlerAnnotation,
  KarpenterAnnotation,
  KarpenterLabel,
  REBOOTING_TAINT,
  sameTaint,
  type Taint,
  writeAnnotations,
} from '../../api/index.ts';
import { type CloudError, type CloudErrorKind, isCloudError } from '../../cloud/index.ts';
import { conditionOf } from '../../state/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { isOurs } from '../disruption/disruption-input.ts';
import { CLAIMS, type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import { drainPlan } from '../termination/drain-plan.ts';
import type { EvictionQueue } from '../termination/eviction-queue.ts';
import { type RebootFailure, RebootReporter } from './reboot-reporter.ts';

const DRAIN_POLL_MS = 1_000;
const BOOT_POLL_MS = 15_000;
/** Load balancers need this time to notice the taint, even when there is nothing to drain. */
const MIN_DRAIN_MS = 5_000;
/** Until the cloud must have accepted the reboot, and until the node must be back after it. */
const ACCEPT_LIMIT_MS = 5 * 60_000;
const RECOVERY_LIMIT_MS = 20 * 60_000;
/** Of a drain that has no bound of its own. */
const DRAIN_LIMIT_MS = 20 * 60_000;

/** The cloud will not say anything else. */
const FINAL: ReadonlySet<CloudErrorKind> = new Set<CloudErrorKind>([
  'RebootNotImplemented',
  'RebootFailed',
  'NotFound',
  'ManagedElsewhere',
]);

export function reboot(context: ControllerContext, evictions: EvictionQueue): Controller {
  const { world, stores, cluster } = context;
  const pass = new RebootPass(context, evictions);
  const reboots = (claim: Claim) => conditionOf(claim, 'Rebooting') !== undefined;
  return new Controller({
    name: 'nodeclaim.reboot',
    world,
    concurrency: 10,
    sources: [
      storeSource(stores.claims, { filter: ({ object }) => reboots(object) }),
      storeSource(stores.nodes, {
        keys: ({ object }) => {
          const claim = cluster.nodeNamed(object.metadata.name)?.claim;
          return claim !== undefined && reboots(claim) ? [claim.metadata.name] : [];
        },
      }),
    ],
    reconcile: (name, run) => pass.reconcile(name, scopeOf(context, run)),
  });
}

export class RebootPass {
  readonly #evictions: EvictionQueue;
  readonly #reporter: RebootReporter;
  /** When the cloud was first asked, by UID of the claim (monotonic). */
  readonly #askedMs = new Map<string, number>();
  /** When the first pod was to be evicted, by UID of the claim (monotonic). */
  readonly #drainingMs = new Map<string, number>();

  constructor(context: ControllerContext, evictions: EvictionQueue) {
    this.#evictions = evictions;
    this.#reporter = new RebootReporter(context);
  }

  async reconcile(name: string, scope: ReconcileScope): Promise<Result> {
    const { stores, cluster } = scope;
    const claim = stores.claims.store.get({ name });
    const rebooting = claim === undefined ? undefined : conditionOf(claim, 'Rebooting');
    if (claim === undefined || rebooting === undefined || !isOurs(scope, claim)) return {};
    const node = cluster.nodeOfClaim(name)?.node;
    if (rebooting.status !== 'True' || claim.metadata.deletionTimestamp !== undefined) {
      this.#askedMs.delete(claim.metadata.uid);
      this.#drainingMs.delete(claim.metadata.uid);
      if (rebooting.status !== 'True' && node !== undefined) await untaint(scope, node);
      return {};
    }
    // Pods may run that a store does not show.
    if (stores.failing().length > 0) return { requeueAfterMs: DRAIN_POLL_MS };
    const bound = boundOf(claim);
    if ('problem' in bound)
      return this.#reject(scope, claim, { result: 'invalid_request', why: bound.problem });
    if (rebooting.reason === 'RebootIssued') return this.#awaitBoot(scope, claim, node, bound.ms);
    if (node === undefined)
      return this.#fail(scope, claim, bound.ms, { result: 'provider_error', why: 'its Node does not exist' });
    return this.#issue(scope, claim, node, bound.ms);
  }

  async #issue(
    scope: ReconcileScope,
    claim: Claim,
    node: Stored<Node>,
    boundMs: number | undefined,
  ): Promise<Result> {
    const { client, world } = scope;
    let known = claim;
    if (preBootIdOf(claim) === undefined) {
      if (bootIdOf(node) === '')
        return this.#fail(scope, claim, boundMs, {
          result: 'provider_error',
          why: 'its Node reports no boot id, so a reboot would not be noticed',
        });
      await taint(scope, node);
      const waits = this.#drain(scope, claim, boundMs);
      if (waits === 'stuck')
        return this.#reject(scope, claim, {
          result: 'recovery_timeout',
          why: `its pods could not be evicted within ${DRAIN_LIMIT_MS / 60_000} minutes`,
        });
      if (waits !== undefined) return waits;
      const patch = new ClaimPatch(claim, world.clock.now());
      patch.setAnnotations({ [KarpenterAnnotation.rebootPreBootId]: bootIdOf(node) });
      await patch.write(client);
      known = patch.claim;
    }
    // Another boot id: a process before this one asked the cloud, and could not write it down.
    if (bootIdOf(node) === preBootIdOf(known)) {
      const refused = await this.#ask(scope, known);
      if (refused !== undefined) return this.#retry(scope, known, boundMs, refused);
    }
    await this.#issued(scope, known, node);
    return { requeueAfterMs: BOOT_POLL_MS };
  }

  /**
   * Evicts the pods; undefined when all are gone, or when the time is over. Those that are left stay on the node. Without
   * a bound it gets stuck: a PodDisruptionBudget may wait for a pod that waits for this node.
   */
  #drain(
    { cluster, world }: ReconcileScope,
    claim: Claim,
    boundMs: number | undefined,
  ): Result | 'stuck' | undefined {
    const joined = cluster.nodeOfClaim(claim.metadata.name);
    const pods = joined === undefined || boundMs === 0 ? [] : cluster.podsOn(joined);
    const nowMs = world.clock.now();
    const sinceMs = nowMs - requestedMs(claim);
    const { waiting, evict } = drainPlan(pods, nowMs, undefined, REBOOTING_TAINT as Taint);
    if (boundMs === undefined && evict.length > 0 && this.#drainedForMs(claim, world) >= DRAIN_LIMIT_MS)
      return 'stuck';
    const over = boundMs !== undefined && sinceMs >= Math.max(boundMs, MIN_DRAIN_MS);
    if (over || (waiting.length === 0 && sinceMs >= MIN_DRAIN_MS)) {
      for (const pod of pods) this.#evictions.withdraw(pod);
      return undefined;
    }
    for (const pod of evict) this.#evictions.add(pod, false);
    return { requeueAfterMs: DRAIN_POLL_MS };
  }

  /** Since this process first tried: before, nobody may have evicted anything. */
  #drainedForMs({ metadata: { uid } }: Claim, world: ReconcileScope['world']): number {
    const nowMs = world.clock.monotonic();
    const sinceMs = this.#drainingMs.get(uid) ?? nowMs;
    this.#drainingMs.set(uid, sinceMs);
    return nowMs - sinceMs;
  }

  /** Undefined: the cloud has accepted the reboot. */
  async #ask({ cloud, world, signal }: ReconcileScope, claim: Claim): Promise<CloudError | undefined> {
    const { uid, name } = claim.metadata;
    if (!this.#askedMs.has(uid)) this.#askedMs.set(uid, world.clock.monotonic());
    try {
      await cloud.reboot(claim, `${uid}-${requestedMs(claim)}000000-${preBootIdOf(claim)}`, signal);
      world.log.info('instance is rebooting', { nodeclaim: name });
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!isCloudError(error)) throw error;
      return error;
    }
  }

  async #retry(
    scope: ReconcileScope,
    claim: Claim,
    boundMs: number | undefined,
    error: CloudError,
  ): Promise<Result> {
    const sinceMs = scope.world.clock.monotonic() - (this.#askedMs.get(claim.metadata.uid) ?? 0);
    if (FINAL.has(error.kind) || sinceMs >= ACCEPT_LIMIT_MS)
      return this.#fail(scope, claim, boundMs, {
        result: 'provider_error',
        why: `the cloud does not reboot its instance: ${error.message}`,
      });
    if (error.advice.retry === 'after') return { requeueAfterMs: error.advice.ms };
    throw error;
  }

  async #issued(scope: ReconcileScope, claim: Claim, node: Stored<Node>): Promise<void> {
    const { client, world } = scope;
    const { resourceVersion, labels = {} } = node.metadata;
    if (labels[KarpenterLabel.initialized] !== undefined) {
      const metadata = { resourceVersion, labels: { [KarpenterLabel.initialized]: null } };
      await client.patch(NODES, keyOfObject(node), { type: 'merge', patch: { metadata } });
    }
    const patch = new ClaimPatch(claim, world.clock.now());
    patch.setAnnotations({ [ChandlerAnnotation.rebootIssuedAt]: timeText(world.clock.now()) });
    patch.conditions.setTrue('Rebooting', 'RebootIssued', 'the cloud has accepted the reboot');
    patch.conditions.setUnknown('Initialized', 'Rebooting', 'node is rebooting');
    await patch.write(client);
    this.#askedMs.delete(claim.metadata.uid);
  }

  async #awaitBoot(
    scope: ReconcileScope,
    claim: Claim,
    node: Stored<Node> | undefined,
    boundMs: number | undefined,
  ): Promise<Result> {
    const { client, world } = scope;
    const booted = node !== undefined && bootIdOf(node) !== preBootIdOf(claim);
    if (booted) {
      await untaint(scope, node);
      this.#reporter.observed(claim, requestedMs(claim));
    }
    const nowMs = world.clock.now();
    const issuedMs = issuedMsOf(claim);
    if (!booted || conditionOf(node, 'Ready')?.status !== 'True') {
      if (nowMs - issuedMs < RECOVERY_LIMIT_MS) return { requeueAfterMs: BOOT_POLL_MS };
      const why = `its node was not Ready again ${RECOVERY_LIMIT_MS / 60_000} minutes after the reboot`;
      return this.#fail(scope, claim, boundMs, { result: 'recovery_timeout', why });
    }
    const patch = new ClaimPatch(claim, nowMs);
    patch.setAnnotations(NO_ANNOTATIONS);
    patch.conditions.setFalse('Rebooting', 'RebootSucceeded', 'the node is back');
    patch.conditions.clear('DisruptionReason');
    patch.onceWritten(() => this.#reporter.succeeded(claim, requestedMs(claim), issuedMs));
    await patch.write(client);
    return {};
  }

  /** The node is left as it is: somebody wrote the annotation, or its pods cannot be evicted. */
  async #reject(scope: ReconcileScope, claim: Claim, failure: RebootFailure): Promise<Result> {
    const patch = new ClaimPatch(claim, scope.world.clock.now());
    patch.setAnnotations(NO_ANNOTATIONS);
    patch.conditions.setFalse('Rebooting', 'RebootFailed', failure.why);
    patch.conditions.clear('DisruptionReason');
    patch.onceWritten(() => this.#reporter.failed(claim, requestedMs(claim), failure));
    await patch.write(scope.client);
    const joined = scope.cluster.nodeOfClaim(claim.metadata.name);
    for (const pod of joined === undefined ? [] : scope.cluster.podsOn(joined)) this.#evictions.withdraw(pod);
    return {};
  }

  /** The claim is deleted; its drain takes no longer than that for the reboot may. */
  async #fail(
    scope: ReconcileScope,
    claim: Claim,
    boundMs: number | undefined,
    failure: RebootFailure,
  ): Promise<Result> {
    const { client, world } = scope;
    const name = KarpenterAnnotation.terminationTimestamp;
    const known = Date.parse(claim.metadata.annotations?.[name] ?? '');
    const endMs = world.clock.now() + (boundMs ?? Number.POSITIVE_INFINITY);
    if (boundMs !== undefined && !(known <= endMs))
      await writeAnnotations(client, CLAIMS, claim, { [name]: timeText(endMs) });
    try {
      await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
    } catch (error) {
      if (!isApiError(error, 'notFound', 'conflict')) throw error;
      return {};
    }
    this.#askedMs.delete(claim.metadata.uid);
    this.#reporter.failed(claim, requestedMs(claim), failure);
    return {};
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_ANNOTATIONS = {
  [KarpenterAnnotation.rebootPreBootId]: null,
  [KarpenterAnnotation.rebootGracePeriod]: null,
  [ChandlerAnnotation.rebootIssuedAt]: null,
};

/** How long the drain may take; undefined: without a bound. */
function boundOf({ metadata }: Claim): { readonly ms: number | undefined } | { readonly problem: string } {
  const key = KarpenterAnnotation.rebootGracePeriod;
  const text = metadata.annotations?.[key];
  if (text === undefined) return { ms: undefined };
  const wrong = (message: string) => ({ problem: `metadata.annotations[${key}]: "${text}": ${message}` });
  try {
    const ms = parseDurationMs(text);
    return ms < 0 ? wrong('must not be negative') : { ms };
  } catch (error) {
    if (error instanceof DurationError) return wrong(error.message);
    throw error;
  }
}

function requestedMs(claim: Claim): number {
  return Date.parse(conditionOf(claim, 'Rebooting')?.lastTransitionTime ?? '');
}

/** The condition Initialized does not move when the node was not initialized before the reboot either. */
function issuedMsOf(claim: Claim): number {
  const written = Date.parse(claim.metadata.annotations?.[ChandlerAnnotation.rebootIssuedAt] ?? '');
  if (!Number.isNaN(written)) return written;
  return Date.parse(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '');
}

function preBootIdOf({ metadata }: Claim): string | undefined {
  return metadata.annotations?.[KarpenterAnnotation.rebootPreBootId];
}

function bootIdOf({ status }: Stored<Node>): string {
  return String(status?.nodeInfo?.['bootID'] ?? '');
}

async function taint({ client }: ReconcileScope, node: Stored<Node>): Promise<void> {
  const taints = node.spec?.taints ?? [];
  if (taints.some((each) => sameTaint(each, REBOOTING_TAINT))) return;
  await client.patch(NODES, keyOfObject(node), taintPatch(node, [...taints, REBOOTING_TAINT]));
}

async function untaint({ client }: ReconcileScope, node: Stored<Node>): Promise<void> {
  const taints = node.spec?.taints ?? [];
  const kept = taints.filter((each) => !sameTaint(each, REBOOTING_TAINT));
  if (kept.length < taints.length) await client.patch(NODES, keyOfObject(node), taintPatch(node, kept));
}

function taintPatch({ metadata }: Stored<Node>, taints: readonly object[]) {
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints } };
  return { type: 'merge', patch } as const;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
