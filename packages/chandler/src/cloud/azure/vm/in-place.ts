/**
 * What of a running VM is changed without replacing it: tags and identities. The hash is upstream's, to the
 * digit, so that a way back is open; but a hash that somebody else wrote is not believed. Then the VM itself is
 * read and only what differs is patched, so that taking over a cluster changes nothing. Tags of other people
 * stay; identities are added and never removed.
 */
import type { VirtualMachine, VirtualMachineUpdate } from '@azure/arm-compute';
import { AzureAnnotation, CHANDLER_DOMAIN, goJson, type NodeClaim } from '../../../api/index.ts';
import { sameResource } from '../../../arm/index.ts';

import { readTag, type Tags } from './tags.ts';

export interface InPlaceGoal {
  /** Resource ids of user-assigned identities. */
  readonly identities: readonly string[];
  readonly tags: Tags;
}

/** Our mark beside upstream's hash: that we wrote it, and which tags we put on. */
export const IN_PLACE_MARK: string = `${CHANDLER_DOMAIN}/in-place-update`;

export interface InPlaceMark {
  readonly hash: string;
  readonly tags: readonly string[];
}

/** FNV-1a with 32 bits over Go's JSON, in decimal. */
export function inPlaceHash(goal: InPlaceGoal): string {
  const identities = Object.fromEntries(goal.identities.map((id) => [id, {}]));
  const text = goJson({
    ...(goal.identities.length === 0 ? {} : { identities }),
    ...(Object.keys(goal.tags).length === 0 ? {} : { tags: goal.tags }),
  });
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return String(hash >>> 0);
}

/** Both annotations for a VM that is as the goal says. */
export function inPlaceAnnotations(goal: InPlaceGoal): Readonly<Record<string, string>> {
  const hash = inPlaceHash(goal);
  const mark: InPlaceMark = { hash, tags: Object.keys(goal.tags).sort() };
  return { [AzureAnnotation.inPlaceUpdateHash]: hash, [IN_PLACE_MARK]: JSON.stringify(mark) };
}

/** Whether the claim says, in our own hand, that nothing has to be done. */
export function isInPlace(claim: Pick<NodeClaim, 'metadata'>, goal: InPlaceGoal): boolean {
  const hash = inPlaceHash(goal);
  const annotations = claim.metadata.annotations ?? {};
  return annotations[AzureAnnotation.inPlaceUpdateHash] === hash && readMark(claim)?.hash === hash;
}

export interface InPlacePatch {
  /** All tags after the change: ARM replaces the whole set. Absent when tags are right. */
  readonly tags?: Tags;
  readonly update: VirtualMachineUpdate;
}

/** What has to change on the VM; undefined when it is as it should be. */
export function inPlacePatch(
  goal: InPlaceGoal,
  actual: Pick<VirtualMachine, 'tags' | 'identity'>,
  mark: InPlaceMark | undefined,
): InPlacePatch | undefined {
  const tags = tagsAfter(goal.tags, actual.tags ?? {}, mark?.tags ?? []);
  const has = Object.keys(actual.identity?.userAssignedIdentities ?? {});
  const missing = goal.identities.filter((id) => !has.some((each) => sameResource(each, id)));
  if (tags === undefined && missing.length === 0) return undefined;
  return {
    ...(tags === undefined ? {} : { tags }),
    update: {
      ...(tags === undefined ? {} : { tags: { ...tags } }),
      ...(missing.length === 0 ? {} : { identity: identityWith(actual, missing) }),
    },
  };
}

export function readMark(claim: Pick<NodeClaim, 'metadata'>): InPlaceMark | undefined {
  const text = claim.metadata.annotations?.[IN_PLACE_MARK];
  if (text === undefined) return undefined;
  try {
    const mark = JSON.parse(text) as Partial<InPlaceMark>;
    const readable = typeof mark.hash === 'string' && Array.isArray(mark.tags);
    return readable ? { hash: mark.hash!, tags: mark.tags!.map(String) } : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Undefined when nothing differs. Tags that we set once and no longer want are removed; tags of others (a policy, a user)
 * stay.
 */
export function tagsAfter(goal: Tags, actual: Tags, ours: readonly string[]): Tags | undefined {
  const wanted = new Set(Object.keys(goal).map((name) => name.toLowerCase()));
  const dropped = new Set(ours.map((name) => name.toLowerCase()).filter((name) => !wanted.has(name)));
  const stays = Object.entries(actual).filter(
    ([name]) => !wanted.has(name.toLowerCase()) && !dropped.has(name.toLowerCase()),
  );
  const differs =
    Object.entries(goal).some(([name, value]) => readTag(actual, name) !== value) ||
    Object.keys(actual).some((name) => dropped.has(name.toLowerCase()));
  return differs ? Object.fromEntries([...stays, ...Object.entries(goal)]) : undefined;
}

/** The names of tags that one set has and the other has not, or with another value; in order. */
export function differingTags(wanted: Tags, actual: Tags): readonly string[] {
  const differs = (a: Tags, b: Tags) => Object.keys(a).filter((name) => readTag(b, name) !== a[name]);
  const names = new Map(
    [...differs(actual, wanted), ...differs(wanted, actual)].map((n) => [n.toLowerCase(), n]),
  );
  return [...names.values()].sort();
}

// ---------------------------------------------------------------------------------------------------

/** A PATCH names only what is added; a system-assigned identity beside it stays. */
function identityWith(actual: Pick<VirtualMachine, 'identity'>, missing: readonly string[]) {
  const system = actual.identity?.type?.includes('SystemAssigned') === true;
  return {
    type: system ? ('SystemAssigned, UserAssigned' as const) : ('UserAssigned' as const),
    userAssignedIdentities: Object.fromEntries(missing.map((id) => [id, {}])),
  };
}
