/**
 * Expands workloads into the pods that their controllers would create, with stable names. A workload is skipped
 * when the inventory contains pods or workloads that it owns: its pods are counted already.
 */
import type { ObjectMeta, OwnerReference } from '@chandler/kube';
import type { Pod, PodSpec, VolumeClaim, VolumeClaimSpec } from '../../scheduling/index.ts';
import { Failure } from '../verb.ts';
import type { Inventory } from './inventory.ts';
import { checkCount } from './limits.ts';
import { OPERATOR_WORKLOADS, type OperatorWorkload, type PodGroup } from './operator-workloads.ts';
import { ownerKey, ownersOf } from './owners.ts';
import { problemText } from './problem.ts';

/** The label by which the ReplicaSets of a Deployment tell their pods apart. */
export const TEMPLATE_HASH = 'pod-template-hash';

export interface Expanded {
  readonly pods: readonly Pod[];
  /** Made from the templates of StatefulSets. */
  readonly claims: readonly VolumeClaim[];
}

/** @param maxPods of the workloads together. @throws {Failure} for more pods than can be planned. */
export function expandWorkloads(inventory: Inventory, maxPods = Number.POSITIVE_INFINITY): Expanded {
  const owned = ownersIn(inventory);
  const count = podCounter(inventory, maxPods);
  const pods: Pod[] = [];
  const claims: VolumeClaim[] = [];
  for (const [kind, expand] of Object.entries(EXPANSIONS)) {
    for (const workload of inventory.objects<Workload>(kind)) {
      if (owned.has(ownerKey(kind, workload.metadata))) continue;
      count(kind, workload.metadata, (SIZES[kind] ?? replicaCount)(workload));
      const made = expand(workload);
      for (const pod of made.pods) pods.push(pod);
      for (const claim of made.claims ?? []) claims.push(claim);
    }
  }
  for (const [kind, groupsOf] of Object.entries(OPERATOR_WORKLOADS)) {
    for (const workload of inventory.objects<OperatorWorkload>(kind)) {
      if (owned.has(ownerKey(kind, workload.metadata))) continue;
      for (const group of groupsOf(workload, inventory)) {
        count(kind, workload.metadata, group);
        addGroup(pods, workload.metadata, group, kind);
      }
    }
  }
  return { pods, claims };
}

// ---------------------------------------------------------------------------------------------------------------

/** More than the 150,000 that a cluster of Kubernetes supports. */
const MAX_PODS = 200_000;

interface Size {
  readonly count: number;
  readonly field: string;
}

/** Counts pods before they are made: a number may be larger than the memory. */
function podCounter(
  inventory: Inventory,
  maxPods: number,
): (kind: string, owner: ObjectMeta, size: Size) => void {
  let total = inventory.objects('Pod').length;
  let toPlace = 0;
  return (kind, { namespace, name }, { count, field }) => {
    total += count;
    toPlace += count;
    checkCount(toPlace, maxPods);
    if (total <= MAX_PODS) return;
    const message = `${count} pods are too many: a simulation plans at most ${MAX_PODS} pods; set a smaller number`;
    const problem = inventory.locate(`${kind}/${namespace}/${name}`, field, message);
    throw new Failure(`the input is invalid:\n  ${problemText(problem)}`);
  };
}

function addGroup(pods: Pod[], owner: ObjectMeta, { count, nameOf, template }: PodGroup, kind: string): void {
  for (let index = 0; index < count; index++) {
    const name = nameOf?.(index) ?? `${owner.name}-${index}`;
    pods.push(podOf(plain(name), owner, template, kind));
  }
}

const replicaCount = ({ spec }: Workload): Size => ({ count: spec.replicas ?? 1, field: 'spec.replicas' });

/** How many pods a workload has, where its replicas do not say it. */
const SIZES: Readonly<Record<string, (workload: Workload) => Size>> = {
  Job: ({ spec, status }) => ({ count: jobCount(spec, status), field: 'spec.parallelism' }),
  CronJob: ({ spec: { suspend, jobTemplate } }) => ({
    count: suspend ? 0 : jobCount(jobTemplate!.spec),
    field: 'spec.jobTemplate.spec.parallelism',
  }),
};

interface Workload {
  readonly metadata: ObjectMeta;
  readonly spec: WorkloadSpec;
  readonly status?: JobStatus;
}

interface JobStatus {
  readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  readonly succeeded?: number;
}

interface Template {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

interface WorkloadSpec {
  readonly replicas?: number;
  readonly parallelism?: number;
  readonly completions?: number;
  readonly suspend?: boolean;
  readonly template: Template;
  readonly jobTemplate?: { readonly spec: WorkloadSpec };
  readonly volumeClaimTemplates?: readonly {
    readonly metadata?: ObjectMeta;
    readonly spec: VolumeClaimSpec;
  }[];
  readonly ordinals?: { readonly start?: number };
}

type Expand = (
  workload: Workload,
) => Expanded | { readonly pods: readonly Pod[]; readonly claims?: undefined };

const EXPANSIONS: Readonly<Record<string, Expand>> = {
  Deployment: ({ metadata, spec }) => ({
    // The real value is a hash of the template; pods of one Deployment share it, which is what matters.
    pods: replicas(
      spec.replicas,
      (name) => ({ labels: { [TEMPLATE_HASH]: metadata.name! }, name }),
      metadata,
      spec,
      'Deployment',
    ),
  }),
  ReplicaSet: ({ metadata, spec }) => ({
    pods: replicas(spec.replicas, plain, metadata, spec, 'ReplicaSet'),
  }),
  ReplicationController: ({ metadata, spec }) => ({
    pods: replicas(spec.replicas, plain, metadata, spec, 'ReplicationController'),
  }),
  StatefulSet: expandStatefulSet,
  Job: ({ metadata, spec, status }) => ({ pods: jobPods(metadata, spec, 'Job', status) }),
  CronJob: ({ metadata, spec }) => ({
    pods: spec.suspend ? [] : jobPods(metadata, spec.jobTemplate!.spec, 'CronJob'),
  }),
};

export const WORKLOAD_KINDS: readonly string[] = [
  ...Object.keys(EXPANSIONS),
  ...Object.keys(OPERATOR_WORKLOADS),
];

interface Identity {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

const plain = (name: string): Identity => ({ name, labels: {} });

function replicas(
  count: number | undefined,
  identify: (name: string) => Identity,
  owner: ObjectMeta,
  spec: Pick<WorkloadSpec, 'template'>,
  kind: string,
  start = 0,
): Pod[] {
  return Array.from({ length: count ?? 1 }, (_, index) =>
    podOf(identify(`${owner.name}-${start + index}`), owner, spec.template, kind),
  );
}

function podOf({ name, labels }: Identity, owner: ObjectMeta, template: Template, kind: string): Pod {
  const reference: OwnerReference = {
    apiVersion: '',
    kind,
    name: owner.name!,
    uid: owner.uid ?? '',
    controller: true,
  };
  return {
    metadata: {
      name,
      namespace: owner.namespace ?? 'default',
      labels: { ...template.metadata?.labels, ...labels },
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [reference],
    },
    spec: template.spec,
  };
}

/** A job runs `parallelism` pods at a time, and never more than are still to be completed. */
function jobPods(owner: ObjectMeta, spec: WorkloadSpec, kind: string, status?: JobStatus): Pod[] {
  const labels = { 'batch.kubernetes.io/job-name': owner.name!, 'job-name': owner.name! };
  return replicas(jobCount(spec, status), (name) => ({ name, labels }), owner, spec, kind);
}

function jobCount(
  { parallelism = 1, completions = parallelism, suspend }: WorkloadSpec,
  { conditions = [], succeeded = 0 }: JobStatus = {},
): number {
  const isOver = conditions.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  return suspend || isOver ? 0 : Math.max(0, Math.min(parallelism, completions - succeeded));
}

function expandStatefulSet({ metadata, spec }: Workload): Expanded {
  const templates = spec.volumeClaimTemplates ?? [];
  const claims: VolumeClaim[] = [];
  const identify = (name: string): Identity => ({
    name,
    labels: {
      'statefulset.kubernetes.io/pod-name': name,
      'apps.kubernetes.io/pod-index': name.slice(name.lastIndexOf('-') + 1),
    },
  });
  const pods = replicas(spec.replicas, identify, metadata, spec, 'StatefulSet', spec.ordinals?.start ?? 0);
  const mounted = pods.map((pod): Pod => {
    const volumes = templates.map((template) => {
      const claimName = `${template.metadata?.name}-${pod.metadata.name}`;
      const namespace = metadata.namespace ?? 'default';
      claims.push({ metadata: { name: claimName, namespace }, spec: template.spec });
      return { name: template.metadata?.name ?? '', persistentVolumeClaim: { claimName } };
    });
    const own = (pod.spec.volumes ?? []).filter(
      (volume) => !volumes.some(({ name }) => name === volume.name),
    );
    return volumes.length === 0 ? pod : { ...pod, spec: { ...pod.spec, volumes: [...own, ...volumes] } };
  });
  return { pods: mounted, claims };
}

/** Everything that some pod or workload of the inventory belongs to. */
function ownersIn(inventory: Inventory): Set<string> {
  const owned = new Set<string>();
  for (const kind of ['Pod', ...WORKLOAD_KINDS])
    for (const object of inventory.objects<Workload>(kind))
      for (const owner of ownersOf(object)) owned.add(owner);
  return owned;
}
