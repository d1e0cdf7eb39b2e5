/** Nothing grows without end: queues, timers, series of metrics, events about one object, lines of the log. */
import type { Check, MakeCheck } from './check.ts';

const QUEUE_LIMIT = 500;
const TIMER_LIMIT = 1_500;
const SERIES_LIMIT = 3_000;
const EVENTS_OF_AN_OBJECT = 40;
const LINES_A_MINUTE = 4_000;

export const nothingGrowsWithoutEnd: MakeCheck = (view): Check => {
  const { world } = view.servers;
  const counts = new Map<string, Set<string>>();
  let lines = 0;
  let atMs = 0;
  return {
    name: 'nothing grows without end',
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
      if (events.size > EVENTS_OF_AN_OBJECT) view.violated(this.name, `${events.size} events about ${about}`);
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
