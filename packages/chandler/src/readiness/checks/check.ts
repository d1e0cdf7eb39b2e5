/**
 * The row of a check. A check is data and one small function from inputs and facts to judgements: it reads no file, no
 * clock and no network, and it never throws about input. To add one, see CONTRIBUTING.md.
 */
import type { Facts } from '../facts/facts.ts';
import type { Inputs } from '../inputs/inputs.ts';
import type { InputKind, Judgement, PhaseNumber, Severity } from '../model/finding.ts';

export interface CheckRow {
  /** `S-16`, `K-07`. */
  readonly id: string;
  /** What holds when it passes. */
  readonly title: string;
  /** All of them are needed; of a list in it, one is enough. Without them the check is skipped. */
  readonly inputs: readonly (InputKind | readonly InputKind[])[];
  /** Kinds of a live cluster that it needs besides those of its inputs: `DaemonSet`, `ConfigMap/aws-auth`. */
  readonly reads?: readonly string[];
  /** When it passes, warns and fails, in one or two sentences. */
  readonly criterion: string;
  readonly severity: Severity;
  readonly phase: PhaseNumber;
  /** What to do about it. */
  readonly fix: string;
  /** A page about it. */
  readonly docs: string;
  /** No judgement: there is nothing that the check is about, and it is skipped. */
  judge(context: CheckContext): readonly Judgement[];
}

export interface CheckContext {
  readonly inputs: Inputs;
  readonly facts: Facts;
  readonly policy: CheckPolicy;
}

export interface CheckPolicy {
  /** Habits that are risky in production fail instead of warning. */
  readonly strict: boolean;
}
