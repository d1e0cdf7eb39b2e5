/**
 * What to ask EC2 for the selector terms of an EC2NodeClass. Terms are alternatives; the fields of one term hold together,
 * except that an id, and of security groups a name, makes the rest of its term have no effect.
 */
import type {
  CapacityReservationSelectorTerm,
  EC2NodeClassSpec,
  SecurityGroupSelectorTerm,
  SubnetSelectorTerm,
} from '../../../api/index.ts';
import { isNotFound, toAwsError } from '../errors/index.ts';

/** As EC2 takes it. */
export interface Ec2Filter {
  Name: string;
  Values: string[];
}

/** One list of filters for each call. */
export type FilterSets = readonly Ec2Filter[][];

export function subnetFilters(terms: readonly SubnetSelectorTerm[]): FilterSets {
  return [
    ...terms.filter(({ id }) => !hasText(id)).map(({ tags }) => tagFilters(tags)),
    ...collected('subnet-id', terms, ({ id }) => id),
  ];
}

/** Of id, name and tags the first one counts. */
export function securityGroupFilters(terms: readonly SecurityGroupSelectorTerm[]): FilterSets {
  return [
    ...terms.filter(({ id, name }) => !hasText(id) && !hasText(name)).map(({ tags }) => tagFilters(tags)),
    ...collected('group-id', terms, ({ id }) => id),
    ...collected('group-name', terms, ({ id, name }) => (hasText(id) ? undefined : name)),
  ];
}

export interface ReservationQueries {
  /** There is no filter for ids; EC2 refuses a whole list because of one that it does not know. */
  readonly ids: readonly string[];
  readonly filterSets: FilterSets;
}

/** Only active ones: a reservation that is pending or has ended holds no instance. */
export function reservationQueries(terms: readonly CapacityReservationSelectorTerm[]): ReservationQueries {
  const ids = terms.flatMap(({ id }) => (hasText(id) ? [id!] : []));
  const others = terms.filter(({ id }) => !hasText(id));
  return {
    ids: [...new Set(ids)].sort(),
    filterSets: others.map(({ tags, ownerID, instanceMatchCriteria }) => [
      ACTIVE,
      ...(hasText(ownerID) ? [{ Name: 'owner-id', Values: [ownerID!] }] : []),
      ...tagFilters(tags),
      ...(hasText(instanceMatchCriteria)
        ? [{ Name: 'instance-match-criteria', Values: [instanceMatchCriteria!] }]
        : []),
    ]),
  };
}

export const ACTIVE: Ec2Filter = { Name: 'state', Values: ['active'] };

export type PlacementGroupSelector = NonNullable<EC2NodeClassSpec['placementGroupSelector']>;

export function placementGroupQuery({
  id,
  name,
}: PlacementGroupSelector): { GroupIds: string[] } | { GroupNames: string[] } {
  return hasText(id) ? { GroupIds: [id!] } : { GroupNames: [name ?? ''] };
}

/** Terms that select every resource of the account: they have neither id, name nor tags. */
export function unlimitedTerms(
  terms: readonly { readonly id?: string; readonly name?: string; readonly tags?: object }[],
): readonly number[] {
  return terms.flatMap(({ id, name, tags }, index) =>
    hasText(id) || hasText(name) || Object.keys(tags ?? {}).length > 0 ? [] : [index],
  );
}

/** Whether EC2 refuses a call because of an id that it does not know, or that can be none. */
export function namesNothing(thrown: unknown): boolean {
  return isNotFound(thrown) || toAwsError(thrown).code.endsWith('.Malformed');
}

// ---------------------------------------------------------------------------------------------------

function tagFilters(tags: Readonly<Record<string, string>> | undefined): Ec2Filter[] {
  return Object.entries(tags ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) =>
      value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
    );
}

function collected<T>(
  name: string,
  terms: readonly T[],
  textOf: (term: T) => string | undefined,
): readonly Ec2Filter[][] {
  const values = terms.flatMap((term) => (hasText(textOf(term)) ? [textOf(term)!] : []));
  return values.length === 0 ? [] : [[{ Name: name, Values: [...new Set(values)].sort() }]];
}

function hasText(value: string | undefined): boolean {
  return value !== undefined && value !== '';
}
