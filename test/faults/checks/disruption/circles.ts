/**
 * No disruption in circles: once the workload and the faults have ended, few nodes are disrupted that were launched
 * since then. Each launch may be followed by one more consolidation, but not by an endless row of them. The nodes of a rollout
 * replace drifted ones each by itself: that they are consolidated afterwards is no circle.
 */
import type { ObservedObject } from '../../server-state/kube-state.ts';
import type { Check, MakeCheck, View } from '../check.ts';
import { coresOf } from '../limits.ts';

export const noDisruptionInCircles: MakeCheck = (view): Check => {
  const counts = new Map<string, number>();
  return {
    name: 'no disruption in circles',
    onMark({ uid, pool, reason }) {
      if (view.phase === 'story' || !isNew(view, uid)) return;
      const claim = view.kube.byUid('claims', uid);
      if (reason !== 'Drifted' && isOfRollout(claim)) return;
      const shape = `${pool} with ${claim === undefined ? 0 : coresOf(view, claim)} cores`;
      const count = (counts.get(shape) ?? 0) + 1;
      counts.set(shape, count);
      if (count > MAX_OF_A_SHAPE)
        view.violated(
          this.name,
          `${count} nodes of pool ${shape} were launched and marked again (${reason}) since nothing else happens`,
        );
    },
  };
};

// ---------------------------------------------------------------------------------------------------

const MAX_OF_A_SHAPE = 3;

function isOfRollout(claim: ObservedObject | undefined): boolean {
  return claim?.metadata.annotations?.['chandler.sh/replacement-for']?.startsWith('drifted-') === true;
}

function isNew({ kube, servers, calmSinceMs = 0 }: View, uid: string): boolean {
  const { clock } = servers.world;
  const createdMs = Date.parse(kube.byUid('claims', uid)?.metadata.creationTimestamp ?? '');
  return createdMs > clock.now() - clock.monotonic() + calmSinceMs;
}
