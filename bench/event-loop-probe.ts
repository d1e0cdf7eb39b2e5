/**
 * Loaded into a process by `node --import`: on SIGUSR2 it writes the longest turns of the event loop since the last signal
 * to the file in BENCH_PROBE_FILE, and starts again. A turn is measured by the clock, and by the CPU time of the thread,
 * which other processes of the machine do not lengthen. The probe itself takes 1.6 % of a core: SIGWINCH stops it, and starts
 * it again. SIGXFSZ does as SIGUSR2, and adds the heap after a collection, with `--expose-gc`.
 */
import { writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 5;

let delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
/** Of the time before the last stop, in nanoseconds. */
let maxBefore = 0;
let last = process.threadCpuUsage();
let maxCpuMs = 0;
let timer: NodeJS.Timeout | undefined;
start();

process.on('SIGUSR2', () => write({}));
process.on('SIGXFSZ', () => write(heap()));
process.on('SIGWINCH', () => (timer === undefined ? start() : stop()));

// ---------------------------------------------------------------------------------------------------

function write(more: object): void {
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  const figures = { maxMs: ms(Math.max(maxBefore, delay.max)), p99Ms: ms(delay.percentile(99)), maxCpuMs };
  writeFileSync(process.env['BENCH_PROBE_FILE']!, JSON.stringify({ ...figures, ...more }));
  delay.reset();
  maxBefore = 0;
  maxCpuMs = 0;
  last = process.threadCpuUsage();
}

function heap(): { readonly heapMb: number } {
  globalThis.gc!();
  globalThis.gc!();
  const { heapUsed, external } = process.memoryUsage();
  return { heapMb: (heapUsed + external) / 1e6 };
}

function start(): void {
  // One that was disabled would count the time since as a turn.
  delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delay.enable();
  last = process.threadCpuUsage();
  timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    maxCpuMs = Math.max(maxCpuMs, (user + system) / 1000);
    last = process.threadCpuUsage();
  }, RESOLUTION_MS).unref();
}

function stop(): void {
  delay.disable();
  maxBefore = Math.max(maxBefore, delay.max);
  clearInterval(timer);
  timer = undefined;
}
