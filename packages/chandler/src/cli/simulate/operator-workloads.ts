/**
 * Workloads of well-known operators, reduced to templates with a number of pods: Argo Rollouts, OpenKruise, OpenShift,
 * Knative, JobSet and Ray. `expand.ts` makes the pods.
 */
import type { ObjectMeta } from '@chandler/kube';
import type { PodSpec } from '../../scheduling/index.ts';
import type { Inventory } from './inventory.ts';

export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

/** Pods of one template. */
export interface PodGroup {
  /** The names of the pods; default: the name of the workload and the index. */
  nameOf?(index: number): string;
  readonly count: number;
  /** The field that sets the count. */
  readonly field: string;
  readonly template: PodTemplate;
}

export interface OperatorWorkload {
  readonly metadata: ObjectMeta;
  readonly spec: OperatorSpec;
}

type Groups = (workload: OperatorWorkload, inventory: Inventory) => readonly PodGroup[];

/** By kind. */
export const OPERATOR_WORKLOADS: Readonly<Record<string, Groups>> = {
  Rollout: rollout,
  CloneSet: ({ spec }) => [{ count: spec.replicas ?? 1, field: REPLICAS, template: spec.template! }],
  DeploymentConfig: ({ spec }) => [{ count: spec.replicas ?? 1, field: REPLICAS, template: spec.template! }],
  // `Service` of Knative: the core kind is not read. Without a minimum scale it is scaled to zero when idle.
  Service: ({ metadata, spec }) => [
    {
      nameOf: (index) => `${metadata.name}-00001-deployment-${index}`,
      ...minScale(spec.template!),
      template: spec.template!,
    },
  ],
  JobSet: ({ metadata, spec }) =>
    spec.suspend
      ? []
      : (spec.replicatedJobs ?? []).map(({ name, replicas = 1, template }, at) => {
          const each = atOnce(template.spec);
          return {
            nameOf: (index) => `${metadata.name}-${name}-${Math.floor(index / each)}-${index % each}`,
            count: replicas * each,
            field: `spec.replicatedJobs[${at}].replicas`,
            template: template.spec.template,
          };
        }),
  RayCluster: ({ metadata, spec }) =>
    spec.suspend
      ? []
      : [
          {
            nameOf: (index: number) => `${metadata.name}-head-${index}`,
            count: 1,
            field: 'spec.headGroupSpec',
            template: spec.headGroupSpec!.template,
          },
          ...(spec.workerGroupSpecs ?? []).map(
            ({ groupName, replicas = 0, numOfHosts = 1, template }, at): PodGroup => ({
              nameOf: (index) => `${metadata.name}-${groupName}-worker-${index}`,
              count: replicas * numOfHosts,
              field: `spec.workerGroupSpecs[${at}].replicas`,
              template,
            }),
          ),
        ],
};

// ---------------------------------------------------------------------------------------------------------------

const REPLICAS = 'spec.replicas';

interface JobSpec {
  readonly parallelism?: number;
  readonly completions?: number;
  readonly suspend?: boolean;
  readonly template: PodTemplate;
}

interface OperatorSpec {
  readonly replicas?: number;
  readonly suspend?: boolean;
  readonly template?: PodTemplate;
  readonly workloadRef?: { readonly kind: string; readonly name: string };
  readonly replicatedJobs?: readonly {
    readonly name: string;
    readonly replicas?: number;
    readonly template: { readonly spec: JobSpec };
  }[];
  readonly headGroupSpec?: { readonly template: PodTemplate };
  readonly workerGroupSpecs?: readonly {
    readonly groupName: string;
    readonly replicas?: number;
    readonly numOfHosts?: number;
    readonly template: PodTemplate;
  }[];
}

/** A Rollout has a template, or refers to a Deployment, which it scales down itself. */
function rollout({ metadata, spec }: OperatorWorkload, inventory: Inventory): readonly PodGroup[] {
  const { replicas = 1, template, workloadRef } = spec;
  if (template !== undefined) return [{ count: replicas, field: REPLICAS, template }];
  const referred = inventory
    .objects<OperatorWorkload>(workloadRef?.kind ?? '')
    .find(
      (each) => each.metadata.name === workloadRef?.name && each.metadata.namespace === metadata.namespace,
    );
  return referred?.spec.template === undefined
    ? []
    : [{ count: replicas, field: REPLICAS, template: referred.spec.template }];
}

const MIN_SCALE = ['autoscaling.knative.dev/min-scale', 'autoscaling.knative.dev/minScale'] as const;

function minScale({ metadata }: PodTemplate): Pick<PodGroup, 'count' | 'field'> {
  const name = MIN_SCALE.find((each) => metadata?.annotations?.[each] !== undefined) ?? MIN_SCALE[0];
  const count = Number.parseInt(metadata?.annotations?.[name] ?? '0', 10) || 0;
  return { count, field: `spec.template.metadata.annotations["${name}"]` };
}

function atOnce({ parallelism = 1, completions = parallelism, suspend }: JobSpec): number {
  return suspend ? 0 : Math.min(parallelism, completions);
}
