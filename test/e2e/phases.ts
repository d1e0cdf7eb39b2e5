/**
 * A story in phases: each has a name, a timeout and a condition for its end. They are reported when
 * they start, so that a run that fails names the phase, how long it waited and what it observed last.
 */

export interface Phase<G> {
  readonly name: string;
  readonly limitMs: number;
  /** What is done when the phase starts. */
  readonly act?: (ground: G) => Promise<unknown>;
  /** Undefined when the phase has ended; else what was observed. */
  readonly waitsFor: (ground: G) => Promise<string | undefined>;
}

/** Where a story is played: it knows the time there and how to let it pass. */
export interface Time {
  nowMs(): number;
  pause(): Promise<void>;
  say(line: string): void;
}

export interface PhaseRecord {
  readonly name: string;
  readonly tookMs: number;
  readonly limitMs: number;
}

export class PhaseFailure extends Error {
  readonly phase: string;
  readonly seen: string;

  constructor(at: string, phase: string, limitMs: number, seen: string) {
    super(`${at} "${phase}" was not over after ${seconds(limitMs)}: ${seen}`);
    this.name = 'PhaseFailure';
    this.phase = phase;
    this.seen = seen;
  }
}

/** @throws {PhaseFailure} at the first phase that takes too long. */
export async function play<G extends Time>(
  ground: G,
  phases: readonly Phase<G>[],
): Promise<readonly PhaseRecord[]> {
  const records: PhaseRecord[] = [];
  for (const [index, phase] of phases.entries()) {
    const at = `phase ${index + 1}/${phases.length}`;
    const beganMs = ground.nowMs();
    await phase.act?.(ground);
    const seen = await waitFor(ground, phase, beganMs);
    const tookMs = ground.nowMs() - beganMs;
    if (seen !== undefined) {
      ground.say(`${at} ${phase.name}: FAILED after ${seconds(tookMs)}: ${seen}`);
      throw new PhaseFailure(at, phase.name, phase.limitMs, seen);
    }
    ground.say(`${at} ${phase.name}: after ${seconds(tookMs)} of at most ${seconds(phase.limitMs)}`);
    records.push({ name: phase.name, tookMs, limitMs: phase.limitMs });
  }
  return records;
}

// ---------------------------------------------------------------------------------------------------

async function waitFor<G extends Time>(
  ground: G,
  { limitMs, waitsFor }: Phase<G>,
  beganMs: number,
): Promise<string | undefined> {
  for (;;) {
    const seen = await waitsFor(ground);
    if (seen === undefined || ground.nowMs() - beganMs >= limitMs) return seen;
    await ground.pause();
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
