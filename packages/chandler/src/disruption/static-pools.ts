/**
 * Replacements in static NodePools: one for one, from the template, while limits.nodes leaves room. Where a replacement
 * cannot be launched first, the gate terminate-first allows to delete the node first; the pool fills itself again.
 */
import { conditionOf, isQuantity, parseQuantity } from '@chandler/kube';
import type { ResourceList } from '../api/index.ts';
import type { PoolObject } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';
import type { CommandParts, Replacement, TerminateFirstReason } from './command.ts';
import type { MethodName } from './methods.table.ts';
import type { Pass } from './pass.ts';
import type { Rejection } from './rejection.ts';

/** What may be done with the nodes of one static NodePool; it counts the replacements that it allows. */
export class StaticReplacements {
  readonly #pass: Pass;
  readonly #nodePool: string;
  readonly #nodes: number;
  readonly #replicas: number;
  readonly #limit: number;
  /** Nodes and replacements. */
  #claims: number;
  #hadRoom = false;
  readonly #terminateFirst: boolean;
  readonly #reservations: ReturnType<Pass['prices']['templateReservations']>;
  readonly #refills: boolean;
  readonly #held: string | undefined;

  /** @param terminateFirst whether the gate of the method is on. */
  constructor(pass: Pass, nodePool: string, candidate: JudgedNode, terminateFirst: boolean) {
    const pool = candidate.pool!;
    const claims = pass.nodes.filter(
      ({ nodePool: own, node }) => own === nodePool && node.claim !== undefined,
    );
    this.#pass = pass;
    this.#nodePool = nodePool;
    this.#nodes = claims.filter(({ node }) => !node.deleting).length;
    this.#replicas = pool.spec.replicas ?? 0;
    this.#limit = nodeLimitOf(pool.spec.limits);
    this.#claims = claims.length + pass.launchedIn(nodePool);
    this.#terminateFirst = terminateFirst;
    this.#reservations = pass.prices.templateReservations(nodePool, pool.spec.template.spec.requirements);
    // A pool that is not ready or is being deleted launches nothing.
    const ready = conditionOf(pool as { status?: object }, 'Ready')?.status === 'True';
    this.#refills = ready && pool.metadata.deletionTimestamp === undefined;
    this.#held = pass.options.heldPools?.get(nodePool) ?? heldBy(pool);
  }

  /** Of the candidate: what is launched, or that it is deleted first, or why neither is possible. */
  next(candidate: JudgedNode): Pick<CommandParts, 'replacements' | 'terminateFirst'> | Rejection {
    const nodes = this.#claims;
    if (this.#nodes > this.#replicas)
      return { code: 'StaticScaling', nodes: this.#nodes, replicas: this.#replicas };
    if (this.#terminateFirst && this.#reservations.full) {
      const frees = this.#holdsSlot(candidate) && this.#refills;
      return frees ? this.#first('no-reserved-capacity') : { code: 'StaticReservationsFull' };
    }
    if (nodes >= this.#limit) {
      const rejection: Rejection = { code: 'StaticNodeLimit', nodes, limit: this.#limit };
      // With some room, those that fit are replaced, and the others wait.
      const first = this.#terminateFirst && this.#refills && !this.#hadRoom;
      return first ? this.#first('static-at-limit') : rejection;
    }
    if (this.#held !== undefined) return { code: 'LaunchesHeld', why: this.#held };
    this.#hadRoom = true;
    this.#claims++;
    return { replacements: [this.#replacement(candidate)] };
  }

  /** With full reservations those that free a slot come first: no other can be replaced. */
  inOrder(candidates: readonly JudgedNode[]): readonly JudgedNode[] {
    if (!this.#terminateFirst || !this.#reservations.full) return candidates;
    const holds = (node: JudgedNode) => this.#holdsSlot(node);
    return [...candidates.filter(holds), ...candidates.filter((node) => !holds(node))];
  }

  /** A node that is deleted first gets no successor while launches are held. */
  #first(terminateFirst: TerminateFirstReason): Pick<CommandParts, 'terminateFirst'> | Rejection {
    return this.#held === undefined ? { terminateFirst } : { code: 'LaunchesHeld', why: this.#held };
  }

  #holdsSlot({ capacityType, node }: JudgedNode): boolean {
    const id = node.labels[this.#pass.reservationLabel ?? ''];
    return capacityType === 'reserved' && id !== undefined && this.#reservations.offered.has(id);
  }

  /** The same template; an unknown price counts as 0. */
  #replacement({ pool }: JudgedNode): Replacement {
    const { requirements } = pool!.spec.template.spec;
    const options = this.#pass.prices.templateOptions(this.#nodePool, requirements);
    const cheapest = options[0]?.cheapest ?? { instanceType: '', price: 0, zone: null, capacityType: null };
    const instanceTypes = options.map(({ type }) => type.name);
    return { nodePool: this.#nodePool, requirements, instanceTypes, cheapest, pods: [] };
  }
}

/** A command for one node of a static NodePool, or its rejection. */
export function replaceStatic(
  pass: Pass,
  pool: StaticReplacements,
  method: MethodName,
  candidate: JudgedNode,
  more: Partial<CommandParts> = {},
): void {
  // An unhealthy node does not wait until launches for other reasons succeed.
  const held = method === 'repair' ? undefined : pass.held([candidate]);
  const next = held ?? pool.next(candidate);
  if ('code' in next) pass.reject(candidate, method, next);
  else pass.give({ method, candidates: [candidate], ...next, ...more });
}

// ---------------------------------------------------------------------------------------------------

function nodeLimitOf(limits: ResourceList | undefined): number {
  const limit = limits?.['nodes'];
  if (limit === undefined) return Number.POSITIVE_INFINITY;
  // The pattern of the CRD accepts more than quantities; such a pool launches nothing.
  return isQuantity(limit) ? parseQuantity(limit).toNumber() : 0;
}

/** Why a pool launches nothing, by itself. Without a condition it is not known yet. */
function heldBy({ metadata, ...pool }: PoolObject): string | undefined {
  if (metadata.deletionTimestamp !== undefined) return `NodePool ${metadata.name} is being deleted`;
  const ready = conditionOf(pool as { status?: object }, 'Ready');
  return ready === undefined || ready.status === 'True'
    ? undefined
    : `NodePool ${metadata.name} is not Ready: ${ready.message ?? 'unknown'}`;
}
