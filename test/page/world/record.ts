/** A recorded run of a fixture world. */
import type { FixtureServer } from '../fixture-server.ts';

const SECONDS = 20;
const STEPS_PER_SECOND = 10;

/** Twenty seconds of the small world: six pods are pending, a node is launched for them, it registers, and they run. */
export function record(server: FixtureServer, step: () => void): void {
  const { world } = server;
  const lines: unknown[] = [{ recording: 1, program: '1', cluster: 'fixture' }, world.snapshot()];
  for (let seconds = 0; seconds < SECONDS; seconds++) {
    for (let at = 0; at < STEPS_PER_SECOND; at++) step();
    lines.push({ atMs: world.nowMs, changes: world.takeChanges() });
  }
  server.recording = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** The same as a file that is shown without a cluster. */
export function recordFile(server: FixtureServer, step: () => void): void {
  record(server, step);
  server.recordingOf = 'file';
  server.views = ['cluster', 'timeline'];
}
