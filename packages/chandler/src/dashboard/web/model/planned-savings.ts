/** What the planned moves save, apart from those of nodes of which the controller said otherwise. Pure. */
import type { Move } from '../../wire.ts';

export interface PlannedSavings {
  readonly perHour: number;
  /** Of moves with a node that the controller keeps. */
  readonly deniedPerHour: number;
}

export function plannedSavings(moves: readonly Move[], isKept: (node: string) => boolean): PlannedSavings {
  let [perHour, deniedPerHour] = [0, 0];
  for (const { nodes, savedPerHour } of moves) {
    if (nodes.some(isKept)) deniedPerHour += savedPerHour ?? 0;
    else perHour += savedPerHour ?? 0;
  }
  return { perHour, deniedPerHour };
}
