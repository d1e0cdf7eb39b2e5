/** Judges inputs, and skips what somebody has accepted in them. */
import type { CheckPolicy, CheckRow } from '../checks/check.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { judge, type Report } from '../judge.ts';
import { applySuppressions } from './apply.ts';
import { collectSuppressions } from './collect.ts';
import type { Suppression } from './suppression.ts';

export interface JudgeRequest {
  readonly checks: readonly CheckRow[];
  readonly policy: CheckPolicy;
  /** The time of the run: suppressions expire. */
  readonly nowMs: number;
  /** Besides those in the inputs. */
  readonly accepted?: readonly Suppression[];
  /** Texts that files would have. */
  readonly texts?: ReadonlyMap<string, string>;
}

export async function judgeAccepted(
  inputs: Inputs,
  { checks, policy, nowMs, accepted = [], texts }: JudgeRequest,
): Promise<Report> {
  const { suppressions, problems } = await collectSuppressions(inputs, texts);
  const judged = judge({ ...inputs, problems: [...inputs.problems, ...problems] }, checks, policy);
  return applySuppressions(judged, [...accepted, ...suppressions], nowMs);
}
