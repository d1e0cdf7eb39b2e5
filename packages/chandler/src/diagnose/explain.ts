/**
 * The answer: the state of the seven layers, the cause of the first broken one, and other findings. Pure: it decides from
 * evidence alone, so that a cluster, a dump and a test get the same answer. `text.ts` prints it.
 */
import {
  type EvidenceSet,
  type Finding,
  LAYERS,
  type Layer,
  layerIndex,
  poolNames,
  type Reading,
  type Unread,
} from '../causes/index.ts';
import type { CloudDiagnosis } from '../cloud/index.ts';

import { findingsOf } from './findings.ts';
import { healthStateOf } from './health-state.ts';
import { type JourneyStep, journeyOf } from './journey-steps.ts';
import { type LayerProof, proofOf } from './layer-proofs.ts';
import { type NearestPool, nearestPools } from './nearest-pools.ts';
import { type NonDisruptionReason, nonDisruptionReasons } from './non-disruption-reasons.ts';
import { isNamespaced, type Subject, subjectText } from './subject.ts';
import type { HealthState } from './well-if-read.ts';

export type LayerState = 'ok' | 'broken' | 'unknown' | 'notReached';

export interface LayerLine {
  readonly layer: Layer;
  readonly state: LayerState;
  /** The evidence for it. */
  readonly detail: string;
}

/**
 * `healthy`: nothing is wrong. `underWay`: in progress, within the usual time. `broken`: a cause was found. `unexplained`:
 * unhealthy for longer than usual, and no evidence of a cause.
 */
export type Verdict = 'healthy' | 'underWay' | 'broken' | 'unexplained';

export interface Explanation {
  readonly subject: string;
  readonly verdict: Verdict;
  /** The health state of the object, in one sentence. */
  readonly standing: string;
  readonly layers: readonly LayerLine[];
  /** The cause of the first broken layer. */
  readonly cause: Finding | undefined;
  /** Causes of later layers, and suspicious ones. */
  readonly also: readonly Finding[];
  /** For a pending pod: the NodePools that come closest, with what is missing. */
  readonly nearestPools: readonly NearestPool[];
  /** For a pending pod: why other NodePools are not for it, grouped by reason. */
  readonly otherPools: readonly string[];
  /** For a healthy node: why it is not disrupted. */
  readonly staying: readonly NonDisruptionReason[];
  readonly journey: readonly JourneyStep[];
  readonly read: readonly Reading[];
  readonly unread: readonly Unread[];
  readonly atMs: number;
}

export function explain(subject: Subject, evidence: EvidenceSet, cloud: CloudDiagnosis): Explanation {
  const findings = findingsOf(cloud, evidence);
  const broken = findings.filter(({ weight }) => weight === 'broken');
  const [cause] = broken;
  const health = healthStateOf(subject, evidence);
  return {
    subject: subjectText(subject),
    verdict: verdictOf(cause, health),
    standing: health.text,
    layers: layersOf(subject, evidence, cloud, broken),
    cause,
    also: findings.filter((finding) => finding !== cause),
    nearestPools: nearestPools(evidence),
    otherPools: otherPools(evidence),
    staying: cause === undefined && health.state === 'well' ? nonDisruptionReasons(subject, evidence) : [],
    journey: journeyOf(evidence, cause?.facts['claim']),
    read: readingsOf(evidence),
    unread: evidence.unread,
    atMs: evidence.atMs,
  };
}

// ---------------------------------------------------------------------------------------------------

function verdictOf(cause: Finding | undefined, { state }: HealthState): Verdict {
  if (cause !== undefined) return 'broken';
  return state === 'well' ? 'healthy' : state === 'soon' ? 'underWay' : 'unexplained';
}

/** `12 NodePools (a, b, c, …): taint gpu:NoSchedule is not tolerated`, the most frequent reason first. */
function otherPools(evidence: EvidenceSet): readonly string[] {
  const others = evidence.first('plan')?.others ?? [];
  return [...Map.groupBy(others, ({ reason }) => reason)]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([reason, pools]) => `${poolNames(pools.map(({ nodePool }) => nodePool))}: ${reason}`);
}

/** Nodes have no containers. */
function layersFor({ kind }: Subject): readonly Layer[] {
  return isNamespaced(kind) ? LAYERS : LAYERS.filter((layer) => layer !== 'readiness');
}

function layersOf(
  subject: Subject,
  evidence: EvidenceSet,
  cloud: CloudDiagnosis,
  broken: readonly Finding[],
): readonly LayerLine[] {
  const firstBroken = Math.min(...broken.map(({ layer }) => layerIndex(layer)), LAYERS.length);
  return layersFor(subject).map((layer): LayerLine => {
    const finding = broken.find((each) => each.layer === layer);
    if (finding !== undefined) return { layer, state: 'broken', detail: finding.title };
    const proof: LayerProof = proofOf(layer, subject, evidence, cloud);
    if (proof.state !== 'ok' && layerIndex(layer) > firstBroken)
      return { layer, state: 'notReached', detail: '' };
    return { layer, ...proof };
  });
}

/** One reading may have given several records. */
function readingsOf({ records }: EvidenceSet): readonly Reading[] {
  const readings = records.filter(({ kind }) => kind !== 'question').map(({ reading }) => reading);
  return [...new Map(readings.map((reading) => [`${reading.from} ${reading.what}`, reading])).values()];
}
