/**
 * VMs and claims: at most one VM per claim, no Azure resource without a claim, no launched claim without its
 * VM.
 */
import type { AzurePart } from '../server-state/azure-state.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Check, couldNotBootstrap, isTrue, type MakeCheck, type View } from './check.ts';

/**
 * Never two VMs at a time, and no second VM once one has started. A VM that failed and was deleted may be replaced, and so
 * may one that was deleted outside Chandler before its claim was updated.
 */
export const oneVmPerClaim: MakeCheck = (view) => {
  /** Started VMs, by UID of their claim. */
  const up = new Map<string, string>();
  /** Names of VMs that Chandler deleted. */
  const deleted = new Set<string>();
  return {
    name: 'one VM per NodeClaim',
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
        view.violated(
          this.name,
          `VM ${name} ${vmId} was created for claim ${claimUid}, which already had ${first}`,
        );
      if (thing.up) up.set(claimUid, first ?? vmId);
      const live = view.azure.list('vm').filter((vm) => vm.claimUid === claimUid);
      if (live.length > 1)
        view.violated(this.name, `claim ${claimUid} has the VMs ${live.map((vm) => vm.name).join(' and ')}`);
    },
  };
};

/** A minimum age of five minutes, the collection intervals, and a leader election in between. */
export const GARBAGE_BOUND_MS = 16 * 60_000;

export const noLeakedResources: MakeCheck = (view) => {
  const since = new Map<string, number>();
  const orphans = () => view.azure.list().filter((thing) => isOrphan(view, thing));
  return {
    name: 'no leaked resources',
    periodically() {
      watchOver(view, since, orphans().map(nameOf), GARBAGE_BOUND_MS, (name) =>
        view.violated(this.name, `${name} has no claim`),
      );
    },
    atRest() {
      for (const thing of orphans()) view.violated(this.name, `${nameOf(thing)} has no claim at the end`);
    },
  };
};

export const noClaimWithoutVm: MakeCheck = (view): Check => {
  const since = new Map<string, number>();
  const withoutVm = () =>
    view.kube
      .list('claims')
      .filter((claim) => isTrue(claim, 'Launched') && view.azure.vmOf(claim.metadata.uid!) === undefined)
      .filter((claim) => !isHeldUp(view, claim) && !couldNotBootstrap(claim));
  return {
    name: 'no NodeClaim without a VM',
    periodically() {
      const names = withoutVm().map(({ metadata }) => metadata.name!);
      watchOver(view, since, names, GARBAGE_BOUND_MS, (name) =>
        view.violated(this.name, `claim ${name} is Launched and has no VM`),
      );
    },
    atRest() {
      for (const { metadata } of withoutVm())
        view.violated(this.name, `claim ${metadata.name} is Launched and has no VM at the end`);
    },
  };
};

// ---------------------------------------------------------------------------------------------------

function isOrphan({ kube }: View, thing: AzurePart): boolean {
  return thing.claimUid !== undefined && kube.byUid('claims', thing.claimUid) === undefined;
}

/** A claim that is being deleted may wait for its pods. */
function isHeldUp(view: View, claim: ObservedObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined && view.phase === 'story';
}

function nameOf({ part, name }: AzurePart): string {
  return `${part} ${name}`;
}

/** Reports names that are present for longer than the bound; time before the faults ended does not count. */
function watchOver(
  view: View,
  since: Map<string, number>,
  names: readonly string[],
  boundMs: number,
  report: (name: string) => void,
): void {
  const nowMs = view.servers.world.clock.monotonic();
  const now = new Set(names);
  for (const name of since.keys()) if (!now.has(name)) since.delete(name);
  for (const name of now) {
    const first = since.get(name) ?? nowMs;
    since.set(name, first);
    if (view.calmSinceMs !== undefined && nowMs - Math.max(first, view.calmSinceMs) > boundMs) report(name);
  }
}
