/** VMs and claims: no resource of the cloud without its owner, no launched claim without its VM. */
import type { CloudPart } from '../server-state/cloud-state.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Check, couldNotBootstrap, isTrue, type MakeCheck, type View } from './check.ts';

/** A minimum age of five minutes, the collection intervals, and a leader election in between. */
export const GARBAGE_BOUND_MS = 16 * 60_000;

export const noLeakedResources: MakeCheck = (view) => {
  const since = new Map<string, number>();
  return {
    name: 'no leaked resources',
    periodically() {
      watchOver(view, since, view.cloud.orphans().map(nameOf), GARBAGE_BOUND_MS, (name) =>
        view.violated(this.name, `${name} has no owner`),
      );
    },
    atRest() {
      for (const thing of view.cloud.orphans())
        view.violated(this.name, `${nameOf(thing)} has no owner at the end`);
    },
  };
};

export const noClaimWithoutVm: MakeCheck = (view): Check => {
  const since = new Map<string, number>();
  const withoutVm = () =>
    view.kube
      .list('claims')
      .filter(
        (claim) => isTrue(claim, 'Launched') && view.cloud.instanceOf(claim.metadata.uid!) === undefined,
      )
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

/** A claim that is being deleted may wait for its pods. */
function isHeldUp(view: View, claim: ObservedObject): boolean {
  return claim.metadata.deletionTimestamp !== undefined && view.phase === 'story';
}

function nameOf({ part, name }: CloudPart): string {
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
