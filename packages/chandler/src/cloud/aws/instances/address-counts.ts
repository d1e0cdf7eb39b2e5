/** Keeps the counts of free addresses fresh, as launches ask for them. Without an answer a launch goes on with what is known. */
import type { Clock, Log } from '@chandler/kube';
import { rethrowProgramError } from '@chandler/kube';

import { asCloudError } from '../errors/index.ts';
import { ADDRESS_COUNT_TTL_MS, type ObservedSubnet, SubnetAddresses } from '../launch/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { SharedCalls } from './shared-calls.ts';

export class AddressCounts {
  readonly addresses = new SubnetAddresses();
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #calls: SharedCalls<ObservedSubnet>;
  /** When a count of each subnet was asked for last. */
  readonly #askedMs = new Map<string, number>();

  constructor(options: { clock: Clock; log: Log; ec2: Pick<Ec2Calls, 'describeSubnets'> }) {
    this.#clock = options.clock;
    this.#log = options.log;
    this.#calls = new SharedCalls({
      maxItems: MAX_FILTER_VALUES,
      call: async (ids, signal) => {
        const subnets = await allPages(
          options.ec2.describeSubnets,
          { Filters: [{ Name: 'subnet-id', Values: [...ids] }] },
          (page) => page.Subnets,
          { signal },
        );
        this.addresses.observe(subnets, this.#clock.monotonic());
        return new Map(subnets.map((subnet) => [subnet.SubnetId ?? '', subnet]));
      },
    });
  }

  /** Reads the counts that are too old to choose by. */
  async refresh(subnetIds: readonly string[], signal: AbortSignal): Promise<void> {
    const nowMs = this.#clock.monotonic();
    const due = subnetIds.filter(
      (id) => nowMs - (this.#askedMs.get(id) ?? -Infinity) >= ADDRESS_COUNT_TTL_MS,
    );
    if (due.length === 0) return;
    for (const id of due) this.#askedMs.set(id, nowMs);
    this.#forgetOld(nowMs);
    try {
      await Promise.all(due.map((id) => this.#calls.ask(id, signal)));
    } catch (error) {
      for (const id of due) this.#askedMs.delete(id);
      signal.throwIfAborted();
      rethrowProgramError(error);
      this.#log.warn('failed to read free addresses of subnets; choosing by what is known', {
        error: asCloudError(error).message,
      });
    }
  }

  /** Somebody else has read subnets. */
  observe(subnets: readonly { readonly id: string; readonly freeAddresses: number }[]): void {
    const nowMs = this.#clock.monotonic();
    this.addresses.observe(
      subnets.map(({ id, freeAddresses }) => ({ SubnetId: id, AvailableIpAddressCount: freeAddresses })),
      nowMs,
    );
    for (const { id } of subnets) this.#askedMs.set(id, nowMs);
  }

  #forgetOld(nowMs: number): void {
    for (const [id, atMs] of this.#askedMs)
      if (nowMs - atMs >= 2 * ADDRESS_COUNT_TTL_MS) this.#askedMs.delete(id);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_FILTER_VALUES = 200;
