/** A pod as the page keeps and shows it. Of 150,000 pods nothing else is kept: no spec, no status, no labels. */
import type { Interner, Pod, Stored } from '@chandler/kube';
import { type TalliedPod, trimToTally } from './pod-tally.ts';
import type { PodPhase, PodRow } from './wire.ts';

export interface PagePod extends TalliedPod {
  readonly phase: PodPhase;
  /** `Deployment/web`; `Pod/x` without an owner. */
  readonly workload: string;
  /** Of a pending pod; 0 for others, which are many. */
  readonly createdMs: number;
}

export function trimToRow(pod: Stored<TalliedPod>, interner: Pick<Interner, 'string'>): Stored<PagePod> {
  const whole = pod as unknown as Stored<Pod>;
  const phase = podPhase(whole);
  const tallied = trimToTally(pod, interner);
  const createdMs = phase === 'p' ? Date.parse(whole.metadata.creationTimestamp ?? '') : 0;
  return {
    ...tallied,
    // What has ended holds nothing.
    ...(phase === 'f' ? { cpuMillis: 0, memoryBytes: 0 } : {}),
    phase,
    workload: interner.string(workloadOf(whole)),
    createdMs: Number.isNaN(createdMs) ? 0 : createdMs,
  };
}

export function podRow(pod: PagePod): PodRow {
  const { metadata, nodeName, phase, cpuMillis, memoryBytes, workload } = pod;
  return [metadata.namespace, metadata.name ?? '', nodeName, phase, cpuMillis, memoryBytes, workload];
}

/** Whether a person sees no difference. */
export function isSameRow(one: PagePod, other: PagePod): boolean {
  return (
    one.nodeName === other.nodeName &&
    one.phase === other.phase &&
    one.cpuMillis === other.cpuMillis &&
    one.memoryBytes === other.memoryBytes &&
    one.workload === other.workload
  );
}

// ---------------------------------------------------------------------------------------------------

function podPhase({ metadata, spec, status }: Stored<Pod>): PodPhase {
  if (status?.phase === 'Failed') return 'f';
  if (metadata.deletionTimestamp !== undefined) return 'l';
  if ((spec?.nodeName ?? '') === '') return 'p';
  return status?.phase === 'Running' ? 'r' : 'c';
}

/** The name of a ReplicaSet of a Deployment ends with the hash that the label of its pods has. */
function workloadOf({ metadata }: Stored<Pod>): string {
  const owner =
    metadata.ownerReferences?.find(({ controller }) => controller === true) ?? metadata.ownerReferences?.[0];
  if (owner === undefined) return `Pod/${metadata.name}`;
  const hash = metadata.labels?.['pod-template-hash'];
  if (owner.kind === 'ReplicaSet' && hash !== undefined && owner.name.endsWith(`-${hash}`))
    return `Deployment/${owner.name.slice(0, -hash.length - 1)}`;
  return `${owner.kind}/${owner.name}`;
}
