/** The input of a pass that comes after others: with the commands that they gave. */
import type { Command } from './command.ts';
import type { DisruptionInput } from './model.ts';

export interface PlanInput extends DisruptionInput {
  /**
   * Commands that were given and whose nodes are still in `scheduling`: they count as done, so that further commands hold
   * together with them. Their nodes have the key in `command`. Default: none.
   */
  readonly commands?: readonly Command[];
}
