/**
 * Rolls the workloads of a command whose pods must not be evicted: each gets the annotation of `kubectl rollout restart`, once,
 * and its own rolling update moves the pods off the nodes, which get no new ones. The time of the roll is written to the
 * command first and is the value of the annotation, so that a new leader never rolls a workload twice. `execution.ts` deletes
 * the nodes afterwards; `disruption/surge.ts` decides what is rolled.
 */
import { DEPLOYMENTS, isApiError, ownerOf, type Pod, STATEFUL_SETS, type Stored } from '@chandler/kube';
import {
  isRolling,
  type NoSurge,
  ownerText,
  RESTARTED_AT,
  restartedAtMs,
  rollProblem,
  SURGE_PAUSE_MS,
  type SurgeOwner,
  type SurgeRefusals,
  type Workload,
} from '../../disruption/index.ts';
import { isTerminal, isTerminating, type Stores } from '../../state/index.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { type CommandRecord, recordText } from './command-record.ts';
import type { ExecutionReporter } from './execution-reporter.ts';
import { markClaim } from './marks.ts';
import { type RunningCommand, stayingClaims } from './running-command.ts';

/** How long the pods may take to move; then the command is rolled back. */
export const SURGE_LIMIT_MS = 10 * 60_000;

export type RolloutStep = 'waits' | 'done' | { readonly failure: string };

export class SurgeRollout {
  readonly #context: ControllerContext;
  readonly #reporter: ExecutionReporter;
  readonly #refusals = new Map<string, Required<NoSurge>>();

  constructor(context: ControllerContext, reporter: ExecutionReporter) {
    this.#context = context;
    this.#reporter = reporter;
  }

  /** Workloads that could not be rolled lately. After a restart they are tried again. */
  refusals(): SurgeRefusals {
    const nowMs = this.#context.world.clock.now();
    for (const [uid, { untilMs }] of this.#refusals) if (untilMs <= nowMs) this.#refusals.delete(uid);
    return this.#refusals;
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
    const left = this.#podsLeft(running);
    if (left.size === 0) return 'done';
    const nowMs = scope.world.clock.now();
    if (record.rolledAtMs === undefined) {
      // In whole seconds, as the annotation has it.
      const rolled = { ...record, rolledAtMs: Math.floor(nowMs / 1000) * 1000 };
      const text = recordText(rolled);
      for (const { claim } of stayingClaims(scope.stores, record))
        await markClaim(scope, claim, record.reason, text);
      // Not before all of them have it: what is rolled must be known to a new leader.
      running.record = rolled;
    }
    const rolledAtMs = running.record.rolledAtMs!;
    if (nowMs - rolledAtMs > SURGE_LIMIT_MS) {
      const failure = lateText(surges, left);
      for (const uid of left.keys()) this.#refuse(uid, failure);
      return { failure };
    }
    for (const owner of surges) {
      const pods = left.get(owner.uid);
      if (pods === undefined) continue;
      const failure = await this.#roll(scope, running.record, owner);
      if (failure !== undefined) {
        this.#refuse(owner.uid, failure);
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

  /** Otherwise its nodes would be replaced again and again. */
  #refuse(uid: string, why: string): void {
    this.#refusals.set(uid, { why, untilMs: this.#context.world.clock.now() + SURGE_PAUSE_MS });
  }

  /** By UID of the workload: its pods on the nodes of the command. Those that terminate are on their way. */
  #podsLeft({ record }: RunningCommand): ReadonlyMap<string, readonly Stored<Pod>[]> {
    const { cluster, stores } = this.#context;
    const uids = new Set((record.surges ?? []).map(({ uid }) => uid));
    const pods = stayingClaims(stores, record).flatMap(({ candidate }) => {
      const node = cluster.nodeOfClaim(candidate.claim);
      return node === undefined
        ? []
        : cluster.podsOn(node).filter((pod) => !isTerminal(pod) && !isTerminating(pod));
    });
    const left = Map.groupBy(pods, (pod) => workloadUidOf(stores, pod));
    return new Map([...left].filter(([uid]) => uids.has(uid)));
  }

  /** Returns why it cannot be rolled. */
  async #roll(scope: ReconcileScope, record: CommandRecord, owner: SurgeOwner): Promise<string | undefined> {
    const workload = workloadNamed(scope.stores, owner);
    if (workload === undefined) return undefined;
    const rolledAtMs = record.rolledAtMs!;
    // By us, perhaps before a restart; or by someone else in the meantime.
    if ((restartedAtMs(workload) ?? 0) >= rolledAtMs) return undefined;
    const problem = rollProblem(workload);
    if (problem !== undefined) return problem;
    // Another rollout would kill the pods that this one starts.
    if (isRolling(workload)) return undefined;
    const annotations = { [RESTARTED_AT]: new Date(rolledAtMs).toISOString().replace(/\.\d+Z$/, 'Z') };
    const { name, namespace, resourceVersion } = workload.object.metadata;
    const patch = { metadata: { resourceVersion }, spec: { template: { metadata: { annotations } } } };
    const resource = workload.kind === 'Deployment' ? DEPLOYMENTS : STATEFUL_SETS;
    try {
      await scope.client.patch(resource, { name: name!, namespace: namespace! }, { type: 'merge', patch });
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
      stayingClaims(scope.stores, record).map(({ claim }) => claim),
    );
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

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

function lateText(surges: readonly SurgeOwner[], left: ReadonlyMap<string, readonly Stored<Pod>[]>): string {
  const texts = surges.flatMap((owner) => {
    const pod = left.get(owner.uid)?.[0];
    return pod === undefined
      ? []
      : [`${ownerText(owner)} (pod ${pod.metadata.namespace}/${pod.metadata.name})`];
  });
  return `${texts.join(', ')} did not leave within ${SURGE_LIMIT_MS / 60_000} minutes after the rolling update began`;
}
