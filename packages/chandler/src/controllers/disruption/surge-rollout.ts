/**
 * Rolls the workloads of a command whose pods must not be evicted: each gets the annotation of `kubectl rollout restart`, once,
 * and its own rolling update moves the pods off the nodes, which get no new ones. The time of the roll is written to the
 * command first and is the value of the annotation, so that a new leader never rolls a workload twice. `execution.ts` deletes
 * the nodes afterwards; `disruption/surge.ts` decides what is rolled.
 */
import { DEPLOYMENTS, isApiError, ownerOf, type Pod, STATEFUL_SETS, type Stored } from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import {
  isRolling,
  ownerText,
  RESTARTED_AT,
  restartedAtMs,
  rollProblem,
  type SurgeOwner,
  type SurgeRefusals,
  type Workload,
} from '../../disruption/index.ts';
import { isTerminal, isTerminating, type Stores } from '../../state/index.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { recordText } from './command-record.ts';
import type { ExecutionReporter } from './execution-reporter.ts';
import { keepNominated } from './expected-pods.ts';
import { markClaim } from './marks.ts';
import { type RunningCommand, type StayingClaim, stayingOf } from './running-command.ts';
import { SurgeRefusalList } from './surge-refusals.ts';

/** How long the pods may take to move, in all; then the command is rolled back. */
export const SURGE_LIMIT_MS = 60 * 60_000;
/** The same without progress: no pod was replaced. */
const STALL_LIMIT_MS = 10 * 60_000;

export type RolloutStep = 'waits' | 'done' | { readonly failure: string };

export class SurgeRollout {
  readonly #context: ControllerContext;
  readonly #reporter: ExecutionReporter;
  readonly #refusals: SurgeRefusalList;

  constructor(context: ControllerContext, reporter: ExecutionReporter) {
    this.#context = context;
    this.#reporter = reporter;
    this.#refusals = new SurgeRefusalList(context.world.clock);
  }

  /** Workloads that could not be rolled lately. */
  refusals(): SurgeRefusals {
    return this.#refusals.all();
  }

  /** Every step can be repeated. */
  async step(scope: ReconcileScope, running: RunningCommand): Promise<RolloutStep> {
    const { record } = running;
    const { surges = [] } = record;
    if (surges.length === 0) return 'done';
    if (scope.stores.workloads === undefined)
      return {
        failure: `${ownerText(surges[0]!)} is to be rolled, but the controller runs without --disruption-surge`,
      };
    const staying = stayingOf(scope.stores, running);
    const left = this.#podsLeft(running, staying);
    if (left.size === 0) {
      for (const { uid } of surges) this.#refusals.succeeded(uid);
      return 'done';
    }
    const nowMs = scope.world.clock.now();
    if (record.rolledAtMs === undefined) {
      // In whole seconds, as the annotation has it.
      const rolled = { ...record, rolledAtMs: Math.floor(nowMs / 1000) * 1000 };
      const text = recordText(rolled);
      for (const { claim } of staying) await markClaim(scope, claim, record.reason, text);
      // Not before all of them have it: what is rolled must be known to a new leader.
      running.record = rolled;
    }
    const rolledAtMs = running.record.rolledAtMs!;
    const limitMs = nowMs - rolledAtMs > SURGE_LIMIT_MS ? SURGE_LIMIT_MS : this.#stalledMs(running, left);
    if (limitMs !== undefined) {
      const failure = lateText(surges, left, limitMs);
      for (const uid of left.keys()) this.#refusals.restartedInVain(uid, failure);
      return { failure };
    }
    keepNominated(this.#context, running);
    for (const owner of surges) {
      const pods = left.get(owner.uid);
      if (pods === undefined) continue;
      const failure = await this.#roll(scope, running, owner, staying);
      if (failure !== undefined) {
        if (running.restarted.has(owner.uid)) this.#refusals.restartedInVain(owner.uid, failure);
        else this.#refusals.notRestarted(owner.uid, failure);
        return { failure };
      }
      // Their successors need the room now. A StatefulSet makes them later.
      if (owner.kind === 'StatefulSet') continue;
      for (const { metadata } of pods) running.rolled.add(metadata.uid);
      this.#context.cluster.succeeded(running.rolled);
    }
    return 'waits';
  }

  /** The command ends: pods that are still there are planned again. */
  end({ rolled }: RunningCommand): void {
    this.#context.cluster.unsucceeded(rolled);
  }

  /** The limit, if no pod was replaced for that time. After a restart it begins anew. */
  #stalledMs(running: RunningCommand, left: PodsLeft): number | undefined {
    const { world, stores } = this.#context;
    const atMs = world.clock.monotonic();
    const { surges = [], startedAtMs } = running.record;
    let reached = 0;
    for (const owner of surges) {
      const workload = workloadNamed(stores, owner);
      reached += workload === undefined ? 0 : updatedPods(workload, startedAtMs);
      reached -= left.get(owner.uid)?.length ?? 0;
    }
    if (running.progress === undefined || reached > running.progress.reached)
      running.progress = { reached, atMs };
    return atMs - running.progress.atMs > STALL_LIMIT_MS ? STALL_LIMIT_MS : undefined;
  }

  /** By UID of the workload: its pods on the nodes of the command. Those that terminate are on their way. */
  #podsLeft(running: RunningCommand, staying: readonly StayingClaim[]): PodsLeft {
    const { cluster, stores } = this.#context;
    const uids = new Set((running.record.surges ?? []).map(({ uid }) => uid));
    const pods = staying.flatMap(({ candidate }) => {
      const node = cluster.nodeOfClaim(candidate.claim);
      return node === undefined
        ? []
        : cluster.podsOn(node).filter((pod) => !isTerminal(pod) && !isTerminating(pod));
    });
    const left = Map.groupBy(pods, (pod) => workloadUidOf(stores, pod));
    return new Map([...left].filter(([uid]) => uids.has(uid)));
  }

  /** Returns why it cannot be rolled. */
  async #roll(
    scope: ReconcileScope,
    running: RunningCommand,
    owner: SurgeOwner,
    staying: readonly StayingClaim[],
  ): Promise<string | undefined> {
    const { record, restarted } = running;
    const workload = workloadNamed(scope.stores, owner);
    if (workload === undefined) return undefined;
    const rolledAtMs = record.rolledAtMs!;
    // By us, perhaps before a restart; or by someone else in the meantime.
    if ((restartedAtMs(workload) ?? 0) >= rolledAtMs) return undefined;
    const generation = restarted.get(owner.uid);
    if (generation !== undefined) {
      // The cache may not have seen the restart yet.
      if ((workload.object.metadata.generation ?? 0) < generation) return undefined;
      return `${ownerText(owner)} was restarted, but the annotation ${RESTARTED_AT} was removed again. What manages the workload does not allow a restart: set ${ChandlerAnnotation.disruptionSurge} to "false" on its pods`;
    }
    const problem = rollProblem(workload);
    if (problem !== undefined) return problem;
    // Another rollout would kill the pods that this one starts.
    if (isRolling(workload)) return undefined;
    const annotations = { [RESTARTED_AT]: new Date(rolledAtMs).toISOString().replace(/\.\d+Z$/, 'Z') };
    const { name, namespace, resourceVersion } = workload.object.metadata;
    const patch = { metadata: { resourceVersion }, spec: { template: { metadata: { annotations } } } };
    const resource = workload.kind === 'Deployment' ? DEPLOYMENTS : STATEFUL_SETS;
    try {
      const key = { name: name!, namespace: namespace! };
      const { metadata } = await scope.client.patch<Workload['object']>(resource, key, {
        type: 'merge',
        patch,
      });
      restarted.set(owner.uid, metadata.generation ?? 0);
    } catch (error) {
      // Someone writes at the same time: the next step reads it.
      if (isApiError(error, 'conflict', 'notFound')) return undefined;
      if (!isApiError(error, 'forbidden', 'invalid')) throw error;
      const hint = error.kind === 'forbidden' ? '. Apply deploy/rbac-disruption-surge.yaml' : '';
      return `${ownerText(owner)} cannot be rolled: ${error.message}${hint}`;
    }
    this.#reporter.rolling(
      record,
      owner,
      staying.map(({ claim }) => claim),
    );
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

/** By UID of the workload. */
type PodsLeft = ReadonlyMap<string, readonly Stored<Pod>[]>;

/** How many of its pods were replaced by a restart since the command began, be it by another command. */
function updatedPods(workload: Workload, sinceMs: number): number {
  const { metadata, status } = workload.object;
  // In whole seconds.
  if ((restartedAtMs(workload) ?? 0) <= sinceMs - 1000) return 0;
  const seen = Number(status?.['observedGeneration'] ?? 0) >= (metadata.generation ?? 0);
  return seen ? Number(status?.['updatedReplicas'] ?? 0) : 0;
}

/** Empty for a pod of none. */
function workloadUidOf({ workloads }: Stores, pod: Stored<Pod>): string {
  const owner = ownerOf(pod);
  if (owner?.kind === 'StatefulSet') return owner.uid;
  if (owner?.kind !== 'ReplicaSet') return '';
  const set = workloads?.replicaSets.store.get({ namespace: pod.metadata.namespace, name: owner.name });
  return set?.metadata.uid === owner.uid ? (ownerOf(set)?.uid ?? '') : '';
}

function workloadNamed(
  { workloads }: Stores,
  { kind, namespace, name, uid }: SurgeOwner,
): Workload | undefined {
  const key = { namespace, name };
  const found: Workload | undefined =
    kind === 'Deployment'
      ? wrapped('Deployment', workloads?.deployments.store.get(key))
      : wrapped('StatefulSet', workloads?.statefulSets.store.get(key));
  return found?.object.metadata.uid === uid ? found : undefined;
}

function wrapped(kind: Workload['kind'], object: Workload['object'] | undefined): Workload | undefined {
  return object === undefined ? undefined : ({ kind, object } as Workload);
}

function lateText(surges: readonly SurgeOwner[], left: PodsLeft, limitMs: number): string {
  const texts = surges.flatMap((owner) => {
    const pod = left.get(owner.uid)?.[0];
    return pod === undefined
      ? []
      : [`${ownerText(owner)} (pod ${pod.metadata.namespace}/${pod.metadata.name})`];
  });
  const what =
    limitMs === SURGE_LIMIT_MS
      ? 'after the rolling update began'
      : 'in which the rolling update made no progress';
  return `${texts.join(', ')} did not leave within ${limitMs / 60_000} minutes ${what}`;
}
