/** Work in pieces, with turns for everything else in between: planning takes seconds in a large cluster. */
import { turnsOf } from '@chandler/kube';
import type { Steps } from '../scheduling/index.ts';
import type { ReconcileScope } from './context.ts';

export async function inTurns<T>({ world, signal }: ReconcileScope, steps: Steps<T>): Promise<T> {
  const turns = turnsOf(world.clock);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    const turn = turns.pass();
    if (turn === undefined) continue;
    await turn;
    signal.throwIfAborted();
  }
}
