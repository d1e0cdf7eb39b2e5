/**
 * Which calls can be made as one. Claims with equal requests are launched by one CreateFleet; ids are described and
 * terminated together. Pure: when a batch is closed, the caller's clock decides, by `BATCH_LIMITS`.
 *
 * A merged request has one client token for all its claims. So that a crash does not launch twice, each claim keeps a
 * `LaunchRecord` before the request is sent; `regroup` makes the same groups of them, with the same tokens and sizes, even
 * when some of the claims are launched or deleted by now. A request for one claim needs no record: its token follows from
 * the claim (client-token.ts).
 */
import { clientToken, groupToken } from './client-token.ts';
import type { CreateFleetRequest, CreateFleetResult } from './ec2-shapes.ts';
import { LAUNCH_TOKEN_TAG } from './tags.ts';

/** How long a batch waits for more, how long in all, and how many it holds. */
export const BATCH_LIMITS = {
  createFleet: { idleMs: 35, maxMs: 1_000, maxItems: 1_000 },
  describeInstances: { idleMs: 100, maxMs: 1_000, maxItems: 500 },
  terminateInstances: { idleMs: 100, maxMs: 1_000, maxItems: 500 },
} as const;

export interface PendingLaunch {
  readonly claimUid: string;
  readonly attempt: number;
  /** For one instance, without a token. */
  readonly request: CreateFleetRequest;
}

export interface LaunchGroup {
  readonly token: string;
  /** For all members, with the token. */
  readonly request: CreateFleetRequest;
  readonly members: readonly LaunchMember[];
}

export interface LaunchMember {
  readonly claimUid: string;
  readonly record: LaunchRecord;
}

/** What a claim keeps of its launch: the request it was part of, and its place in it. */
export interface LaunchRecord {
  readonly token: string;
  readonly size: number;
  readonly position: number;
  /** Which attempt of the claim it was: the next one has another number, and so another token. */
  readonly attempt: number;
}

/** Groups in the order of their first launch, members by UID. */
export function groupLaunches(
  launches: readonly PendingLaunch[],
  maxItems: number = BATCH_LIMITS.createFleet.maxItems,
): readonly LaunchGroup[] {
  const equal = Map.groupBy(launches, ({ request }) => JSON.stringify(request));
  return [...equal.values()].flatMap((same) => {
    const sorted = same.toSorted((a, b) => (a.claimUid < b.claimUid ? -1 : 1));
    return chunks(sorted, maxItems).map((members) => {
      const token = groupToken(members.map(({ claimUid, attempt }) => clientToken(claimUid, attempt)));
      const size = members.length;
      return {
        token,
        request: merged(members[0]!.request, token, size),
        members: members.map(({ claimUid, attempt }, position) => ({
          claimUid,
          record: { token, size, position, attempt },
        })),
      };
    });
  });
}

/** The groups of launches whose answer was lost; members that need no instance any more may be missing. */
export function regroup(
  launches: readonly (Omit<PendingLaunch, 'attempt'> & { readonly record: LaunchRecord })[],
): readonly LaunchGroup[] {
  return [...Map.groupBy(launches, ({ record }) => record.token)].map(([token, members]) => {
    const sorted = members.toSorted((a, b) => a.record.position - b.record.position);
    return {
      token,
      request: merged(sorted[0]!.request, token, sorted[0]!.record.size),
      members: sorted.map(({ claimUid, record }) => ({ claimUid, record })),
    };
  });
}

export interface DealtAnswer {
  /** By UID of the claim, each with at most one instance, and with all errors. */
  readonly answers: ReadonlyMap<string, CreateFleetResult>;
  /** Instances that nobody asked for. They are to be terminated. */
  readonly surplus: readonly string[];
}

/** Deals the instances by the order of their ids, so that a repeated answer gives each claim the same one. */
export function dealAnswer(
  { members }: Pick<LaunchGroup, 'members'>,
  result: CreateFleetResult,
): DealtAnswer {
  const { FleetId, Errors = [], Instances = [] } = result;
  const single = Instances.flatMap((instance) =>
    (instance.InstanceIds ?? []).map((id) => ({ id, instance: { ...instance, InstanceIds: [id] } })),
  ).sort((a, b) => (a.id < b.id ? -1 : 1));
  const answers = new Map(
    members.map(({ claimUid, record }): [string, CreateFleetResult] => {
      const own = single[record.position];
      return [claimUid, { FleetId, Errors, Instances: own === undefined ? [] : [own.instance] }];
    }),
  );
  const size = members[0]?.record.size ?? 0;
  return { answers, surplus: single.slice(size).map(({ id }) => id) };
}

/** For an annotation. */
export function launchRecordText({ token, size, position, attempt }: LaunchRecord): string {
  return `${token} ${size} ${position} ${attempt}`;
}

/** Undefined for a text that is no record. */
export function parseLaunchRecord(text: string): LaunchRecord | undefined {
  const [, token, size, position, attempt] =
    /^([\x21-\x7e]{1,64}) ([1-9]\d{0,3}) (\d{1,4}) (\d{1,6})$/.exec(text) ?? [];
  if (token === undefined || Number(position) >= Number(size)) return undefined;
  return { token, size: Number(size), position: Number(position), attempt: Number(attempt) };
}

/** Ids for as few calls as possible, each id once. */
export function groupIds(
  ids: readonly string[],
  maxItems: number = BATCH_LIMITS.describeInstances.maxItems,
): readonly (readonly string[])[] {
  return chunks([...new Set(ids)], maxItems);
}

// ---------------------------------------------------------------------------------------------------------------

function merged(request: CreateFleetRequest, token: string, size: number): CreateFleetRequest {
  return {
    ...request,
    ClientToken: token,
    TargetCapacitySpecification: { ...request.TargetCapacitySpecification, TotalTargetCapacity: size },
    TagSpecifications: request.TagSpecifications.map((specification) => ({
      ...specification,
      Tags: [...specification.Tags, { Key: LAUNCH_TOKEN_TAG, Value: token }],
    })),
  };
}

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
}
