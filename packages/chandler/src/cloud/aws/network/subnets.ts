/** The subnets that the selector of a node class leads to, those with the most free addresses first. */
import type { Clock } from '@chandler/kube';
import type { EC2NodeClassStatus, SubnetSelectorTerm } from '../../../api/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { keyOf, Lookups } from './lookups.ts';
import { subnetFilters } from './selector-queries.ts';

export interface Subnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneId: string | undefined;
  readonly vpcId: string | undefined;
  readonly freeAddresses: number;
}

export interface SubnetsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'describeSubnets'>;
  /** The option `subnet-refresh-interval`. */
  readonly refreshIntervalMs: () => number;
  /** Called with every answer of EC2, before it is given to those who asked: the counts of free addresses are fresh then. */
  readonly onRead?: (subnets: readonly Subnet[]) => void;
}

export class Subnets {
  readonly #options: SubnetsOptions;
  readonly #lookups: Lookups<readonly Subnet[]>;

  constructor(options: SubnetsOptions) {
    this.#options = options;
    this.#lookups = new Lookups({ clock: options.clock, ttlMs: options.refreshIntervalMs });
  }

  /** Those of all terms, each once. @throws {AwsError} */
  list(terms: readonly SubnetSelectorTerm[], signal: AbortSignal): Promise<readonly Subnet[]> {
    return this.#lookups.get(keyOf(terms), (shared) => this.#read(terms, shared), signal);
  }

  async #read(terms: readonly SubnetSelectorTerm[], signal: AbortSignal): Promise<readonly Subnet[]> {
    const { ec2, onRead } = this.#options;
    const found = new Map<string, Subnet>();
    for (const Filters of subnetFilters(terms)) {
      const input = { Filters, MaxResults: PAGE };
      const page = await allPages(ec2.describeSubnets, input, ({ Subnets: all }) => all, { signal });
      for (const each of page) {
        const { SubnetId: id, AvailabilityZone: zone } = each;
        if (id === undefined || zone === undefined) continue;
        found.set(id, {
          id,
          zone,
          zoneId: each.AvailabilityZoneId,
          vpcId: each.VpcId,
          freeAddresses: each.AvailableIpAddressCount ?? 0,
        });
      }
    }
    const subnets = [...found.values()].sort(byFreeAddresses);
    onRead?.(subnets);
    return subnets;
  }
}

/** As `status.subnets` lists them. */
export function subnetsStatus(subnets: readonly Subnet[]): NonNullable<EC2NodeClassStatus['subnets']> {
  return subnets.map(({ id, zone, zoneId }) => ({
    id,
    zone,
    ...(zoneId === undefined ? {} : { zoneID: zoneId }),
  }));
}

// ---------------------------------------------------------------------------------------------------

const PAGE = 1000;

function byFreeAddresses(a: Subnet, b: Subnet): number {
  return b.freeAddresses - a.freeAddresses || (a.id < b.id ? -1 : 1);
}
