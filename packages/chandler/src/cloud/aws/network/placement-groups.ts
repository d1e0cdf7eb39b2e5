/**
 * The placement group that the selector of a node class leads to. Launches and instance types use the last one that was
 * read, also while EC2 does not answer: a group does not become another one.
 */
import type { Clock } from '@chandler/kube';
import type { PlacementGroup } from '../instance-types/index.ts';
import type { Ec2Calls } from '../wire/index.ts';
import { keyOf, Lookups } from './lookups.ts';
import { namesNothing, type PlacementGroupSelector, placementGroupQuery } from './selector-queries.ts';

export type PlacementGroupAnswer =
  | { readonly group: PlacementGroup }
  /** It cannot be used; a sentence for people. */
  | { readonly unusable: string }
  | 'missing';

export interface PlacementGroupsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'describePlacementGroups'>;
}

export class PlacementGroups {
  readonly #ec2: PlacementGroupsOptions['ec2'];
  readonly #answers: Lookups<PlacementGroupAnswer>;
  readonly #last: Lookups<PlacementGroup>;

  constructor({ clock, ec2 }: PlacementGroupsOptions) {
    this.#ec2 = ec2;
    this.#answers = new Lookups({ clock, ttlMs: () => TTL_MS });
    this.#last = new Lookups({ clock, ttlMs: () => LAST_TTL_MS });
  }

  /** @throws {AwsError} */
  find(selector: PlacementGroupSelector, signal: AbortSignal): Promise<PlacementGroupAnswer> {
    const key = keyOf(selector);
    return this.#answers.get(key, (shared) => this.#read(key, selector, shared), signal);
  }

  /** What was found last, without a call; nothing for a class without a selector, or whose group was not found. */
  known(selector: PlacementGroupSelector | undefined): PlacementGroup | undefined {
    return selector === undefined ? undefined : this.#last.peek(keyOf(selector));
  }

  async #read(
    key: string,
    selector: PlacementGroupSelector,
    signal: AbortSignal,
  ): Promise<PlacementGroupAnswer> {
    const answer = await this.#ask(selector, signal);
    if (answer !== 'missing' && 'group' in answer) this.#last.put(key, answer.group);
    else this.#last.forget(key);
    return answer;
  }

  /** EC2 answers a query by name or id with an error when there is none. */
  async #ask(selector: PlacementGroupSelector, signal: AbortSignal): Promise<PlacementGroupAnswer> {
    try {
      const { PlacementGroups: found } = await this.#ec2.describePlacementGroups(
        placementGroupQuery(selector),
        { signal },
      );
      const [first] = found ?? [];
      return first === undefined ? 'missing' : readGroup(first);
    } catch (thrown) {
      signal.throwIfAborted();
      if (namesNothing(thrown)) return 'missing';
      throw thrown;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

const TTL_MS = 60_000;
const LAST_TTL_MS = 24 * 3_600_000;

const STRATEGIES = ['cluster', 'partition', 'spread'] as const;

interface Described {
  readonly GroupId?: string | undefined;
  readonly State?: string | undefined;
  readonly Strategy?: string | undefined;
  readonly PartitionCount?: number | undefined;
}

function readGroup({ GroupId: id, State, Strategy, PartitionCount }: Described): PlacementGroupAnswer {
  const strategy = STRATEGIES.find((each) => each === Strategy);
  if (id === undefined || State === 'deleted') return 'missing';
  if (State === 'deleting') return { unusable: `the placement group ${id} is being deleted` };
  if (strategy === undefined)
    return { unusable: `the strategy "${Strategy ?? ''}" of the placement group ${id} is not known here` };
  return {
    group: { id, strategy, ...(PartitionCount === undefined ? {} : { partitionCount: PartitionCount }) },
  };
}
