/**
 * One scrape of a controller, read as a stream, and the latency of its probes meanwhile: the cost of hundreds
 * of thousands of series. They are counted and not kept.
 */
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Scrape {
  readonly ms: number;
  readonly bytes: number;
  /** Series by metric. */
  readonly series: ReadonlyMap<string, number>;
  /** Writes to the API server since the start, without leases. */
  readonly writes: number;
  /** The longest response time of the liveness probe. */
  readonly worstProbeMs: number;
}

export async function scrape(ports: { readonly metrics: number; readonly probes: number }): Promise<Scrape> {
  let isOver = false;
  let worstProbeMs = 0;
  const prober = (async () => {
    while (!isOver) {
      const beganMs = performance.now();
      await read(ports.probes, '/healthz', () => undefined);
      worstProbeMs = Math.max(worstProbeMs, performance.now() - beganMs);
      await sleep(PROBE_EVERY_MS);
    }
  })();
  const pieces: Buffer[] = [];
  const beganMs = performance.now();
  await read(ports.metrics, '/metrics', (piece) => pieces.push(piece));
  const ms = performance.now() - beganMs;
  isOver = true;
  await prober;
  return { ms, worstProbeMs, ...counted(Buffer.concat(pieces)) };
}

// ---------------------------------------------------------------------------------------------------

const PROBE_EVERY_MS = 20;
const REQUESTS = 'client_go_request_duration_seconds_count';

/** After the clock has stopped, so that the reader's own work is not counted. */
function counted(page: Buffer): Pick<Scrape, 'bytes' | 'series' | 'writes'> {
  const series = new Map<string, number>();
  let writes = 0;
  let at = 0;
  for (let end = page.indexOf('\n'); end >= 0; at = end + 1, end = page.indexOf('\n', at)) {
    const line = page.toString('latin1', at, end);
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    series.set(name, (series.get(name) ?? 0) + 1);
    if (name === REQUESTS) writes += writesOf(line);
  }
  if (at !== page.length) throw new Error('the response ended in the middle of a line');
  return { bytes: page.length, series, writes };
}

function read(port: number, path: string, onPiece: (piece: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path }, (answer) => {
      answer.on('data', onPiece);
      answer.once('end', () => resolve());
      answer.once('error', reject);
    });
    asked.once('error', reject);
    asked.end();
  });
}

function writesOf(line: string): number {
  if (/verb="(get|list|watch)"/i.test(line) || line.includes('kind="leases"')) return 0;
  return Number(line.split(' ').at(-1));
}
