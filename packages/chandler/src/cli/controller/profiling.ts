/** Profiles beside the metrics, where enable-profiling says so: what the CPU does, and what is on the heap. */
import { Session } from 'node:inspector/promises';
import type { Answer, Clock, Routes } from '@chandler/kube';

const LONGEST_SECONDS = 120;

/** `.cpuprofile` and `.heapprofile` are read by the developer tools of Chromium. */
export function profilingRoutes(clock: Clock): Routes {
  return {
    '/debug/pprof/profile': (url) => cpuProfile(clock, secondsOf(url)),
    '/debug/pprof/heap': (url) => heapProfile(clock, secondsOf(url)),
  };
}

// ---------------------------------------------------------------------------------------------------

function secondsOf(url: URL): number {
  const seconds = Number(url.searchParams.get('seconds') ?? 30);
  return seconds > 0 ? Math.min(seconds, LONGEST_SECONDS) : 30;
}

async function cpuProfile(clock: Clock, seconds: number): Promise<Answer> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    await clock.sleep(seconds * 1000);
    const { profile } = await session.post('Profiler.stop');
    return { status: 200, body: JSON.stringify(profile), contentType: 'application/json' };
  } finally {
    session.disconnect();
  }
}

async function heapProfile(clock: Clock, seconds: number): Promise<Answer> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.startSampling');
    await clock.sleep(seconds * 1000);
    const { profile } = await session.post('HeapProfiler.stopSampling');
    return { status: 200, body: JSON.stringify(profile), contentType: 'application/json' };
  } finally {
    session.disconnect();
  }
}
