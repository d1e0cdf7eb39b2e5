/** A live source of `chandler check`, beside the files: what it adds to them, and why it gave nothing. */
import type { Inputs } from '../../readiness/index.ts';

export interface LiveSource {
  add(inputs: Inputs): Inputs;
  /** Why nothing of it could be read. Absent: something was, or it was not asked for. */
  readonly unread?: string;
}

export const NOT_ASKED: LiveSource = { add: (inputs) => inputs };
