/**
 * Claims in capacity reservations. When an ordinary reservation ends, its instances run on and are billed on demand: the labels
 * of claim and node follow. When a capacity block ends, EC2 terminates its instances half an hour before: their claims are
 * deleted ten minutes earlier, so that the pods have time to move.
 */
import {
  type Controller,
  isApiError,
  isProgramError,
  itemBackoff,
  type KubeClient,
  type KubeObject,
  keyOfObject,
  NODES,
  type ResourceRef,
  type Result,
  type Stored,
  singleton,
} from '@chandler/kube';
import {
  AwsLabel,
  CapacityType,
  type EC2NodeClass,
  KarpenterLabel,
  NODE_CLAIMS,
} from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';
import { asCloudError, isNotFound } from '../errors/index.ts';
import { instanceIdOf } from '../interruption/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import type { ActionScope } from './interruption-actions.ts';

export interface ReservedClaimsInput {
  readonly context: Pick<CloudControllerContext, 'world' | 'client' | 'events' | 'stores' | 'disrupted'>;
  readonly ec2: Pick<Ec2Calls, 'describeInstances' | 'describeCapacityReservations'>;
}

export const PERIOD_MS = 60_000;
/** Ten minutes before EC2 begins to terminate the instances of a block. */
export const BLOCK_LEAD_MS: number = 40 * 60_000;

export function reservedClaims(input: ReservedClaimsInput): readonly Controller[] {
  const { world } = input.context;
  const every = (name: string, run: (scope: ActionScope) => Promise<void>) =>
    singleton({
      name,
      world,
      everyMs: PERIOD_MS,
      limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
      run: async (scope): Promise<Result> => {
        await run(scope);
        return { requeueAfterMs: PERIOD_MS };
      },
    });
  const ended = new EndedReservations(input);
  const blocks = new EndingBlocks(input);
  return [
    every('capacityreservation.capacitytype', (scope) => ended.run(scope)),
    every('capacityreservation.expiration', (scope) => blocks.run(scope)),
  ];
}

/** A claim becomes one on demand when EC2 has shown its instance without a reservation twice: one answer may lack a field. */
class EndedReservations {
  readonly #input: ReservedClaimsInput;
  #without: ReadonlySet<string> = new Set();

  constructor(input: ReservedClaimsInput) {
    this.#input = input;
  }

  async run({ signal, log }: ActionScope): Promise<void> {
    const { stores } = this.#input.context;
    const client = this.#input.context.client.withSignal(signal);
    const reserved = claimsWhere(stores, isReservedSomewhere(stores));
    const without = new Set(await this.#withoutReservation([...reserved.keys()], signal));
    const before = this.#without;
    this.#without = without;
    await forEach(
      [...without].filter((id) => before.has(id)),
      async (id) => {
        const claim = reserved.get(id)!;
        const node = stores.nodeOf(claim.status?.providerID ?? '');
        const relabelled = await onDemand(client, NODE_CLAIMS, claim);
        if (node !== undefined && isRegisteredNode(node)) await onDemand(client, NODES, node);
        if (relabelled)
          log.info('capacity reservation has ended; nodeclaim is on demand', {
            nodeclaim: claim.metadata.name,
            reservation: claim.metadata.labels?.[AwsLabel.capacityReservationId],
          });
      },
      signal,
    );
  }

  /** Of instances that EC2 lists; nothing is said about others. */
  async #withoutReservation(ids: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const { ec2 } = this.#input;
    const found: string[] = [];
    for (let from = 0; from < ids.length; from += FILTER_VALUES) {
      const Values = ids.slice(from, from + FILTER_VALUES);
      const instances = await allPages(
        ec2.describeInstances,
        { Filters: [{ Name: 'instance-id', Values }], MaxResults: 1000 },
        ({ Reservations }) => Reservations?.flatMap(({ Instances }) => Instances ?? []),
        { signal },
      ).catch(toCloudError(signal));
      for (const { InstanceId, State, CapacityReservationId } of instances) {
        const runs = State?.Name === 'running' || State?.Name === 'pending';
        if (runs && InstanceId !== undefined && (CapacityReservationId ?? '') === '') found.push(InstanceId);
      }
    }
    return found;
  }
}

class EndingBlocks {
  readonly #input: ReservedClaimsInput;

  constructor(input: ReservedClaimsInput) {
    this.#input = input;
  }

  async run({ signal, log }: ActionScope): Promise<void> {
    const { world, stores, client, events, disrupted } = this.#input.context;
    const claims = claimsWhere(
      stores,
      ({ metadata: { labels = {}, deletionTimestamp } }) =>
        deletionTimestamp === undefined && labels[AwsLabel.capacityReservationType] === 'capacity-block',
    );
    const ends = await this.#endsOf([...claims.values()], signal);
    const nowMs = world.clock.now();
    await forEach(
      [...claims.values()],
      async (claim) => {
        const id = claim.metadata.labels?.[AwsLabel.capacityReservationId] ?? '';
        const endMs = ends.get(id);
        if (endMs === undefined || nowMs < endMs - BLOCK_LEAD_MS) return;
        try {
          const preconditions = { uid: claim.metadata.uid };
          await client.withSignal(signal).delete(NODE_CLAIMS, keyOfObject(claim), { preconditions });
        } catch (error) {
          if (isApiError(error, 'notFound', 'conflict')) return;
          throw error;
        }
        const end = new Date(endMs).toISOString();
        log.info('capacity block ends; draining its node', {
          nodeclaim: claim.metadata.name,
          reservation: id,
          end,
        });
        disrupted(claim, 'capacity_block_ending');
        const message = `Capacity block ${id} ends at ${end}; EC2 terminates its instances half an hour before.`;
        events.publish({
          resource: NODE_CLAIMS,
          object: claim,
          type: 'Warning',
          reason: 'CapacityBlockEnding',
          message,
        });
      },
      signal,
    );
  }

  /** As node classes report them; those that no class selects any more are asked for. */
  async #endsOf(claims: readonly StoredClaim[], signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    const { stores } = this.#input.context;
    const ends = new Map<string, number>();
    const wanted = new Set<string>();
    for (const { metadata, spec } of claims) {
      const id = metadata.labels?.[AwsLabel.capacityReservationId];
      if (id === undefined) continue;
      wanted.add(id);
      const nodeClass = stores.nodeClass(spec.nodeClassRef) as EC2NodeClass | undefined;
      for (const { id: known, endTime } of nodeClass?.status?.capacityReservations ?? []) {
        const endMs = Date.parse(endTime ?? '');
        if (!Number.isNaN(endMs)) ends.set(known, endMs);
      }
    }
    for (const id of wanted) {
      const endMs = ends.get(id) ?? (await this.#askEnd(id, signal));
      if (endMs !== undefined) ends.set(id, endMs);
    }
    return ends;
  }

  async #askEnd(id: string, signal: AbortSignal): Promise<number | undefined> {
    const { ec2 } = this.#input;
    try {
      const { CapacityReservations: [found] = [] } = await ec2.describeCapacityReservations(
        { CapacityReservationIds: [id] },
        { signal },
      );
      return found?.EndDate?.getTime();
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) return undefined;
      throw asCloudError(error);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Of one filter, as EC2 allows. */
const FILTER_VALUES = 200;

type Stores = CloudControllerContext['stores'];

function claimsWhere(stores: Stores, holds: (claim: StoredClaim) => boolean): Map<string, StoredClaim> {
  const claims = new Map<string, StoredClaim>();
  for (const claim of stores.claims.store.values()) {
    const id = instanceIdOf(claim.status?.providerID);
    if (id !== undefined && holds(claim)) claims.set(id, claim);
  }
  return claims;
}

/** Also a claim whose node still has the labels: the process may have ended between the two writes. */
function isReservedSomewhere(stores: Stores): (claim: StoredClaim) => boolean {
  return (claim) => {
    if (claim.metadata.deletionTimestamp !== undefined) return false;
    const node = stores.nodeOf(claim.status?.providerID ?? '');
    return isReserved(claim) || (node !== undefined && isReserved(node));
  };
}

function isReserved({ metadata }: KubeObject): boolean {
  return metadata.labels?.[KarpenterLabel.capacityType] === CapacityType.reserved;
}

/** Before it is registered its labels are not those of the claim yet. */
function isRegisteredNode({ metadata }: Stored): boolean {
  return metadata.deletionTimestamp === undefined && metadata.labels?.[KarpenterLabel.registered] === 'true';
}

/** Whether it has been relabelled now. */
async function onDemand<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef<T>,
  object: Stored<T>,
): Promise<boolean> {
  if (!isReserved(object)) return false;
  const labels = {
    [KarpenterLabel.capacityType]: CapacityType.onDemand,
    [AwsLabel.capacityReservationId]: null,
    [AwsLabel.capacityReservationType]: null,
    [AwsLabel.capacityReservationInterruptible]: null,
  };
  const patch = { metadata: { resourceVersion: object.metadata.resourceVersion, labels } };
  try {
    await client.patch(resource, keyOfObject(object), { type: 'merge', patch });
    return true;
  } catch (error) {
    if (isApiError(error, 'notFound')) return false;
    throw error;
  }
}

/** A failure on one does not stop the others. */
async function forEach<T>(
  items: readonly T[],
  act: (item: T) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failures: unknown[] = [];
  for (const item of items) {
    try {
      await act(item);
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures.find(isProgramError) ?? failures[0];
}

function toCloudError(signal: AbortSignal): (error: unknown) => never {
  return (error) => {
    signal.throwIfAborted();
    throw asCloudError(error);
  };
}
