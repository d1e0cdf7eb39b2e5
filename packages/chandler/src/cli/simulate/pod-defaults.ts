/**
 * What an API server would have filled into a pod when it was created, as far as scheduling looks at it:
 * requests from limits and from the LimitRanges of the namespace, priority from the class, and label keys of affinity terms
 * folded into their selectors.
 */
import type { ObjectMeta } from '@chandler/kube';
import type {
  Affinity,
  Container,
  LabelSelector,
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
} from '../../scheduling/index.ts';

export interface PriorityClass {
  readonly metadata: ObjectMeta;
  readonly value: number;
  readonly globalDefault?: boolean;
}

export interface LimitRange {
  readonly metadata: ObjectMeta;
  readonly spec: {
    readonly limits: readonly {
      readonly type: string;
      readonly max?: Amounts;
      readonly min?: Amounts;
      readonly default?: Amounts;
      readonly defaultRequest?: Amounts;
    }[];
  };
}

export interface Defaults {
  readonly priorities: readonly PriorityClass[];
  readonly limitRanges: readonly LimitRange[];
}

export function withPodDefaults(pod: Pod, { priorities, limitRanges }: Defaults): Pod {
  const missing = pod.metadata.uid === undefined ? requestsOf(limitRanges, pod) : {};
  const withRequests = (container: Container) => withContainerRequests(container, missing);
  const spec = pod.spec as PodSpec & { readonly priorityClassName?: string };
  const labels = pod.metadata.labels ?? {};
  const priority = spec.priority ?? priorityOf(spec.priorityClassName, priorities);
  return {
    ...pod,
    spec: {
      ...spec,
      containers: (spec.containers ?? []).map(withRequests),
      ...(spec.initContainers ? { initContainers: spec.initContainers.map(withRequests) } : {}),
      ...(spec.resources
        ? { resources: withContainerRequests({ name: '', resources: spec.resources }, {}).resources! }
        : {}),
      ...(spec.affinity ? { affinity: folded(spec.affinity, labels) } : {}),
      ...(priority === undefined ? {} : { priority }),
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

function priorityOf(name: string | undefined, classes: readonly PriorityClass[]): number | undefined {
  if (name === undefined || name === '') return classes.find((candidate) => candidate.globalDefault)?.value;
  return classes.find((candidate) => candidate.metadata.name === name)?.value ?? SYSTEM_PRIORITIES.get(name);
}

type Amounts = NonNullable<NonNullable<Container['resources']>['requests']>;

/** What containers of the namespace request that say nothing. A pod that a cluster has created already has it. */
function requestsOf(limitRanges: readonly LimitRange[], { metadata }: Pod): Amounts {
  const limits = limitRanges
    .filter((range) => range.metadata.namespace === metadata.namespace)
    .flatMap(({ spec }) => spec.limits)
    .filter(({ type }) => type === 'Container');
  // The first LimitRange that has a default for a resource wins.
  return Object.assign({}, ...limits.map(defaultRequests).reverse());
}

/** As the API server completes a LimitRange: the default limit is max; the default request is that limit, else min. */
function defaultRequests(limit: LimitRange['spec']['limits'][number]): Amounts {
  return { ...limit.min, ...limit.max, ...limit.default, ...limit.defaultRequest };
}

function withContainerRequests(container: Container, missing: Amounts): Container {
  const { resources } = container;
  if (!resources?.limits && Object.keys(missing).length === 0) return container;
  return {
    ...container,
    resources: { ...resources, requests: { ...missing, ...resources?.limits, ...resources?.requests } },
  };
}

type KeyedTerm = PodAffinityTerm & {
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
};

function folded(affinity: Affinity, labels: Readonly<Record<string, string>>): Affinity {
  const fold = (part: PodAffinity | undefined): PodAffinity | undefined =>
    part && {
      ...part,
      ...(part.requiredDuringSchedulingIgnoredDuringExecution && {
        requiredDuringSchedulingIgnoredDuringExecution:
          part.requiredDuringSchedulingIgnoredDuringExecution.map((term) => foldTerm(term, labels)),
      }),
      ...(part.preferredDuringSchedulingIgnoredDuringExecution && {
        preferredDuringSchedulingIgnoredDuringExecution:
          part.preferredDuringSchedulingIgnoredDuringExecution.map(({ weight, podAffinityTerm }) => ({
            weight,
            podAffinityTerm: foldTerm(podAffinityTerm, labels),
          })),
      }),
    };
  const podAffinity = fold(affinity.podAffinity);
  const podAntiAffinity = fold(affinity.podAntiAffinity);
  return {
    ...affinity,
    ...(podAffinity === undefined ? {} : { podAffinity }),
    ...(podAntiAffinity === undefined ? {} : { podAntiAffinity }),
  };
}

function foldTerm(term: KeyedTerm, labels: Readonly<Record<string, string>>): PodAffinityTerm {
  const { matchLabelKeys = [], mismatchLabelKeys = [], ...rest } = term;
  const conditions = [
    ...conditionsOn(matchLabelKeys, 'In', labels),
    ...conditionsOn(mismatchLabelKeys, 'NotIn', labels),
  ];
  if (conditions.length === 0 || rest.labelSelector === undefined) return rest;
  const labelSelector: LabelSelector = {
    ...rest.labelSelector,
    matchExpressions: [...(rest.labelSelector.matchExpressions ?? []), ...conditions],
  };
  return { ...rest, labelSelector };
}

function conditionsOn(keys: readonly string[], operator: string, labels: Readonly<Record<string, string>>) {
  return keys.flatMap((key) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
}
