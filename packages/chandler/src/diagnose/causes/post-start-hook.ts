/** Recognises a postStart hook that fails, and tells it from a program that ends by itself while its hook runs. */
import {
  type Cause,
  type ContainerEvidence,
  type EvidenceSet,
  failingPod,
  isLost,
  LOOP_RESTARTS,
  lastEnd,
  type Match,
} from '../../causes/index.ts';
import {
  ENDS_BY_SIGNAL,
  endText,
  eventsOf,
  failingContainers,
  hasCrashed,
  SHOW_LAST_LOG,
  SHOW_LOG,
  SHOW_POD,
} from './container-row.ts';

export const POST_START_HOOK: Cause = {
  id: 'containers.post-start-hook',
  layer: 'readiness',
  specificity: 'exact',
  point: 'L7.2',
  title: 'The postStart hook of the container fails',
  symptom: 'The event FailedPostStartHook, or the container is waiting (PostStartHookError).',
  summary: 'The postStart hook of the container fails (container {container} of {pod}): {problem}',
  fix: 'Correct lifecycle.postStart of the container, or run its command there by hand: the kubelet stops a container whose hook fails, and starts it again. The hook runs beside the program, which may not be up yet.',
  confirm: [SHOW_POD, SHOW_LAST_LOG, SHOW_LOG],
  explains: ENDS_BY_SIGNAL,
  recognise: recognisePostStart,
};

// ---------------------------------------------------------------------------------------------------

/** A hook is a process in the container: it fails, too, when the program ends. */
function recognisePostStart(evidence: EvidenceSet): Match | undefined {
  const ended = new Set<string>();
  const matches = failingContainers(evidence, (container, atMs) => {
    const problem = postStartProblem(container, atMs, evidence);
    if (problem !== undefined && endsByItself(container, atMs) && !HOOK_ENDED.test(problem))
      ended.add(container.name);
    return problem;
  });
  const failing = matches.filter(({ facts }) => !ended.has(facts['container'] ?? ''));
  const containers = failing.map(({ facts }) => facts['container'] ?? '');
  const [match = matches[0]] = failing;
  if (match === undefined) return undefined;
  if (containers.length > 0) return { ...match, containers };
  return {
    ...match,
    weight: 'suspicious',
    fix: 'First find out why the program ends: a postStart hook that is running then fails with it.',
  };
}

/** The kubelet stops a program by SIGTERM, and then by SIGKILL. */
function endsByItself(container: ContainerEvidence, atMs: number): boolean {
  const end = lastEnd(container, atMs);
  if (end === undefined || !hasCrashed(container, atMs)) return false;
  return end.reason === 'OOMKilled' || ![0, 143, 137].includes(end.exitCode);
}

/** By itself: a process that is killed with its container has the code 137. */
const HOOK_ENDED = /\bexited with (?!137\b)\d+/;

/** The event does not say what the hook answered. */
function postStartProblem(
  container: ContainerEvidence,
  atMs: number,
  evidence: EvidenceSet,
): string | undefined {
  const { waiting, restarts } = container;
  if (waiting?.reason === 'PostStartHookError') return waiting.message || 'PostStartHookError';
  const pod = failingPod(evidence);
  const end = lastEnd(container, atMs);
  if (pod === undefined || end === undefined || !hasCrashed(container, atMs)) return undefined;
  if (end.reason === 'OOMKilled' || isLost(end)) return undefined;
  const failed =
    eventsOf(evidence, pod, container, 'FailedPostStartHook').at(-1) ??
    eventsOf(evidence, pod, container, 'Killing').findLast(
      ({ message }) => message === 'FailedPostStartHook',
    );
  if (failed === undefined) return undefined;
  // After some restarts the kubelet does not report each one. A program that ends without an error may be meant to.
  const isOfAny = restarts >= LOOP_RESTARTS && end.exitCode !== 0;
  if (failed.lastMs < (end.startedAtMs ?? 0) && !isOfAny) return undefined;
  return `${failed.message}; it ended with ${endText(end)}`;
}
