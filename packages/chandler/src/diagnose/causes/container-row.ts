/** What rows about containers share: the first container that fits, with its facts. */
import {
  badContainers,
  type ContainerEnd,
  type ContainerEvidence,
  type EventFact,
  type EvidenceSet,
  type Facts,
  failingByThemselves,
  failingPod,
  isLost,
  lastEnd,
  type Match,
  type PodEvidence,
  seen,
} from '../../causes/index.ts';

export const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
export const SHOW_LOG = 'kubectl logs -n {namespace} {podName} -c {container}';
export const SHOW_LAST_LOG = 'kubectl logs -n {namespace} {podName} -c {container} --previous';

/** Rows about how a container ends that the kubelet stops: its program may also end without an error. */
export const ENDS_BY_SIGNAL: readonly string[] = ['containers.ends-at-once', 'containers.shut-down'];

/** A container of the failing pod for which the test gives words, with the names of all of them. */
export function failingContainer(evidence: EvidenceSet, test: ContainerTest): Match | undefined {
  const matches = failingContainers(evidence, test);
  const containers = matches.map(({ facts }) => facts['container'] ?? '');
  return matches[0] === undefined ? undefined : { ...matches[0], containers };
}

/**
 * Each of them by itself: what stops one of them explains the end of that one only. They come after others that crash, of
 * which they may be a consequence.
 */
export function stoppedContainers(evidence: EvidenceSet, test: ContainerTest): Match | undefined {
  const all = failingContainers(evidence, test);
  const names = all.map(({ facts }) => facts['container'] ?? '');
  const pod = failingPod(evidence);
  const isLast = pod !== undefined && crashesBeside(pod, names, evidence.atMs);
  const [match, ...others] = all.map((each): Match => ({ ...each, ...(isLast ? { comesLast: true } : {}) }));
  return match === undefined ? undefined : { ...match, others };
}

type ContainerTest = (container: ContainerEvidence, atMs: number) => string | undefined;

/** Each of these containers. */
export function failingContainers(evidence: EvidenceSet, test: ContainerTest): readonly Match[] {
  const pod = failingPod(evidence);
  if (pod === undefined) return [];
  return badContainers(pod).flatMap((container) => {
    const problem = test(container, evidence.atMs);
    if (problem === undefined) return [];
    return [
      {
        facts: { ...containerFacts(pod, container), problem },
        seen: [seen(pod, `${container.name}: ${stateText(container, evidence.atMs)}`)],
      },
    ];
  });
}

export function containerFacts(pod: PodEvidence, container: ContainerEvidence): Facts {
  const [namespace = '', podName = ''] = pod.name.split('/');
  const { name, image, restarts } = container;
  return {
    pod: pod.name,
    namespace,
    podName,
    container: name,
    image,
    restarts: String(restarts),
    node: pod.nodeName ?? '',
  };
}

/** It ended and is started again and again, or stays ended. */
export function hasCrashed(container: ContainerEvidence, atMs: number): boolean {
  const { waiting, terminated, running, restarts } = container;
  if (waiting?.reason === 'CrashLoopBackOff' || terminated !== undefined) return true;
  const end = lastEnd(container, atMs);
  return end !== undefined && restarts > 0 && !(running && isLost(end));
}

/** Other containers of the pod that crash or cannot be started. */
export function failingBeside(
  pod: PodEvidence,
  { name }: ContainerEvidence,
  atMs: number,
): readonly ContainerEvidence[] {
  return failingByThemselves(pod, atMs).filter((other) => other.name !== name);
}

/** Another container than these fails for a reason of its own. */
export function crashesBeside(pod: PodEvidence, names: readonly string[], atMs: number): boolean {
  return failingByThemselves(pod, atMs).some(
    (other) => !names.includes(other.name) && !mayBeStopped(other, atMs),
  );
}

/** For a probe of its own, which the kubelet need not have reported. */
function mayBeStopped(container: ContainerEvidence, atMs: number): boolean {
  const end = lastEnd(container, atMs);
  if (end === undefined || end.reason === 'OOMKilled') return false;
  const isProbed = container.probes.includes('liveness') || container.probes.includes('startup');
  return isProbed && [0, 137, 143].includes(end.exitCode);
}

/** A container that was never started again has no log of an earlier run. */
export function logOfEnd({ facts }: Pick<Match, 'facts'>): Pick<Match, 'confirm'> {
  return facts['restarts'] === '0' ? { confirm: [SHOW_LOG, SHOW_POD] } : {};
}

export function endText({ reason, exitCode, signal, message }: ContainerEnd): string {
  const words = [reason, `exit code ${exitCode}`, signal === undefined ? '' : `signal ${signal}`, message];
  return words.filter((word) => word !== '').join(', ');
}

/** Those that name the container, and those that name none. */
export function eventsOf(
  evidence: EvidenceSet,
  pod: PodEvidence,
  { name }: ContainerEvidence,
  ...reasons: readonly string[]
): readonly EventFact[] {
  return evidence.events(`Pod/${pod.name}`, ...reasons).filter(({ container = name }) => container === name);
}

// ---------------------------------------------------------------------------------------------------

function stateText(container: ContainerEvidence, atMs: number): string {
  const { waiting, restarts } = container;
  const end = lastEnd(container, atMs);
  const parts = [
    waiting === undefined
      ? ''
      : `waiting, ${waiting.reason}${waiting.message === '' ? '' : `: ${waiting.message}`}`,
    end === undefined ? '' : `terminated: ${endText(end)}`,
    restarts === 0 ? '' : `${restarts} restarts`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? 'running, not ready' : parts.join('; ');
}
