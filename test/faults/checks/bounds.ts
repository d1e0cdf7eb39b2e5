/**
 * Nothing grows without bound: queues, timers, metric series, events about one object, log lines. And no
 * process writes to one object in a loop, as a controller does that is triggered by its own writes.
 */
import { type Check, isLeaseOrEvent, isWrite, type MakeCheck } from './check.ts';

const MAX_QUEUE_DEPTH = 500;
const MAX_TIMERS = 1_500;
const MAX_SERIES = 3_000;
/** The event recorder of a process allows a burst of 25, and one more every five minutes. */
const MAX_EVENTS_PER_OBJECT_AND_PROCESS = 35;
const MAX_LINES_PER_MINUTE = 4_000;
const MAX_WRITES_PER_OBJECT_AND_MINUTE = 100;
/** Five controllers write the status of a NodePool. While its watch is late they conflict, each with its own pauses. */
const MAX_CONFLICTS_PER_OBJECT_AND_MINUTE = 100;

export const boundedResources: MakeCheck = (view): Check => {
  const { world } = view.servers;
  const counts = new Map<string, Set<string>>();
  const processes = new Set<string>();
  let lines = 0;
  let atMs = 0;
  return {
    name: 'bounded resources',
    onSend({ process }) {
      processes.add(process);
    },
    onKube({ kind, type, object }) {
      if (kind !== 'events' || type !== 'ADDED') return;
      const source = object as unknown as {
        source?: { component?: string };
        involvedObject?: { uid?: string; name?: string };
      };
      if (source.source?.component !== 'karpenter') return;
      const about = `${source.involvedObject?.name} ${source.involvedObject?.uid}`;
      const events = counts.get(about) ?? new Set();
      events.add(object.metadata.uid!);
      counts.set(about, events);
      if (events.size > MAX_EVENTS_PER_OBJECT_AND_PROCESS * processes.size)
        view.violated(this.name, `there are ${events.size} events about ${about}`);
    },
    periodically() {
      const { pendingTimers } = world.clock;
      if (pendingTimers > MAX_TIMERS) view.violated(this.name, `there are ${pendingTimers} pending timers`);
      const { metrics } = world;
      if (metrics.size > MAX_SERIES) view.violated(this.name, `there are ${metrics.size} metric series`);
      for (const [queue, depth] of metrics.series('workqueue_depth'))
        if (depth > MAX_QUEUE_DEPTH) view.violated(this.name, `the queue ${queue} has ${depth} entries`);
      const nowMs = world.clock.monotonic();
      if (nowMs - atMs < 60_000) return;
      const more = world.lines.length - lines;
      if (more > MAX_LINES_PER_MINUTE) view.violated(this.name, `${more} lines were logged in one minute`);
      lines = world.lines.length;
      atMs = nowMs;
    },
  };
};

export const noWriteLoops: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  const writes = new Map<string, number>();
  const conflicts = new Map<string, number>();
  let sinceMs = 0;
  return {
    name: 'no write loops',
    onAnswer({ method, path, process }, status) {
      const key = `${process} ${method} ${path}`;
      const count = writes.get(key);
      if (status !== 409 || count === undefined) return;
      // It wrote nothing, so it cannot trigger itself; that it pauses is checked apart.
      writes.set(key, count - 1);
      const conflicting = (conflicts.get(key) ?? 0) + 1;
      conflicts.set(key, conflicting);
      if (conflicting === MAX_CONFLICTS_PER_OBJECT_AND_MINUTE)
        view.violated(this.name, `a request conflicted ${conflicting} times in one minute: ${key}`);
    },
    onSend(traffic) {
      const { server, method, path, process } = traffic;
      if (server !== 'kube' || !isWrite(traffic) || isLeaseOrEvent(traffic) || path.endsWith('/eviction'))
        return;
      if (clock.monotonic() - sinceMs > 60_000) {
        writes.clear();
        conflicts.clear();
        sinceMs = clock.monotonic();
      }
      const key = `${process} ${method} ${path}`;
      const count = (writes.get(key) ?? 0) + 1;
      writes.set(key, count);
      if (count === MAX_WRITES_PER_OBJECT_AND_MINUTE)
        view.violated(this.name, `a request was sent ${count} times in one minute: ${key}`);
    },
  };
};
