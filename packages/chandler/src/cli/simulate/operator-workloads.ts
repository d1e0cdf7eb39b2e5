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
  /** The prefix of the names of the pods; default: the name of the workload. */
  readonly name?: string;
  readonly count: number;
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
  CloneSet: ({ spec }) => [{ count: spec.replicas ?? 1, template: spec.template! }],
  DeploymentConfig: ({ spec }) => [{ count: spec.replicas ?? 1, template: spec.template! }],
  // `Service` of Knative: the core kind is not read. Without a minimum scale it is scaled to zero when idle.
  Service: ({ metadata, spec }) => [
    { name: `${metadata.name}-00001-deployment`, count: minScale(spec.template!), template: spec.template! },
  ],
  JobSet: ({ metadata, spec }) =>
    spec.suspend
      ? []
      : (spec.replicatedJobs ?? []).flatMap(({ name, replicas = 1, template }) =>
          Array.from({ length: replicas }, (_, index) => ({
            name: `${metadata.name}-${name}-${index}`,
            count: atOnce(template.spec),
            template: template.spec.template,
          })),
        ),
  RayCluster: ({ metadata, spec }) =>
    spec.suspend
      ? []
      : [
          { name: `${metadata.name}-head`, count: 1, template: spec.headGroupSpec!.template },
          ...(spec.workerGroupSpecs ?? []).map(({ groupName, replicas = 0, numOfHosts = 1, template }) => ({
            name: `${metadata.name}-${groupName}-worker`,
            count: replicas * numOfHosts,
            template,
          })),
        ],
};

// ---------------------------------------------------------------------------------------------------------------

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
  if (template !== undefined) return [{ count: replicas, template }];
  const referred = inventory
    .objects<OperatorWorkload>(workloadRef?.kind ?? '')
    .find(
      (each) => each.metadata.name === workloadRef?.name && each.metadata.namespace === metadata.namespace,
    );
  return referred?.spec.template === undefined ? [] : [{ count: replicas, template: referred.spec.template }];
}

const MIN_SCALE = ['autoscaling.knative.dev/min-scale', 'autoscaling.knative.dev/minScale'] as const;

function minScale({ metadata }: PodTemplate): number {
  const text = MIN_SCALE.map((name) => metadata?.annotations?.[name]).find((value) => value !== undefined);
  return Number.parseInt(text ?? '0', 10) || 0;
}

function atOnce({ parallelism = 1, completions = parallelism, suspend }: JobSpec): number {
  return suspend ? 0 : Math.min(parallelism, completions);
}
