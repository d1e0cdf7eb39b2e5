/**
 * Nothing grows without end: queues, timers, series of metrics, events about one object, lines of the log. And nobody writes
 * to one object over and over: whoever is woken by what it wrote itself never rests.
 */
import { type Check, isBesides, isWrite, type MakeCheck } from './check.ts';

const QUEUE_LIMIT = 500;
const TIMER_LIMIT = 1_500;
const SERIES_LIMIT = 3_000;
/** The recorder of a process lets 25 through at once, and one more every five minutes. */
const EVENTS_OF_AN_OBJECT_AND_PROCESS = 35;
const LINES_A_MINUTE = 4_000;
const WRITES_TO_AN_OBJECT_A_MINUTE = 100;

export const nothingGrowsWithoutEnd: MakeCheck = (view): Check => {
  const { world } = view.servers;
  const counts = new Map<string, Set<string>>();
  const processes = new Set<string>();
  let lines = 0;
  let atMs = 0;
  return {
    name: 'nothing grows without end',
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
      if (events.size > EVENTS_OF_AN_OBJECT_AND_PROCESS * processes.size)
        view.violated(this.name, `${events.size} events about ${about}`);
    },
    sometimes() {
      const { pendingTimers } = world.clock;
      if (pendingTimers > TIMER_LIMIT) view.violated(this.name, `${pendingTimers} timers`);
      const { metrics } = world;
      if (metrics.size > SERIES_LIMIT) view.violated(this.name, `${metrics.size} series of metrics`);
      for (const [queue, depth] of metrics.series('workqueue_depth'))
        if (depth > QUEUE_LIMIT) view.violated(this.name, `the queue ${queue} has ${depth} entries`);
      const nowMs = world.clock.monotonic();
      if (nowMs - atMs < 60_000) return;
      const more = world.lines.length - lines;
      if (more > LINES_A_MINUTE) view.violated(this.name, `${more} lines were logged in a minute`);
      lines = world.lines.length;
      atMs = nowMs;
    },
  };
};

export const nobodyWritesOverAndOver: MakeCheck = (view): Check => {
  const { clock } = view.servers.world;
  const writes = new Map<string, number>();
  let sinceMs = 0;
  return {
    name: 'nobody writes over and over',
    onSend(traffic) {
      const { server, method, path, process } = traffic;
      if (server !== 'kube' || !isWrite(traffic) || isBesides(traffic) || path.endsWith('/eviction')) return;
      if (clock.monotonic() - sinceMs > 60_000) {
        writes.clear();
        sinceMs = clock.monotonic();
      }
      const key = `${process} ${method} ${path}`;
      const count = (writes.get(key) ?? 0) + 1;
      writes.set(key, count);
      if (count === WRITES_TO_AN_OBJECT_A_MINUTE) view.violated(this.name, `${count} times a minute: ${key}`);
    },
  };
};
