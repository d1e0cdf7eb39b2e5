/**
 * The work on the main thread of a page per frame, from a trace of the browser: the time of tasks of the main thread between two
 * beginnings of frames, and how many frames there were.
 */
import type { Browser, Page } from 'playwright-core';

export interface FrameWork {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly maxMs: number;
  /** The same by time of the processor: what else runs on the machine does not count. */
  readonly cpuP95Ms: number;
  readonly perSecond: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
  /** Of the processor. */
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

export async function frameWork(browser: Browser, page: Page, seconds: number): Promise<FrameWork> {
  await browser.startTracing(page, {
    categories: ['devtools.timeline', 'disabled-by-default-devtools.timeline', 'toplevel'],
  });
  await page.waitForTimeout(seconds * 1000);
  const trace = JSON.parse((await browser.stopTracing()).toString('utf8')) as { traceEvents: TraceEvent[] };
  return measured(trace.traceEvents);
}

/** Frames are those that the page itself was drawn in (`FireAnimationFrame`); between them nothing is drawn. */
function measured(events: readonly TraceEvent[]): FrameWork {
  const frames = events.filter(({ name }) => name === 'FireAnimationFrame').sort((a, b) => a.ts - b.ts);
  if (frames.length < 2) throw new Error(`the trace has ${frames.length} frames`);
  const { pid, tid } = frames[0]!;
  const tasks = events.filter(
    (event) => event.name === 'RunTask' && event.ph === 'X' && event.pid === pid && event.tid === tid,
  );
  const sums = new Array<number>(frames.length).fill(0);
  const cpu = new Array<number>(frames.length).fill(0);
  let at = 0;
  for (const { ts, dur = 0, tdur = 0 } of tasks.sort((a, b) => a.ts - b.ts)) {
    // Work belongs to the next frame: what is done before it is drawn delays it.
    while (at < frames.length - 1 && frames[at]!.ts + (frames[at]!.dur ?? 0) < ts) at++;
    sums[at]! += dur / 1000;
    cpu[at]! += tdur / 1000;
  }
  const seconds = (frames.at(-1)!.ts - frames[0]!.ts) / 1e6;
  return {
    p50Ms: partOf(sums, 0.5),
    p95Ms: partOf(sums, 0.95),
    maxMs: partOf(sums, 1),
    cpuP95Ms: partOf(cpu, 0.95),
    perSecond: (frames.length - 1) / seconds,
  };
}

function partOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
