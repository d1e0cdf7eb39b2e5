/** The security groups that the selector of a node class leads to. An instance gets all of them. */
import type { Clock } from '@chandler/kube';
import type { EC2NodeClassStatus, SecurityGroupSelectorTerm } from '../../../api/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { keyOf, Lookups } from './lookups.ts';
import { securityGroupFilters } from './selector-queries.ts';

export interface SecurityGroup {
  readonly id: string;
  readonly name: string;
  readonly vpcId: string | undefined;
  readonly tagKeys: readonly string[];
}

export interface SecurityGroupsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'describeSecurityGroups'>;
}

export class SecurityGroups {
  readonly #ec2: SecurityGroupsOptions['ec2'];
  readonly #lookups: Lookups<readonly SecurityGroup[]>;

  constructor({ clock, ec2 }: SecurityGroupsOptions) {
    this.#ec2 = ec2;
    this.#lookups = new Lookups({ clock, ttlMs: () => TTL_MS });
  }

  /** Those of all terms, each once, by id. @throws {AwsError} */
  list(terms: readonly SecurityGroupSelectorTerm[], signal: AbortSignal): Promise<readonly SecurityGroup[]> {
    return this.#lookups.get(keyOf(terms), (shared) => this.#read(terms, shared), signal);
  }

  async #read(
    terms: readonly SecurityGroupSelectorTerm[],
    signal: AbortSignal,
  ): Promise<readonly SecurityGroup[]> {
    const found = new Map<string, SecurityGroup>();
    for (const Filters of securityGroupFilters(terms)) {
      const input = { Filters, MaxResults: PAGE };
      const { describeSecurityGroups } = this.#ec2;
      const page = await allPages(describeSecurityGroups, input, ({ SecurityGroups: all }) => all, {
        signal,
      });
      for (const { GroupId: id, GroupName, VpcId, Tags } of page) {
        if (id === undefined) continue;
        const tagKeys = (Tags ?? []).flatMap(({ Key }) => Key ?? []);
        found.set(id, { id, name: GroupName ?? '', vpcId: VpcId, tagKeys });
      }
    }
    return [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
  }
}

/** As `status.securityGroups` lists them. */
export function securityGroupsStatus(
  groups: readonly SecurityGroup[],
): NonNullable<EC2NodeClassStatus['securityGroups']> {
  return groups.map(({ id, name }) => ({ id, ...(name === '' ? {} : { name }) }));
}

// ---------------------------------------------------------------------------------------------------

const TTL_MS = 60_000;
const PAGE = 500;
