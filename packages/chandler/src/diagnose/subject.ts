/**
 * The subject of a question: one object of one of nine kinds. Parses what users write (`pod/x`, `po x`,
 * `nodeclaims/x`); the readers check that the object exists.
 */
import {
  CRON_JOBS,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  NODES,
  type ObjectKey,
  PODS,
  type ResourceRef,
  STATEFUL_SETS,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../api/index.ts';

/** What creates pods. */
export const WORKLOAD_KINDS = ['deployment', 'statefulset', 'daemonset', 'job', 'cronjob'] as const;

export const SUBJECT_KINDS = ['pod', 'nodeclaim', 'node', 'nodepool', ...WORKLOAD_KINDS] as const;

export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

export type SubjectKind = (typeof SUBJECT_KINDS)[number];

export interface Subject {
  readonly kind: SubjectKind;
  readonly name: string;
  /** Only for pods and workloads. Absent: all namespaces are searched. */
  readonly namespace?: string;
}

export const SUBJECT_RESOURCES: Readonly<Record<SubjectKind, ResourceRef>> = {
  pod: PODS,
  nodeclaim: NODE_CLAIMS,
  node: NODES,
  nodepool: NODE_POOLS,
  deployment: DEPLOYMENTS,
  statefulset: STATEFUL_SETS,
  daemonset: DAEMON_SETS,
  job: JOBS,
  cronjob: CRON_JOBS,
};

/** Pods and what creates them. */
export function isNamespaced(kind: SubjectKind): boolean {
  return kind === 'pod' || isWorkload(kind);
}

export function isWorkload(kind: SubjectKind): kind is WorkloadKind {
  return (WORKLOAD_KINDS as readonly string[]).includes(kind);
}

/** Parses the arguments of `why`: `pod/x`, `pod x`. Returns a message if they are invalid. */
export function parseSubject(words: readonly string[], namespace?: string): Subject | string {
  const [first = '', second, ...more] = words.length === 1 ? splitFirst(words[0]!) : words;
  if (more.length > 0) return `only one object at a time; remove "${more[0]}"`;
  const kind = KIND_WORDS.get(first.toLowerCase());
  if (kind === undefined)
    return `expects ${SUBJECT_KINDS.map((each) => `${each}/NAME`).join(', ')}; "${first}" is not one of these kinds`;
  if (second === undefined || second === '') return `name the ${kind}: ${kind}/NAME`;
  if (!isNamespaced(kind)) return { kind, name: second };
  const [space, name] = second.includes('/') ? splitFirst(second) : [namespace, second];
  if (name === undefined || name === '') return `name the ${kind}: ${kind}/NAME`;
  return { kind, name, ...(space === undefined || space === '' ? {} : { namespace: space }) };
}

/** `pod/shop/web-1`, `nodeclaim/default-x7k2p`. */
export function subjectText({ kind, name, namespace }: Subject): string {
  return namespace === undefined ? `${kind}/${name}` : `${kind}/${namespace}/${name}`;
}

export function subjectKey({ name, namespace }: Subject): ObjectKey {
  return namespace === undefined ? { name } : { namespace, name };
}

// ---------------------------------------------------------------------------------------------------

const KIND_WORDS: ReadonlyMap<string, SubjectKind> = new Map<string, SubjectKind>(
  Object.entries({
    pod: 'pod',
    pods: 'pod',
    po: 'pod',
    nodeclaim: 'nodeclaim',
    nodeclaims: 'nodeclaim',
    'nodeclaims.karpenter.sh': 'nodeclaim',
    'nodeclaim.karpenter.sh': 'nodeclaim',
    node: 'node',
    nodes: 'node',
    no: 'node',
    nodepool: 'nodepool',
    nodepools: 'nodepool',
    'nodepools.karpenter.sh': 'nodepool',
    'nodepool.karpenter.sh': 'nodepool',
    deployment: 'deployment',
    deployments: 'deployment',
    deploy: 'deployment',
    'deployment.apps': 'deployment',
    'deployments.apps': 'deployment',
    statefulset: 'statefulset',
    statefulsets: 'statefulset',
    sts: 'statefulset',
    'statefulset.apps': 'statefulset',
    'statefulsets.apps': 'statefulset',
    daemonset: 'daemonset',
    daemonsets: 'daemonset',
    ds: 'daemonset',
    'daemonset.apps': 'daemonset',
    'daemonsets.apps': 'daemonset',
    job: 'job',
    jobs: 'job',
    'job.batch': 'job',
    'jobs.batch': 'job',
    cronjob: 'cronjob',
    cronjobs: 'cronjob',
    cj: 'cronjob',
    'cronjob.batch': 'cronjob',
    'cronjobs.batch': 'cronjob',
  } satisfies Record<string, SubjectKind>),
);

function splitFirst(text: string): [string, string | undefined] {
  const slash = text.indexOf('/');
  return slash < 0 ? [text, undefined] : [text.slice(0, slash), text.slice(slash + 1)];
}
