/** Machines and claims: one for each, ever; nothing left without a claim; no claim left without its machine. */
import type { AzurePart } from '../truth/azure-truth.ts';
import type { TruthObject } from '../truth/kube-truth.ts';
import { type Check, couldNotBootstrap, isTrue, type MakeCheck, type View } from './check.ts';

/**
 * Never two at a time; and once one has come up, never another. One that failed and went may be followed by another, and so
 * may one that somebody else took away before anybody had written down that it was there.
 */
export const oneMachinePerClaim: MakeCheck = (view) => {
  /** Machines that came up, by the UID of their claim. */
  const up = new Map<string, string>();
  /** Names of machines that we deleted. */
  const deleted = new Set<string>();
  return {
    name: 'one machine per claim, ever',
    onArrival({ server, method, path }) {
      if (server !== 'arm' || method !== 'DELETE') return undefined;
      const [, name] = /\/virtualMachines\/([^/]+)$/i.exec(path) ?? [];
      if (name !== undefined) deleted.add(name);
      return undefined;
    },
    onAzure({ type, thing }) {
      const { claimUid, part, vmId = '', name } = thing;
      if (part !== 'vm' || claimUid === undefined) return;
      if (type === 'gone') {
        const claim = view.kube.byUid('claims', claimUid);
        if (claim !== undefined && !isTrue(claim, 'Launched') && !deleted.has(name)) up.delete(claimUid);
        return;
      }
      const first = up.get(claimUid);
      if (first !== undefined && first !== vmId)
        view.violated(this.name, `${name} ${vmId} was made for ${claimUid}, which has had ${first}`);
      if (thing.up) up.set(claimUid, first ?? vmId);
      const live = view.azure.list('vm').filter((vm) => vm.claimUid === claimUid);
      if (live.length > 1)
        view.violated(this.name, `${claimUid} has ${live.map((vm) => vm.name).join(' and ')}`);
    },
  };
};

/** Five minutes of age, two looks of two minutes, or one of five; and a leader that was elected in between. */
export const GARBAGE_BOUND_MS = 16 * 60_000;

export const nothingLeaks: MakeCheck = (view) => {
  const since = new Map<string, number>();
  const orphans = () => view.azure.list().filter((thing) => isOrphan(view, thing));
  return {
    name: 'nothing leaks',
    sometimes() {
      watchOver(view, since, orphans().map(nameOf), GARBAGE_BOUND_MS, (name) =>
        view.violated(this.name, `${name} has no claim`),
      );
    },
    atRest() {
      for (const thing of orphans()) view.violated(this.name, `${nameOf(thing)} has no claim at the end`);
    },
  };
};

export const noClaimWithoutMachine: MakeCheck = (view): Check => {
  const since = new Map<string, number>();
  const forsaken = () =>
    view.kube
      .list('claims')
      .filter((claim) => isTrue(claim, 'Launched') && view.azure.vmOf(claim.metadata.uid!) === undefined)
      .filter((claim) => !isHeldUp(view, claim) && !couldNotBootstrap(claim));
  return {
    name: 'no claim without a machine',
    sometimes() {
      const names = forsaken().map(({ metadata }) => metadata.name!);
      watchOver(view, since, names, GARBAGE_BOUND_MS, (name) =>
        view.violated(this.name, `${name} is Launched and has no machine`),
      );
    },
    atRest() {
      for (const { metadata } of forsaken())
        view.violated(this.name, `${metadata.name} is Launched and has no machine at the end`);
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function isOrphan({ kube }: View, thing: AzurePart): boolean {
  return thing.claimUid !== undefined && kube.byUid('claims', thing.claimUid) === undefined;
}

/** A claim that goes waits for its pods, as long as they may stay. */
function isHeldUp(view: View, claim: TruthObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined && view.phase === 'story';
}

function nameOf({ part, name }: AzurePart): string {
  return `${part} ${name}`;
}

/** Tells what has been so for longer than it may, the trouble apart: while there is trouble no time counts. */
function watchOver(
  view: View,
  since: Map<string, number>,
  names: readonly string[],
  boundMs: number,
  tell: (name: string) => void,
): void {
  const nowMs = view.servers.world.clock.monotonic();
  const now = new Set(names);
  for (const name of since.keys()) if (!now.has(name)) since.delete(name);
  for (const name of now) {
    const first = since.get(name) ?? nowMs;
    since.set(name, first);
    if (view.calmSinceMs !== undefined && nowMs - Math.max(first, view.calmSinceMs) > boundMs) tell(name);
  }
}
