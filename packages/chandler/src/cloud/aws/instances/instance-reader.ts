/**
 * Reads instances from EC2. Ids and tokens are asked for with filters: so one that EC2's lists do not show yet is missing in
 * the answer, and does not fail the others. Many questions become few calls.
 */
import type { Instance as Ec2Instance, Filter } from '@aws-sdk/client-ec2';
import { AwsLabel, KarpenterLabel } from '../../../api/index.ts';

import { asCloudError } from '../errors/index.ts';
import { CLUSTER_NAME_TAG, LAUNCH_TOKEN_TAG } from '../launch/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { describedFacts, type InstanceFacts, launchTokenOf } from './instance-facts.ts';
import { type BatchObserver, SharedCalls } from './shared-calls.ts';

export interface InstanceReaderOptions {
  readonly ec2: Pick<Ec2Calls, 'describeInstances'>;
  readonly clusterName: () => string;
  /** Of calls for single instances. */
  readonly observed?: BatchObserver;
}

export class InstanceReader {
  readonly #options: InstanceReaderOptions;
  readonly #byId: SharedCalls<InstanceFacts>;
  readonly #byToken: SharedCalls<readonly InstanceFacts[]>;

  constructor(options: InstanceReaderOptions) {
    this.#options = options;
    const { observed } = options;
    this.#byId = new SharedCalls({
      ...(observed === undefined ? {} : { observed }),
      maxItems: MAX_FILTER_VALUES,
      call: async (ids, signal) => {
        const found = await this.#describe([{ Name: 'instance-id', Values: [...ids] }], signal);
        return new Map(found.map((facts) => [facts.id, facts]));
      },
    });
    this.#byToken = new SharedCalls<readonly InstanceFacts[]>({
      maxItems: MAX_FILTER_VALUES,
      call: async (tokens, signal) => {
        const found = await this.#describe(
          [{ Name: `tag:${LAUNCH_TOKEN_TAG}`, Values: [...tokens] }],
          signal,
        );
        const grouped = Map.groupBy(found, (facts) => launchTokenOf(facts) ?? '');
        return new Map(
          [...grouped].map(([token, all]): [string, readonly InstanceFacts[]] => [token, all.sort(byId)]),
        );
      },
    });
  }

  /** In whatever state; undefined while EC2's lists do not show it, and about an hour after its end. */
  get(id: string, signal: AbortSignal): Promise<InstanceFacts | undefined> {
    return this.#byId.ask(id, signal);
  }

  /** All that one CreateFleet launched, in whatever state, by id. */
  async ofToken(token: string, signal: AbortSignal): Promise<readonly InstanceFacts[]> {
    return (await this.#byToken.ask(token, signal)) ?? [];
  }

  /** All instances of the cluster that are not terminated, by id. */
  async list(signal: AbortSignal): Promise<readonly InstanceFacts[]> {
    const found = await this.#describe(
      [
        { Name: 'tag-key', Values: [KarpenterLabel.nodePool] },
        { Name: 'tag-key', Values: [AwsLabel.nodeClass] },
        { Name: `tag:${CLUSTER_NAME_TAG}`, Values: [this.#options.clusterName()] },
        { Name: 'instance-state-name', Values: [...LISTED_STATES] },
      ],
      signal,
    );
    return found.sort(byId);
  }

  async #describe(Filters: Filter[], signal: AbortSignal): Promise<InstanceFacts[]> {
    try {
      const reservations = await allPages(
        this.#options.ec2.describeInstances,
        { Filters, MaxResults: PAGE_SIZE },
        (page) => page.Reservations,
        { signal },
      );
      const instances = reservations.flatMap(({ Instances }): readonly Ec2Instance[] => Instances ?? []);
      return instances.flatMap((instance) => describedFacts(instance) ?? []);
    } catch (error) {
      signal.throwIfAborted();
      throw asCloudError(error);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** EC2's limit for the values of one filter. */
const MAX_FILTER_VALUES = 200;
const PAGE_SIZE = 1_000;

const LISTED_STATES = ['pending', 'running', 'stopping', 'stopped', 'shutting-down'] as const;

function byId(a: InstanceFacts, b: InstanceFacts): number {
  return a.id < b.id ? -1 : 1;
}
