/**
 * Orphans: VMs, interfaces and disks without a claim. Pure. Whose a part is, the claim's
 * UID decides where there is one; parts of upstream carry none and go by the claim's provider id or name. What is
 * young is left alone: its claim may not have come to us yet.
 */
import type { ListedDisk, ListedNic } from './graph-list.ts';
import { plainNameOf, vmNameOf, vmOfProviderId } from './names.ts';
import { readTag, Tag, type Tags } from './tags.ts';
import type { VmFacts } from './vm-facts.ts';

export interface ClaimRef {
  readonly name: string;
  readonly uid: string;
  readonly providerID?: string;
}

export interface OrphanQuestion {
  readonly vms: readonly VmFacts[];
  readonly nics: readonly ListedNic[];
  readonly disks: readonly ListedDisk[];
  readonly claims: readonly ClaimRef[];
  readonly nowMs: number;
}

export interface Orphan {
  readonly part: 'vm' | 'nic' | 'disk';
  readonly id: string;
  readonly name: string;
  /** Of the claim it was made for, where it says so: who has the name when it is removed may be another. */
  readonly claimUid?: string | undefined;
  /** For the log: why it has no owner. */
  readonly why: string;
}

export const YOUNG_MS = 5 * 60_000;

export function findOrphans(question: OrphanQuestion): readonly Orphan[] {
  const owners = ownersOf(question.claims);
  const vmNames = new Set(question.vms.map((vm) => vm.name.toLowerCase()));
  const old = (createdAtMs: number | undefined) =>
    createdAtMs !== undefined && question.nowMs - createdAtMs >= YOUNG_MS;
  const vms = question.vms
    .filter((vm) => !vm.deleting && old(vm.createdAtMs) && !owners.have(vm.name, vm.tags))
    .map((vm) => orphan('vm', vm));
  // A NIC has no date: its claim comes before it, so that without a claim it is never young.
  const nics = question.nics
    .filter(
      (nic) => nic.attachedTo === undefined && !vmNames.has(nic.name) && !owners.have(nic.name, nic.tags),
    )
    .map((nic) => orphan('nic', nic));
  const disks = question.disks
    .filter((disk) => disk.attachedTo === undefined && !vmNames.has(disk.name) && old(disk.createdAtMs))
    .filter((disk) => readTag(disk.tags, Tag.claimUid) !== undefined && !owners.have(disk.name, disk.tags))
    .map((disk) => orphan('disk', disk));
  return [...vms, ...nics, ...disks];
}

// ---------------------------------------------------------------------------------------------------

function ownersOf(claims: readonly ClaimRef[]) {
  const uids = new Set(claims.map((claim) => claim.uid));
  const names = new Set<string>();
  for (const claim of claims) {
    for (const name of [vmNameOf(claim.name), plainNameOf(claim.name)]) names.add(name.toLowerCase());
    const named = claim.providerID === undefined ? undefined : vmOfProviderId(claim.providerID);
    if (named !== undefined) names.add(named.name.toLowerCase());
  }
  return {
    have(name: string, tags: Tags): boolean {
      const uid = readTag(tags, Tag.claimUid);
      return uid === undefined ? names.has(name.toLowerCase()) : uids.has(uid);
    },
  };
}

function orphan(part: Orphan['part'], thing: { id: string; name: string; tags: Tags }): Orphan {
  const uid = readTag(thing.tags, Tag.claimUid);
  const why = uid === undefined ? 'it has no NodeClaim' : `there is no NodeClaim with UID ${uid}`;
  return { part, id: thing.id, name: thing.name, claimUid: uid, why };
}
