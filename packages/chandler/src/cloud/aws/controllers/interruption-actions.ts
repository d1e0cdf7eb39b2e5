/**
 * What is done about an interruption: events, offerings that become unavailable, and the end of the claim. Every action may be
 * repeated: a claim that is being deleted is not deleted again, and one that is gone needs nothing. A claim is deleted at once,
 * also one of a spot instance with two minutes left: its node is then marked for deletion, and the pods on it are planned.
 */
import { isApiError, isProgramError, type KubeClient, keyOfObject, type Log, NODES } from '@chandler/kube';
import {
  AwsLabel,
  ChandlerAnnotation,
  KarpenterAnnotation,
  KarpenterLabel,
  KubernetesLabel,
  NODE_CLAIMS,
  writeAnnotations,
} from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';
import {
  decideInterruption,
  type Interruption,
  type InterruptionDecision,
  instanceIdOf,
  type OwnedInstance,
} from '../interruption/index.ts';
import type { Unavailable } from '../launch/index.ts';

export interface InterruptionActionsInput {
  readonly context: Pick<CloudControllerContext, 'world' | 'client' | 'events' | 'stores' | 'disrupted'>;
  /** What becomes unavailable (`markUnavailable`). */
  readonly mark: (things: readonly Unavailable[]) => void;
  /** Of the options: whether an instance is replaced when EC2 only recommends it. */
  readonly replaceOnRebalance: () => boolean;
}

/** The claims of one moment. */
export interface Owners {
  claimOf(instanceId: string): StoredClaim | undefined;
  /** Whether a claim of this cloud has no instance yet: one of unknown instances may be its own. */
  readonly launching: boolean;
}

export interface ActionScope {
  readonly signal: AbortSignal;
  readonly log: Log;
}

export class InterruptionActions {
  readonly #input: InterruptionActionsInput;

  constructor(input: InterruptionActionsInput) {
    this.#input = input;
  }

  owners(): Owners {
    const { claims, nodeClasses } = this.#input.context.stores;
    const byInstance = new Map<string, StoredClaim>();
    let launching = false;
    for (const claim of claims.store.values()) {
      const { group, kind } = claim.spec.nodeClassRef;
      if (!nodeClasses.has(`${group}/${kind}`)) continue;
      const id = instanceIdOf(claim.status?.providerID);
      if (id !== undefined) byInstance.set(id, claim);
      else launching ||= claim.metadata.deletionTimestamp === undefined;
    }
    return { claimOf: (id) => byInstance.get(id), launching };
  }

  /**
   * For every instance that is ours.
   * @returns the claims it was about.
   * @throws when one of the actions failed; the others are done all the same.
   */
  async carryOut(
    interruption: Interruption,
    owners: Owners,
    scope: ActionScope,
  ): Promise<readonly StoredClaim[]> {
    const decisions = decideInterruption(interruption, {
      ownerOf: (id) => ownedInstance(owners.claimOf(id)),
      replaceOnRebalance: this.#input.replaceOnRebalance(),
    });
    const errors: unknown[] = [];
    const about: StoredClaim[] = [];
    for (const decision of decisions) {
      const claim = owners.claimOf(decision.instanceId)!;
      about.push(claim);
      try {
        await this.#act(claim, interruption, decision, scope);
      } catch (error) {
        scope.signal.throwIfAborted();
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors.find(isProgramError) ?? errors[0];
    return about;
  }

  async #act(
    claim: StoredClaim,
    interruption: Interruption,
    { action, event, unavailable, instanceId }: InterruptionDecision,
    { signal, log }: ActionScope,
  ): Promise<void> {
    const { context, mark } = this.#input;
    const client = context.client.withSignal(signal);
    this.#publish(claim, event.reason, event.message);
    mark(unavailable);
    const said = { nodeclaim: claim.metadata.name, instance: instanceId, kind: interruption.kind };
    if (action === 'replace') {
      if (await this.#recommend(client, claim)) log.info('nodeclaim is replaced on recommendation', said);
      return;
    }
    if (action === 'none') return;
    if (await this.#delete(client, claim)) {
      log.info('nodeclaim is interrupted; draining its node', { ...said, action });
      context.disrupted(claim, interruption.kind);
      this.#publish(claim, TERMINATING, 'An interruption ends this node: it is drained and terminated.');
    }
    if (action === 'terminate') await this.#endDrain(client, claim);
  }

  /** Whether the claim has been deleted now. */
  async #delete(client: KubeClient, claim: StoredClaim): Promise<boolean> {
    if (claim.metadata.deletionTimestamp !== undefined) return false;
    try {
      await client.delete(NODE_CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
      return true;
    } catch (error) {
      if (isApiError(error, 'notFound', 'conflict')) return false;
      throw error;
    }
  }

  /** After the deletion: a claim that lives on must not keep a deadline in the past. */
  async #endDrain(client: KubeClient, claim: StoredClaim): Promise<void> {
    const { clock } = this.#input.context.world;
    const deleted = await client.find(NODE_CLAIMS, keyOfObject(claim));
    if (deleted?.metadata.uid !== claim.metadata.uid || deleted.metadata.deletionTimestamp === undefined)
      return;
    const name = KarpenterAnnotation.terminationTimestamp;
    const known = Date.parse(deleted.metadata.annotations?.[name] ?? '');
    if (known <= clock.now()) return;
    await writeAnnotations(client, NODE_CLAIMS, deleted, { [name]: timeText(clock.now()) });
  }

  /** Drift sees the annotation (`drift/`), and disruption replaces the node. Whether it has been written now. */
  async #recommend(client: KubeClient, claim: StoredClaim): Promise<boolean> {
    const name = ChandlerAnnotation.rebalanceRecommendedAt;
    if (claim.metadata.deletionTimestamp !== undefined || claim.metadata.annotations?.[name] !== undefined)
      return false;
    const at = timeText(this.#input.context.world.clock.now());
    try {
      await writeAnnotations(client, NODE_CLAIMS, claim, { [name]: at });
      return true;
    } catch (error) {
      if (isApiError(error, 'notFound')) return false;
      throw error;
    }
  }

  /** On the claim, and on its node. */
  #publish(claim: StoredClaim, reason: string, message: string): void {
    const { events, stores } = this.#input.context;
    const node = stores.nodeOf(claim.status?.providerID ?? '');
    const type = reason === SPOT_REBALANCE ? 'Normal' : 'Warning';
    events.publish({ resource: NODE_CLAIMS, object: claim, type, reason, message });
    if (node !== undefined) events.publish({ resource: NODES, object: node, type, reason, message });
  }
}

// ---------------------------------------------------------------------------------------------------------------

const TERMINATING = 'TerminatingOnInterruption';
const SPOT_REBALANCE = 'SpotRebalanceRecommendation';

function ownedInstance(claim: StoredClaim | undefined): OwnedInstance | undefined {
  if (claim === undefined) return undefined;
  const { name, labels = {} } = claim.metadata;
  return {
    claim: name,
    instanceType: labels[KubernetesLabel.instanceType],
    zone: labels[KubernetesLabel.zone],
    capacityType: labels[KarpenterLabel.capacityType] as OwnedInstance['capacityType'],
    reservationId: labels[AwsLabel.capacityReservationId],
  };
}

function timeText(atMs: number): string {
  return new Date(atMs).toISOString().replace(/\.\d+Z$/, 'Z');
}
