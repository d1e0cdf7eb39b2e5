/** Lines in the logs of the containers that keep a pod from being well. */
import { type Match, seen } from './cause.ts';
import type { ContainerEvidence, ContainerLogEvidence, PodEvidence } from './evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';
import { isAtEnd, lastLine } from './log-lines.ts';
import { podNames } from './pod-start.ts';
import { badContainers, failingPod, hasBeenStarted, lastEnd, runsSteadily } from './pod-state.ts';

export function logsOf(
  evidence: EvidenceSet,
  pod: PodEvidence,
  container: ContainerEvidence,
): readonly ContainerLogEvidence[] {
  return evidence
    .all('containerLog')
    .filter((log) => log.pod === pod.name && log.container === container.name);
}

/** What it wrote is not why it is not well now: its memory was used up, or it waits for its image or a Secret. */
export function failsOtherwise(container: ContainerEvidence, atMs: number): boolean {
  return lastEnd(container, atMs)?.reason === 'OOMKilled' || !hasBeenStarted(container);
}

/** The last such line of a container that is not well. Suspicious where the program went on, or fails for another reason. */
export function loggedProblem(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  const matches = badContainers(pod).flatMap((container) =>
    logsOf(evidence, pod, container).flatMap((log): readonly Match[] => {
      const line = lastLine(log.text, says);
      if (line === undefined) return [];
      const isCause =
        isAtEnd(log.text, line) &&
        !runsSteadily(container, evidence.atMs) &&
        !failsOtherwise(container, evidence.atMs);
      return [
        {
          facts: { ...podNames(pod), node: pod.nodeName ?? '', problem: line },
          seen: [seen(log, line)],
          ...(isCause ? {} : { weight: 'suspicious' }),
        },
      ];
    }),
  );
  return matches.find(({ weight }) => weight !== 'suspicious') ?? matches[0];
}
