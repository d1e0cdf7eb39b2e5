/** What a check decides, and what a report is made of. `judge.ts` makes findings of judgements; `report/` prints them. */
import type { Place } from './place.ts';

/** Where a value comes from, strongest first: what is live beats the state, the state the plan, the plan the code. */
export const SOURCES = ['live', 'state', 'plan', 'terraform', 'values', 'manifest'] as const;
export type Source = (typeof SOURCES)[number];

/** Kinds of input that a check can need. */
export const INPUT_KINDS = [
  'terraform',
  'plan',
  'state',
  'values',
  'nodeClasses',
  'nodePools',
  'workloads',
  'applications',
  'expectations',
  'git',
  'cloud',
  'cluster',
  'smoke',
] as const;
export type InputKind = (typeof INPUT_KINDS)[number];

/** How each input is given to `chandler check`: the end of "skipped: give it …". */
export const INPUT_HINTS: Readonly<Record<InputKind, string>> = {
  terraform: 'Terraform files (*.tf)',
  plan: 'a plan (terraform show -json PLAN > plan.json)',
  state: 'the state (terraform show -json > state.json, or a .tfstate file)',
  values: 'the Helm values of Karpenter, its Argo CD Application or its Flux HelmRelease',
  nodeClasses: 'manifests of node classes (EC2NodeClass, AKSNodeClass)',
  nodePools: 'NodePool manifests',
  workloads: 'manifests of workloads (Deployments, PodDisruptionBudgets)',
  applications: 'Argo CD Applications',
  expectations: 'a file with expectations (--config FILE)',
  git: 'a folder in a git repository',
  cloud: 'the live account (AWS: --live-aws)',
  cluster: 'the cluster (--live-cluster)',
  smoke: 'a smoke test (--smoke)',
};

export const SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const STATUSES = ['fail', 'error', 'warn', 'skip', 'pass'] as const;
export type Status = (typeof STATUSES)[number];

/** The order in which an installation is done. A phase that fails critically blocks those after it. */
export const PHASES = [
  { number: 1, title: 'Terraform' },
  { number: 2, title: 'Helm values' },
  { number: 3, title: 'Controller' },
  { number: 4, title: 'Node configuration' },
  { number: 5, title: 'Smoke test' },
] as const;
export type PhaseNumber = (typeof PHASES)[number]['number'];

/** A value that a judgement rests on. */
export interface Evidence {
  readonly source: Source;
  /** What was read: `settings.clusterName`, `aws_eks_cluster.this.name`. */
  readonly what: string;
  /** As it was read; undefined where it is absent or unknown, and `note` says which. */
  readonly value?: string;
  readonly note?: string;
  /** The value exists, and the input does not tell it. A judgement that rests on it alone is none. */
  readonly unknown?: true;
  readonly at: Place;
}

/** The verdict of a check about one object, or about the whole. */
export interface Judgement {
  readonly status: Exclude<Status, 'error'>;
  /** `EC2NodeClass/default`; absent for a judgement about the whole. */
  readonly object?: string;
  /** One sentence: what was found. */
  readonly message: string;
  readonly evidence: readonly Evidence[];
  /** For `skip`: which inputs would help. */
  readonly needs?: readonly InputKind[];
  /** What to do, where the fix text of the row can be made precise with the values that were read. */
  readonly fix?: string;
}

export interface Finding extends Omit<Judgement, 'status' | 'fix' | 'needs'> {
  readonly id: string;
  readonly status: Status;
  readonly severity: Severity;
  readonly phase: PhaseNumber;
  readonly title: string;
  readonly fix: string;
  readonly docs: string;
  readonly needs: readonly InputKind[];
  /** Inputs of the check that are missing: one of each list. Absent: all are there. */
  readonly missing?: readonly (readonly InputKind[])[];
  /** Accepted by somebody: the status is `skip`, and this was the verdict. */
  readonly suppressed?: {
    readonly status: 'fail' | 'warn';
    readonly reason: string;
    readonly until: string;
    readonly at: Place;
    readonly kind: 'comment' | 'annotation' | 'config';
  };
  /** A call of the live account has no answer; the message says which. */
  readonly unread?: true;
  /** It is in the baseline, and does not count for the exit code. */
  readonly known?: true;
}
