/**
 * What can be played, as data that can be handed to a thread, and what came of it. The long run and the tests play the same
 * things in the same way.
 */
import type { BadDay } from './bug-story.ts';
import type { TrialResult } from './trial.ts';

export type Play =
  /** A story and a swarm drawn from a seed. */
  | { readonly kind: 'seed'; readonly seed: number }
  /** The small story, with a death at the n-th effect (0: at none), or when such an answer comes. */
  | { readonly kind: 'crash'; readonly effect: number; readonly answer?: RegExp }
  /** The story of the bugs, without one, on such a day. */
  | { readonly kind: 'day'; readonly day: BadDay }
  /** The same with one of the deliberate bugs, by its name. */
  | { readonly kind: 'bug'; readonly bug: string };

export type Outcome = TrialResult;

/** How to see it again. */
export function titleOf(play: Play): string {
  if (play.kind === 'seed') return `node test/faults/run.ts --seed ${play.seed}`;
  if (play.kind === 'crash')
    return play.answer === undefined ? `a death at effect ${play.effect}` : `a death at ${play.answer}`;
  return play.kind === 'bug' ? `node test/faults/bugs.ts '${play.bug}'` : JSON.stringify(play.day);
}

/** What was wrong, a line for each. */
export function complaints(play: Play, { violations }: Pick<Outcome, 'violations'>): readonly string[] {
  return violations.map(
    ({ check, what, atMs }) => `${titleOf(play)}: at ${(atMs / 1000).toFixed(1)} s ${check}: ${what}`,
  );
}
