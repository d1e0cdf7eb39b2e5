/**
 * Loaded into a process by `node --import`: on SIGUSR2 it writes the longest turn of the event loop since the last signal
 * to the file in BENCH_PROBE_FILE, and starts again.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
process.on('SIGUSR2', () => {
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  const figures = { maxMs: ms(delay.max), p99Ms: ms(delay.percentile(99)) };
  writeFileSync(process.env['BENCH_PROBE_FILE']!, JSON.stringify(figures));
  delay.reset();
});
