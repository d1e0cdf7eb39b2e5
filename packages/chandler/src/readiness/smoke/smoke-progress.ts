/**
 * How far a smoke test is, from its pods and the NodeClaims that did not exist before it: the phase that is not over yet, and
 * how long each phase took by the times that the cluster wrote. Pure.
 */
import { conditionOf, type Pod, type Stored } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel, type NodeClaim } from '../../api/index.ts';
import {
  SMOKE_PHASE_NAMES,
  SMOKE_PHASES,
  type SmokeNode,
  type SmokePhase,
  type SmokePhaseName,
} from './smoke-result.ts';

export interface Observation {
  readonly pods: readonly Stored<Pod>[];
  /** Those that did not exist when the test began, and are not being deleted. */
  readonly claims: readonly Stored<NodeClaim>[];
}

export interface StuckPhase {
  readonly name: SmokePhaseName;
  readonly waitedMs: number;
}

/** The first phase that is not over; undefined when all pods run. */
export function currentPhase({ pods, claims }: Observation, replicas: number): SmokePhaseName | undefined {
  if (pods.length < replicas) return 'pending';
  if (pods.every(isRunning)) return undefined;
  // A pod that is bound waits for its kubelet and its image.
  if (pods.every(({ spec }) => spec.nodeName !== undefined)) return 'running';
  if (claims.length === 0) return 'claims';
  const conditions = ['Launched', 'Registered', 'Initialized'] as const;
  const open = conditions.find(
    (type) => !claims.every((claim) => conditionOf(claim, type)?.status === 'True'),
  );
  return open === undefined ? 'running' : PHASE_OF[open];
}

/** One line for people. */
export function progressText({ pods, claims }: Observation, replicas: number): string {
  const having = (type: string) =>
    claims.filter((claim) => conditionOf(claim, type)?.status === 'True').length;
  return (
    `pods ${pods.length}/${replicas} created, ${pods.filter(isRunning).length} running; ` +
    `NodeClaims ${claims.length}: ${having('Launched')} launched, ${having('Registered')} registered, ` +
    `${having('Initialized')} initialized`
  );
}

/** NodeClaims whose nodes run pods of the test: others were created for other pods meanwhile. */
export function ownClaims({ pods, claims }: Observation): readonly Stored<NodeClaim>[] {
  const nodes = new Set(pods.flatMap(({ spec }) => spec.nodeName ?? []));
  return claims.filter(({ status }) => nodes.has(status?.nodeName ?? ''));
}

export function smokeNodes(observation: Observation): readonly SmokeNode[] {
  return ownClaims(observation)
    .map(({ metadata: { name, labels = {} }, status }) => ({
      nodeClaim: name,
      nodePool: labels[KarpenterLabel.nodePool] ?? '',
      node: status?.nodeName ?? '',
      instanceType: labels[KubernetesLabel.instanceType] ?? '',
      zone: labels[KubernetesLabel.zone] ?? '',
      capacityType: labels[KarpenterLabel.capacityType] ?? '',
    }))
    .sort((a, b) => (a.nodeClaim < b.nodeClaim ? -1 : 1));
}

/** @param startMs when the Deployment was created, by the API server. */
export function smokePhases(
  observation: Observation,
  startMs: number,
  stuck: StuckPhase | undefined,
): readonly SmokePhase[] {
  const ends = phaseEnds(observation);
  const isAlone = stuck === undefined && ownClaims(observation).length === 0;
  const reached = stuck === undefined ? SMOKE_PHASES.length : SMOKE_PHASE_NAMES.indexOf(stuck.name);
  let beforeMs = startMs;
  return SMOKE_PHASES.map(({ name, title, since, warnMs, failMs }, index): SmokePhase => {
    const row = { name, title, warnMs, failMs };
    if (index === reached) return { ...row, state: 'stuck', tookMs: stuck!.waitedMs };
    if (index > reached) return { ...row, state: 'notReached' };
    if (isAlone && CLAIM_PHASES.has(name)) return { ...row, state: 'notNeeded' };
    const endMs = ends[name];
    if (endMs === undefined) return { ...row, state: 'done' };
    const fromMs = (since === undefined ? undefined : ends[since]) ?? beforeMs;
    beforeMs = Math.max(beforeMs, endMs);
    return { ...row, state: 'done', tookMs: Math.max(0, endMs - fromMs) };
  });
}

export function isRunning(pod: Stored<Pod>): boolean {
  return pod.status?.phase === 'Running' && conditionOf(pod, 'Ready')?.status === 'True';
}

// ---------------------------------------------------------------------------------------------------------------

const PHASE_OF = { Launched: 'launched', Registered: 'registered', Initialized: 'initialized' } as const;

/** Phases that pods which fit on existing nodes do not need. */
const CLAIM_PHASES: ReadonlySet<SmokePhaseName> = new Set([
  'claims',
  'launched',
  'registered',
  'initialized',
]);

/** The latest of its times, in seconds, as the API server writes them; undefined where one of them is not known. */
function phaseEnds(observation: Observation): Readonly<Record<SmokePhaseName, number | undefined>> {
  const { pods } = observation;
  const own = ownClaims(observation);
  const claims = own.length > 0 ? own : observation.claims;
  const condition = (type: string) =>
    latest(claims.map((claim) => conditionOf(claim, type)?.lastTransitionTime));
  return {
    pending: latest(pods.map(({ metadata }) => metadata.creationTimestamp)),
    claims: latest(claims.map(({ metadata }) => metadata.creationTimestamp)),
    launched: condition('Launched'),
    registered: condition('Registered'),
    initialized: condition('Initialized'),
    running: latest(pods.map((pod) => conditionOf(pod, 'Ready')?.lastTransitionTime)),
  };
}

function latest(times: readonly (string | undefined)[]): number | undefined {
  const found = times.map((time) => (time === undefined ? Number.NaN : Date.parse(time)));
  return found.length === 0 || found.some(Number.isNaN) ? undefined : Math.max(...found);
}
