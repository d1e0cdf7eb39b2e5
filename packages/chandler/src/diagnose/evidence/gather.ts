/**
 * Gathers the evidence about one object, layer by layer, and only what concerns it: the claim that a pod waits for and
 * not other claims, the pool that would take it and not pools for other pods. Unrelated evidence would give wrong causes.
 * The recorder keeps what was read, from where, and what could not be read.
 */
import {
  EvidenceRecorder,
  type EvidenceSet,
  type ObjectReader,
  type ReadObject,
} from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { SUBJECT_RESOURCES, type Subject, subjectText } from '../subject.ts';
import { type FoundSubject, findSubject } from './find-subject.ts';
import type { GatherContext } from './gather-context.ts';
import { followKept, goneClaim, keptClaim } from './gone-claim.ts';
import { keepRead } from './keep-read.ts';
import { NodeOverlays } from './node-overlays.ts';
import { gatherClaim, gatherNode } from './paths/claim.ts';
import { gatherPod } from './paths/pod.ts';
import { gatherPool } from './paths/pool.ts';
import { gatherWorkload } from './paths/workload.ts';
import type { Planner } from './planner.ts';
import { withReservations } from './reserved-places.ts';
import { withKind } from './shapes.ts';

export interface GatherOptions {
  readonly reader: ObjectReader;
  readonly cloud: CloudDiagnosis;
  readonly planner?: Planner | undefined;
  /** Nodes are meant to have disks that are encrypted with a key of the customer. */
  readonly expectsCustomerKey?: boolean;
  /** For pods and workloads without one. Default `default`. */
  readonly namespace?: string;
}

export type Gathered =
  | { readonly state: 'gathered'; readonly subject: Subject; readonly evidence: EvidenceSet }
  | Exclude<FoundSubject, { readonly state: 'found' }>;

export async function gather(asked: Subject, options: GatherOptions): Promise<Gathered> {
  const { reader, cloud, planner, expectsCustomerKey = false } = options;
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  const overlays = new NodeOverlays({ reader, recorder });
  const context: GatherContext = {
    reader,
    recorder,
    cloud,
    planner:
      planner === undefined
        ? undefined
        : overlays.planner(withReservations({ reader, recorder, cloud }, planner)),
    overlays,
    expectsCustomerKey,
  };
  const found = await findSubject(context, asked, options.namespace ?? 'default');
  if (found.state !== 'found')
    return (
      (asked.kind === 'nodeclaim' && found.state === 'missing'
        ? await whatIsLeft(context, asked)
        : undefined) ?? found
    );
  const { subject, object } = found;
  recorder.add({
    kind: 'question',
    reading: recorder.reading(subjectText(subject)),
    subject: subjectText(subject),
    expectsCustomerKey,
  });
  await GATHERERS[subject.kind](context, withKind(object, SUBJECT_RESOURCES[subject.kind]));
  keepRead(context);
  return { state: 'gathered', subject, evidence: recorder.evidence() };
}

// ---------------------------------------------------------------------------------------------------

/** Evidence about a claim that no longer exists. */
async function whatIsLeft(context: GatherContext, subject: Subject): Promise<Gathered | undefined> {
  const kept = await keptClaim(context, subject.name);
  if (kept === undefined) {
    const left = await goneClaim(context, subject);
    return left ? { state: 'gathered', subject, evidence: context.recorder.evidence() } : undefined;
  }
  const then: GatherContext = { ...context, recorder: new EvidenceRecorder(context.reader.from, kept.atMs) };
  await followKept(then, subject, kept);
  return { state: 'gathered', subject, evidence: then.recorder.evidence() };
}

const GATHERERS: Readonly<
  Record<Subject['kind'], (context: GatherContext, object: ReadObject) => Promise<void>>
> = {
  pod: gatherPod,
  nodeclaim: gatherClaim,
  node: gatherNode,
  nodepool: gatherPool,
  deployment: gatherWorkload,
  statefulset: gatherWorkload,
  daemonset: gatherWorkload,
  job: gatherWorkload,
  cronjob: gatherWorkload,
};
