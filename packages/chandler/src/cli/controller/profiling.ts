/** CPU and heap profiles on the metrics port, with --enable-profiling. */
import { Session } from 'node:inspector/promises';
import type { Answer, Clock, Routes } from '@chandler/kube';

const MAX_SECONDS = 120;

/** The developer tools of Chromium open the results as `.cpuprofile` and `.heapprofile` files. */
export function profilingRoutes(clock: Clock): Routes {
  return {
    '/debug/pprof/profile': (url) => cpuProfile(clock, secondsOf(url)),
    '/debug/pprof/heap': (url) => heapProfile(clock, secondsOf(url)),
  };
}

// ---------------------------------------------------------------------------------------------------

function secondsOf(url: URL): number {
  const seconds = Number(url.searchParams.get('seconds') ?? 30);
  return seconds > 0 ? Math.min(seconds, MAX_SECONDS) : 30;
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
