/**
 * No disruption in circles: once the workload and the faults have ended, few nodes are disrupted that were launched
 * since then. Each launch may be followed by one more consolidation, but not by an endless row of them. The nodes of a rollout
 * replace drifted ones each by itself: that they are consolidated afterwards is no circle. A NodePool or node class that the
 * workload edits in the middle of a launch may be edited late: then nodes count that were launched after that.
 */
import type { ObservedObject } from '../../server-state/kube-state.ts';
import type { Check, MakeCheck, View } from '../check.ts';
import { coresOf } from '../limits.ts';

export const noDisruptionInCircles: MakeCheck = (view): Check => {
  /** By shape: the commands that marked such nodes, and when (monotonic). */
  const marked = new Map<string, ReadonlyMap<string, number>>();
  let lastEditMs = 0;
  return {
    name: 'no disruption in circles',
    onKube({ kind, object, before }) {
      if (kind !== 'pools' && kind !== 'classes') return;
      if (object.metadata.generation !== before?.metadata.generation)
        lastEditMs = view.servers.world.clock.monotonic();
    },
    onMark({ uid, pool, reason, command }) {
      if (view.phase === 'story' || !isNew(view, uid, lastEditMs)) return;
      const claim = view.kube.byUid('claims', uid);
      if (reason !== 'Drifted' && isOfRollout(claim)) return;
      const shape = `${pool} with ${claim === undefined ? 0 : coresOf(view, claim)} cores`;
      const nowMs = view.servers.world.clock.monotonic();
      const lately = new Map(
        [...(marked.get(shape) ?? [])].filter(([, atMs]) => nowMs - atMs < PERIOD_MS),
      ).set(command?.id ?? uid, nowMs);
      marked.set(shape, lately);
      if (lately.size > MAX_OF_A_SHAPE)
        view.violated(
          this.name,
          `${lately.size} times nodes of pool ${shape} were launched and marked again (${reason}) within half an hour since nothing else happens`,
        );
    },
  };
};

// ---------------------------------------------------------------------------------------------------

/** A consolidation that does not hold is tried again after 10, 20, 40 minutes. */
const PERIOD_MS = 30 * 60_000;
const MAX_OF_A_SHAPE = 3;

function isOfRollout(claim: ObservedObject | undefined): boolean {
  return claim?.metadata.annotations?.['chandler.sh/replacement-for']?.startsWith('drifted-') === true;
}

function isNew({ kube, servers, calmSinceMs = 0 }: View, uid: string, lastEditMs: number): boolean {
  const { clock } = servers.world;
  const createdMs = Date.parse(kube.byUid('claims', uid)?.metadata.creationTimestamp ?? '');
  return createdMs > clock.now() - clock.monotonic() + Math.max(calmSinceMs, lastEditMs);
}
