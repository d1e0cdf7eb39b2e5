/** What the server adds to new pods: tolerations for failing nodes, and the number behind a priority class. */
import type { KubeObject } from '@chandler/kube';
import { type AdmissionPlugin, type Attributes, isKind, refused, specOf } from './admission.ts';

const TOLERATION_SECONDS = 300;
const PRIORITY_CLASSES = 'priorityclasses.scheduling.k8s.io';

/** A pod stays five minutes on a node that is not ready or cannot be reached, unless it says otherwise. */
export const DEFAULT_TOLERATION_SECONDS: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',
  mutate({ call, operation, object }) {
    if (!isKind(call, '', 'pods') || call.subresource !== undefined || operation === 'DELETE') return;
    const spec = specOf<{ tolerations?: Toleration[] }>(object!);
    const given = spec.tolerations ?? [];
    const missing = EVICTION_TAINTS.filter((key) => !given.some((toleration) => tolerates(toleration, key)));
    if (missing.length === 0) return;
    const added = missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: TOLERATION_SECONDS,
    }));
    spec.tolerations = [...given, ...added];
  },
};

export const PRIORITY: AdmissionPlugin = {
  name: 'Priority',
  mutate(attributes) {
    const { call, operation, object, current } = attributes;
    if (!isKind(call, '', 'pods') || call.subresource !== undefined || operation === 'DELETE') return;
    const spec = specOf<PodPriority>(object!);
    if (operation === 'CREATE') {
      setPriority(attributes, spec);
      return;
    }
    const before = (current!['spec'] ?? {}) as PodPriority;
    if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
    if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) {
      spec.preemptionPolicy = before.preemptionPolicy;
    }
  },
  validate(attributes) {
    const { call, operation, object } = attributes;
    if (!isKind(call, 'scheduling.k8s.io', 'priorityclasses') || operation === 'DELETE') return;
    if (object!['globalDefault'] !== true) return;
    const other = defaultClass(attributes);
    if (other === undefined || other.metadata.name === object!.metadata.name) return;
    throw refused(
      attributes,
      `PriorityClass ${other.metadata.name} is already marked as default. Only one default can exist`,
    );
  },
};

// ---------------------------------------------------------------------------------------------------

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

interface PodPriority {
  priorityClassName?: string;
  priority?: number;
  preemptionPolicy?: string;
}

const EVICTION_TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

function tolerates(toleration: Toleration, key: string): boolean {
  return (
    ((toleration.key ?? '') === '' || toleration.key === key) &&
    ((toleration.effect ?? '') === '' || toleration.effect === 'NoExecute')
  );
}

function setPriority(attributes: Attributes, spec: PodPriority): void {
  const { name, value, preemptionPolicy } = priorityOf(attributes, spec.priorityClassName ?? '');
  if (name !== '') spec.priorityClassName = name;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw refused(
      attributes,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== preemptionPolicy) {
    throw refused(
      attributes,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  spec.preemptionPolicy = preemptionPolicy;
}

function priorityOf(attributes: Attributes, className: string) {
  const found =
    className === '' ? defaultClass(attributes) : attributes.call.lookup(PRIORITY_CLASSES, '', className);
  if (found === undefined && className !== '') {
    throw refused(attributes, `no PriorityClass with name ${className} was found`);
  }
  return {
    name: found?.metadata.name ?? '',
    value: (found?.['value'] as number | undefined) ?? 0,
    preemptionPolicy: (found?.['preemptionPolicy'] as string | undefined) ?? 'PreemptLowerPriority',
  };
}

/** Of several, which only a race can leave, the lowest. */
function defaultClass({ call }: Attributes): KubeObject | undefined {
  let lowest: KubeObject | undefined;
  for (const candidate of call.list(PRIORITY_CLASSES)) {
    if (candidate['globalDefault'] !== true) continue;
    if (lowest === undefined || Number(candidate['value'] ?? 0) < Number(lowest['value'] ?? 0))
      lowest = candidate;
  }
  return lowest;
}
