/** Plays a story: step by step, on the World's clock, telling each step before it is done. */
import type { World } from '@chandler/kube';
import { perform, type Stagehands } from './acts.ts';
import { missing } from './checks.ts';
import type { Check, Step, Story } from './story.ts';

export interface PlayOptions extends Stagehands {
  readonly world: Pick<World, 'clock'>;
  readonly signal: AbortSignal;
  /** A step begins. */
  readonly tell: (told: Told) => void;
}

export interface Told {
  /** From 1. */
  readonly step: number;
  readonly steps: number;
  readonly text: string;
}

/** `stopped`: by the signal. `failed`: what a step waited for did not come; `why` says how it was instead. */
export type StoryEnd =
  | { readonly end: 'told' }
  | { readonly end: 'stopped' }
  | { readonly end: 'failed'; readonly step: string; readonly why: string };

export async function play(story: Story, options: PlayOptions): Promise<StoryEnd> {
  const { signal, tell, world } = options;
  for (const [index, step] of story.steps.entries()) {
    tell({ step: index + 1, steps: story.steps.length, text: step.say });
    try {
      for (const act of step.acts ?? []) await perform(act, options);
      if (step.waitMs !== undefined) await world.clock.sleep(step.waitMs, signal);
      const why = await awaited(step, options);
      if (why !== undefined) return { end: 'failed', step: step.say, why };
    } catch (error) {
      if (signal.aborted) return { end: 'stopped' };
      return { end: 'failed', step: step.say, why: error instanceof Error ? error.message : String(error) };
    }
  }
  return { end: 'told' };
}

// ---------------------------------------------------------------------------------------------------

const USUAL_LIMIT_MS = 10 * 60_000;
const LOOK_EVERY_MS = 1_000;

/** Undefined: it came. */
async function awaited(step: Step, options: PlayOptions): Promise<string | undefined> {
  const { clock } = options.world;
  const endMs = clock.monotonic() + (step.withinMs ?? USUAL_LIMIT_MS);
  for (;;) {
    options.signal.throwIfAborted();
    const why = await firstMissing(step.until ?? [], options);
    if (why === undefined || clock.monotonic() >= endMs) return why;
    await clock.sleep(LOOK_EVERY_MS, options.signal);
  }
}

async function firstMissing(checks: readonly Check[], hands: Stagehands): Promise<string | undefined> {
  for (const check of checks) {
    const why = await missing(check, hands);
    if (why !== undefined) return why;
  }
  return undefined;
}
