/**
 * Tags of instances that are only known when their node has a name: `Name`, and the NodeClaim; and the name of the cluster, which
 * instances of older versions lack. Tags that somebody has set stay. At most one CreateTags per second, because EC2 counts it
 * together with launches; none in a zone that is shifted away.
 */
import {
  Controller,
  isApiError,
  itemBackoff,
  RecentMap,
  type Result,
  storeSource,
  TokenBucket,
} from '@chandler/kube';
import { AwsAnnotation, AwsLabel, NODE_CLAIMS, writeAnnotations } from '../../../api/index.ts';
import type { CloudControllerContext, StoredClaim } from '../../index.ts';
import { asCloudError, isNotFound } from '../errors/index.ts';
import { instanceIdOf } from '../interruption/index.ts';
import { CLUSTER_NAME_TAG, NODE_CLAIM_TAG, tagList } from '../launch/index.ts';
import { SHIFTED_RETRY_MS, type ZonalShiftReader } from '../offerings/index.ts';
import type { Ec2Calls } from '../wire/index.ts';

export interface TaggingInput {
  readonly context: Pick<CloudControllerContext, 'world' | 'client' | 'stores'>;
  readonly ec2: Pick<Ec2Calls, 'createTags' | 'describeInstances'>;
  readonly clusterName: () => string;
  readonly zonalShift: ZonalShiftReader;
}

export function tagging(input: TaggingInput): Controller {
  const { world, stores } = input.context;
  const pass = new TaggingPass(input);
  return new Controller({
    name: 'nodeclaim.tagging',
    world,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(stores.claims, { filter: ({ type, object }) => type !== 'deleted' && isTaggable(object) }),
    ],
    reconcile: (name, { signal }) => pass.reconcile(name, signal),
  });
}

/** EC2 may not show an instance yet that it has just launched. */
const NOT_LISTED_MS = 5_000;
const MAX_CLAIMS = 20_000;

class TaggingPass {
  readonly #input: TaggingInput;
  readonly #bucket: TokenBucket;
  /** When the claim has its turn (monotonic). */
  readonly #turns = new RecentMap<number>(MAX_CLAIMS);

  constructor(input: TaggingInput) {
    this.#input = input;
    this.#bucket = new TokenBucket(input.context.world.clock, { perSecond: 1, burst: 1 });
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { context } = this.#input;
    const claim = context.stores.claims.store.get({ name });
    const id = instanceIdOf(claim?.status?.providerID);
    if (claim === undefined || id === undefined || !isTaggable(claim)) {
      this.#turns.delete(name);
      return {};
    }
    if (this.#input.zonalShift.isShifted(claim.metadata.labels?.[AwsLabel.zoneId] ?? ''))
      return { requeueAfterMs: SHIFTED_RETRY_MS };
    const waitMs = this.#untilTurn(name);
    if (waitMs > 0) return { requeueAfterMs: waitMs };
    this.#turns.delete(name);
    if (!(await this.#tag(claim, id, signal))) return { requeueAfterMs: NOT_LISTED_MS };
    try {
      await writeAnnotations(context.client.withSignal(signal), NODE_CLAIMS, claim, TAGGED);
    } catch (error) {
      if (!isApiError(error, 'notFound')) throw error;
    }
    return {};
  }

  #untilTurn(name: string): number {
    const nowMs = this.#input.context.world.clock.monotonic();
    const known = this.#turns.get(name);
    if (known !== undefined) return known - nowMs;
    const atMs = nowMs + this.#bucket.reserveMs();
    this.#turns.set(name, atMs);
    return atMs - nowMs;
  }

  /** False while EC2 does not list the instance. */
  async #tag(claim: StoredClaim, id: string, signal: AbortSignal): Promise<boolean> {
    const { ec2, clusterName } = this.#input;
    try {
      const { Reservations: reservations = [] } = await ec2.describeInstances(
        { Filters: [{ Name: 'instance-id', Values: [id] }] },
        { signal },
      );
      const instance = reservations.flatMap(({ Instances }) => Instances ?? [])[0];
      if (instance === undefined) return false;
      const present = new Set((instance.Tags ?? []).map(({ Key }) => Key));
      const wanted = {
        Name: claim.status?.nodeName ?? '',
        [NODE_CLAIM_TAG]: claim.metadata.name,
        [CLUSTER_NAME_TAG]: clusterName(),
      };
      const missing = Object.fromEntries(Object.entries(wanted).filter(([key]) => !present.has(key)));
      if (Object.keys(missing).length > 0)
        await ec2.createTags({ Resources: [id], Tags: tagList(missing) }, { signal });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      if (isNotFound(error)) return false;
      throw asCloudError(error);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

const TAGGED = { [AwsAnnotation.tagged]: 'true', [AwsAnnotation.clusterNameTagged]: 'true' };

function isTaggable({ metadata, status }: StoredClaim): boolean {
  const isTagged = Object.keys(TAGGED).every((key) => metadata.annotations?.[key] === 'true');
  return !isTagged && (status?.nodeName ?? '') !== '' && metadata.deletionTimestamp === undefined;
}
