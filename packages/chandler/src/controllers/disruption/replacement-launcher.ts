/**
 * Launches the replacements of commands: whether they may be launched now, and their creation. `execution.ts` decides what
 * follows from it.
 */
import type { Pod, Stored } from '@chandler/kube';
import { ChandlerAnnotation, KarpenterLabel } from '../../api/index.ts';
import type { Command } from '../../disruption/index.ts';
import { conditionOf } from '../../state/index.ts';
import { isRefusal } from '../claims/claim-refusals.ts';
import { createClaim } from '../claims/create-claim.ts';
import type { ControllerContext, ReconcileScope } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import { poolNamed } from '../pools/pool-store.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';
import { holdReason, LaunchGuard } from '../provisioning/launch-guard.ts';
import type { CommandRecord } from './command-record.ts';
import type { ExecutionReporter } from './execution-reporter.ts';
import { exceededLimit, heldWhy } from './limits.ts';
import { removeClaim } from './marks.ts';
import type { RunningCommand } from './running-command.ts';

/** Launches that cannot begin now: for the log, and for an event on the pool where its conditions say nothing about it. */
export interface LaunchesHeld {
  readonly nodePool: string;
  readonly why: string;
  readonly event?: string;
}

export type Launch =
  /** It exists, or its creation was accepted. */
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'held'; readonly why: string }
  /** `blamesPool`: further replacements in the pool would most likely fail, too. */
  | { readonly outcome: 'failed'; readonly why: string; readonly blamesPool: boolean };

export class ReplacementLauncher {
  readonly #context: ControllerContext;
  readonly #reporter: ExecutionReporter;
  readonly #guard: LaunchGuard;

  constructor(context: ControllerContext, reporter: ExecutionReporter) {
    this.#context = context;
    this.#reporter = reporter;
    this.#guard = new LaunchGuard(context);
  }

  /** A pod of the command that would make its NodeClaim invalid, as the API server said before. */
  refusedPod({ replacements }: Command): string | undefined {
    const { podRefusals } = this.#context;
    for (const key of replacements.flatMap(({ pods }) => pods)) {
      const pod = this.#podNamed(key);
      const refusal = pod === undefined ? undefined : podRefusals.of(pod);
      if (refusal !== undefined) return `pod ${key} makes NodeClaims invalid`;
    }
    return undefined;
  }

  /** Returns the number of launches that count from now on; the others, if any, are judged when they are created. */
  reserve({ replacements }: Command): number | LaunchesHeld {
    for (const { nodePool } of replacements) {
      const why = heldWhy(this.#context, nodePool);
      if (why !== undefined) return { nodePool, why };
    }
    const { allowed, why } = this.#guard.judgeTogether(replacements);
    if (allowed.length > 0 || why === undefined) return allowed.length;
    return { nodePool: replacements[0]!.nodePool, why: holdReason(why), event: why.code };
  }

  /** Launches that were reserved and will not be tried. */
  release(running: RunningCommand): void {
    this.#guard.notTried(running.reserved);
    running.reserved = 0;
  }

  /**
   * Of a command that is rolled back, whose nodes stay: what has no instance yet is not needed. A refused
   * deletion is left to consolidation; any other error is thrown after all had their turn.
   */
  async cancel(scope: ReconcileScope, record: CommandRecord): Promise<void> {
    const errors: unknown[] = [];
    for (const replacement of record.replacements)
      await this.#cancel(scope, record.id, replacement).catch((error: unknown) => {
        scope.signal.throwIfAborted();
        errors.push(error);
      });
    const other = errors.find((error) => !isRefusal(error));
    if (other !== undefined) throw other;
  }

  async #cancel(scope: ReconcileScope, command: string, { metadata }: ClaimBody): Promise<void> {
    const { name } = metadata;
    const claim = scope.stores.claims.store.get({ name }) ?? (await scope.client.find(CLAIMS, { name }));
    const own = claim?.metadata.annotations?.[ChandlerAnnotation.replacementFor] === command;
    if (claim === undefined || !own || claim.metadata.deletionTimestamp !== undefined) return;
    if (conditionOf(claim, 'Launched')?.status !== 'True') await removeClaim(scope, claim);
  }

  async create(scope: ReconcileScope, running: RunningCommand, body: ClaimBody): Promise<Launch> {
    const { stores, world, refusals, podRefusals } = scope;
    const { name, labels } = body.metadata;
    const known = stores.claims.store.get({ name });
    if (known !== undefined)
      return known.metadata.annotations?.[ChandlerAnnotation.replacementFor] === running.record.id
        ? { outcome: 'exists' }
        : failed(`nodeclaim ${name} exists already`);
    const poolName = labels?.[KarpenterLabel.nodePool] ?? '';
    const replaced = new Set(running.record.candidates.map(({ claim }) => claim));
    const missing = running.record.replacements.filter(
      (other) => stores.claims.store.get({ name: other.metadata.name }) === undefined,
    );
    const exceeded = await exceededLimit(scope, missing, replaced);
    if (exceeded !== undefined) return failed(`a replacement would exceed ${exceeded}`);
    const held = heldWhy(scope, poolName) ?? this.#take(running, poolName);
    if (held !== undefined) return { outcome: 'held', why: held };
    const creation = await createClaim(scope, body);
    const nodePool = poolNamed(scope, poolName);
    const pods = this.#podsOf(running, body);
    if (creation.outcome === 'refused') {
      // Anything else says nothing about the claim: it is created under the same name again.
      if (!isRefusal(creation.error)) throw creation.error;
      const { error } = creation;
      world.log.error('nodeclaim creation failed', { nodeclaim: name, error });
      const { requirements } = body.spec;
      const ofPods = nodePool !== undefined && podRefusals.refused({ nodePool, requirements, pods }, error);
      if (nodePool !== undefined && !ofPods) refusals.refused(nodePool, error);
      return failed(`a replacement was rejected: ${error.message}`, !ofPods);
    }
    // The next attempt uses the same name and finds it.
    if (creation.outcome === 'unknown') throw creation.error;
    if (creation.outcome === 'taken') return { outcome: 'exists' };
    if (nodePool !== undefined) refusals.accepted(nodePool);
    podRefusals.accepted(pods);
    this.#reporter.created(running.record, body);
    return { outcome: 'exists' };
  }

  /** Why the limits of launches hold one more; undefined: they do not, and it counts. */
  #take(running: RunningCommand, nodePool: string): string | undefined {
    if (running.reserved > 0) {
      running.reserved -= 1;
      return undefined;
    }
    const { why } = this.#guard.judge([{ nodePool }]);
    return why === undefined ? undefined : holdReason(why);
  }

  /** The pods that it is launched for. After a restart only the nodes are known that they are on. */
  #podsOf({ planned, record }: RunningCommand, body: ClaimBody): readonly Stored<Pod>[] {
    const { cluster } = this.#context;
    if (planned !== undefined) {
      const keys = planned.replacements[record.replacements.indexOf(body)]?.pods ?? [];
      return keys.flatMap((key) => this.#podNamed(key) ?? []);
    }
    return record.candidates.flatMap(({ claim }) => {
      const node = cluster.nodeOfClaim(claim);
      return node === undefined ? [] : cluster.podsOn(node);
    });
  }

  #podNamed(key: string): Stored<Pod> | undefined {
    const [namespace = '', name = ''] = key.split('/');
    return this.#context.stores.pods.store.get({ namespace, name });
  }
}

// ---------------------------------------------------------------------------------------------------

function failed(why: string, blamesPool = true): Launch {
  return { outcome: 'failed', why, blamesPool };
}
