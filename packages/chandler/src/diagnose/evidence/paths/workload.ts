/**
 * Evidence about what creates pods: how many it wants and how many there are, what its controller says, and the pod that is
 * worst. A Deployment creates them by a ReplicaSet, a CronJob by a Job.
 */
import { JOBS, PODS, REPLICA_SETS, type ResourceRef } from '@chandler/kube';
import type { Condition } from '../../../api/index.ts';
import { isFound, listOr, type ReadObject, wholeFailure } from '../../../causes/index.ts';

import { readEvents } from '../events.ts';
import type { GatherContext } from '../gather-context.ts';
import { conditionsOf, fullName, type PodShape, timeMs } from '../shapes.ts';
import { gatherPod } from './pod.ts';

export async function gatherWorkload(context: GatherContext, object: ReadObject): Promise<void> {
  const workload = object as WorkloadShape;
  const creator = await creatorOf(context, workload);
  const pods = creator === undefined ? [] : await podsOf(context, creator);
  for (const each of new Set([workload, creator ?? workload])) {
    const { name, namespace, uid } = each.metadata;
    await readEvents(context, { kind: each.kind ?? '', name, namespace, uid });
  }
  addEvidence(context, workload, creator, pods);
  // Where all are well, any shows the layers.
  const shown = worstOf(pods) ?? pods[0];
  if (shown !== undefined) await gatherPod(context, shown);
}

// ---------------------------------------------------------------------------------------------------

interface WorkloadShape extends ReadObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly suspend?: boolean;
    readonly parallelism?: number;
    readonly completions?: number;
    readonly schedule?: string;
  };
  readonly status?: {
    readonly desiredNumberScheduled?: number;
    readonly conditions?: readonly Condition[];
  };
}

const REVISION = 'deployment.kubernetes.io/revision';

/** Undefined: it has created none, or that is not known. */
async function creatorOf(
  context: GatherContext,
  workload: WorkloadShape,
): Promise<WorkloadShape | undefined> {
  if (workload.kind === 'Deployment') {
    const all = await ownedBy(context, workload, REPLICA_SETS, 'ReplicaSets');
    const revision = workload.metadata.annotations?.[REVISION];
    const current = all.filter(({ metadata }) => metadata.annotations?.[REVISION] === revision);
    // A dump has no values of annotations.
    const active = all.filter(({ spec }) => (spec?.replicas ?? 0) > 0);
    return current.length === 1 ? current[0] : (newest(active) ?? newest(all));
  }
  if (workload.kind === 'CronJob') return newest(await ownedBy(context, workload, JOBS, 'Jobs'));
  return workload;
}

async function podsOf(context: GatherContext, creator: WorkloadShape): Promise<readonly PodShape[]> {
  const pods = (await ownedBy(context, creator, PODS, 'pods')) as readonly ReadObject[];
  return (pods as readonly PodShape[]).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

async function ownedBy(
  { reader, recorder }: GatherContext,
  owner: WorkloadShape,
  resource: ResourceRef,
  what: string,
): Promise<readonly WorkloadShape[]> {
  const { namespace = '', uid } = owner.metadata;
  const found: ReadObject[] = [];
  for await (const page of reader.pages(resource, { namespace })) {
    const failure = wholeFailure(page);
    if (failure !== undefined) recorder.addUnread('workload', `${what} of ${fullName(owner)}`, failure);
    if (!isFound(page)) break;
    found.push(...listOr(page));
  }
  return found.filter(({ metadata }) => metadata.ownerReferences?.some((each) => each.uid === uid));
}

function newest(all: readonly WorkloadShape[]): WorkloadShape | undefined {
  return all.toSorted(byAge).at(-1);
}

function byAge({ metadata: one }: ReadObject, { metadata: other }: ReadObject): number {
  const difference = (timeMs(one.creationTimestamp) ?? 0) - (timeMs(other.creationTimestamp) ?? 0);
  return difference || (one.name < other.name ? -1 : 1);
}

function addEvidence(
  { recorder }: GatherContext,
  workload: WorkloadShape,
  creator: WorkloadShape | undefined,
  pods: readonly PodShape[],
): void {
  const { kind = '', metadata, spec = {} } = workload;
  const isSuspended = spec.suspend === true || creator?.spec?.suspend === true;
  const wanted = wantedPods(workload, creator);
  const isDone = (creator?.status?.conditions ?? []).some(
    ({ type, status }) => (type === 'Complete' || type === 'SuccessCriteriaMet') && status === 'True',
  );
  recorder.add({
    kind: 'workload',
    reading: recorder.reading(`${kind} ${fullName(workload)}`),
    objectKind: kind,
    name: fullName(workload),
    createdAtMs: timeMs(metadata.creationTimestamp) ?? recorder.atMs,
    wanted,
    created: pods.length,
    ready: pods.filter(isWell).length,
    isSuspended,
    isDone,
    note: isSuspended ? undefined : noteOf(workload, creator, wanted),
    conditions: [workload, ...(creator === undefined || creator === workload ? [] : [creator])].flatMap(
      (each) => conditionsOf(each),
    ),
    creators: [workload, creator ?? workload].map((each) => `${each.kind ?? ''}/${fullName(each)}`),
  });
}

function wantedPods({ kind, spec = {}, status = {} }: WorkloadShape, creator: WorkloadShape | undefined) {
  switch (kind) {
    case 'DaemonSet':
      return status.desiredNumberScheduled ?? 0;
    case 'Job':
      return jobPods(spec);
    case 'CronJob':
      return creator === undefined ? 0 : jobPods(creator.spec ?? {});
    default:
      return spec.replicas ?? 1;
  }
}

function jobPods({ parallelism = 1, completions = parallelism }: NonNullable<WorkloadShape['spec']>): number {
  return Math.min(parallelism, completions);
}

function noteOf({ kind, spec = {} }: WorkloadShape, creator: WorkloadShape | undefined, wanted: number) {
  if (kind === 'CronJob' && creator === undefined)
    return `has no Job: the next one is created by its schedule (${spec.schedule ?? ''})`;
  if (wanted > 0) return undefined;
  return kind === 'DaemonSet' ? 'wants no pod: no node matches its selector' : 'is scaled to zero';
}

/** The oldest of those that share the most frequent state. */
function worstOf(pods: readonly PodShape[]): PodShape | undefined {
  const bad = pods.filter((pod) => !isWell(pod));
  const [most] = [...Map.groupBy(bad, stateOf).values()].sort((one, other) => other.length - one.length);
  return most?.toSorted(byAge)[0];
}

function isWell(pod: PodShape): boolean {
  const { phase } = pod.status ?? {};
  const isReady = conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True');
  return phase === 'Succeeded' || (phase === 'Running' && isReady);
}

function stateOf({ spec, status }: PodShape): string {
  return status?.phase === 'Failed' ? 'failed' : spec.nodeName === undefined ? 'unscheduled' : 'unready';
}
