/**
 * When a pod of a node was last added, ended or began to terminate. Written to the claim at most every ten seconds;
 * consolidation waits from this time. After a restart only real events are written, with the pods' own times;
 * upstream updates every node then.
 */
import {
  Controller,
  feedStore,
  type Pod,
  type Result,
  type Source,
  type StoreChange,
  type Stored,
} from '@chandler/kube';
import { writeStatus } from '../../api/index.ts';
import { conditionOf, isOwnedByDaemonSet, isTerminal, isTerminating } from '../../state/index.ts';

import { type ControllerContext, scopeOf } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';

/** Shorter than the delay before a consolidation, so that none misses an event. */
const MIN_INTERVAL_MS = 10_000;

export function podEvents(context: ControllerContext): Controller {
  const { world, cluster, stores } = context;
  /** By node: the latest event that is not written yet. */
  const latest = new Map<string, number>();
  const isStamped = ({ metadata, spec }: Claim) =>
    metadata.deletionTimestamp === undefined && stores.runs(spec.nodeClassRef);
  return new Controller({
    name: 'nodeclaim.podevents',
    world,
    concurrency: 10,
    sources: [eventSource(context, latest)],
    async reconcile(nodeName, run): Promise<Result> {
      const eventMs = latest.get(nodeName);
      const claim = cluster.nodeNamed(nodeName)?.claim;
      if (eventMs === undefined || claim === undefined || !isStamped(claim)) {
        latest.delete(nodeName);
        return {};
      }
      const known = Date.parse(claim.status?.lastPodEventTime ?? '');
      if (Number.isNaN(known) || eventMs - known >= MIN_INTERVAL_MS) {
        const lastPodEventTime = new Date(eventMs).toISOString().replace(/\.\d+Z$/, 'Z');
        await writeStatus(scopeOf(context, run).client, CLAIMS, claim, undefined, { lastPodEventTime });
      }
      if (latest.get(nodeName) === eventMs) latest.delete(nodeName);
      return {};
    },
  });
}

/** The time of the event in this change; undefined when there is none. */
export function eventTimeOf(change: StoreChange<Pod>, nowMs: number): number | undefined {
  const { object: pod, before, type, initial } = change;
  if (!pod.spec.nodeName || isOwnedByDaemonSet(pod)) return undefined;
  if (initial) return lastKnownEvent(pod);
  const was = before?.spec.nodeName ? before : undefined;
  // A pod that disappears without having been terminating was force-deleted.
  if (type === 'deleted') return isTerminal(pod) || isTerminating(was ?? pod) ? undefined : nowMs;
  const added = was === undefined;
  const ended = isTerminal(pod) && !(was !== undefined && isTerminal(was));
  const goes = isTerminating(pod) && !(was !== undefined && isTerminating(was));
  return added || ended || goes ? nowMs : undefined;
}

// ---------------------------------------------------------------------------------------------------

function lastKnownEvent(pod: Stored<Pod>): number | undefined {
  const scheduled = conditionOf(pod, 'PodScheduled');
  const times = [
    scheduled?.status === 'True' ? Date.parse(scheduled.lastTransitionTime ?? '') : Number.NaN,
    Date.parse(pod.metadata.deletionTimestamp ?? '') - (pod.metadata.deletionGracePeriodSeconds ?? 0) * 1000,
  ].filter((time) => !Number.isNaN(time));
  return times.length === 0 ? undefined : Math.max(...times);
}

function eventSource({ stores, world }: ControllerContext, latest: Map<string, number>): Source {
  const { store } = stores.pods;
  return {
    synced: Promise.all([stores.pods.synced, stores.nodes.synced, stores.claims.synced]),
    start(queue, _log, turns) {
      const feed = (change: StoreChange<Pod>) => {
        const eventMs = eventTimeOf(change, world.clock.now());
        const nodeName = change.object.spec.nodeName ?? '';
        if (eventMs === undefined || eventMs <= (latest.get(nodeName) ?? 0)) return;
        latest.set(nodeName, eventMs);
        queue.add(nodeName);
      };
      return feedStore(store, feed, turns);
    },
  };
}
