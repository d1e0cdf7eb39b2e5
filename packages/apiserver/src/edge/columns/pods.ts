/**
 * The columns of pods. The hard one is STATUS: it folds phase, container states, init containers, readiness
 * and deletion into the one word people look for, in the order of precedence of a real API server.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { rowOf } from '../../table-row.ts';
import { ageOf, NONE } from '../age.ts';
import { AGE, at, conditionOf, type Fields, listAt, NAME, numberAt, stringAt, text, WIDE } from './column.ts';

export const POD_COLUMNS: readonly PrinterColumn[] = [
  NAME,
  text('Ready', (pod) => readyText(podSummary(pod)), {
    description: 'Containers that are ready, of those that should be.',
  }),
  text('Status', (pod) => podSummary(pod).reason, {
    description: 'What the pod and its containers are doing, in one word.',
  }),
  text('Restarts', (pod, nowMs) => restartsText(podSummary(pod), nowMs), {
    description: 'How often containers were restarted, and when that last happened.',
  }),
  AGE,
  text('IP', (pod) => stringAt(pod, 'status', 'podIPs', 0, 'ip') || NONE, {
    ...WIDE,
    description: 'The first address of the pod.',
  }),
  text('Node', (pod) => stringAt(pod, 'spec', 'nodeName') || NONE, {
    ...WIDE,
    description: 'The node the pod is bound to.',
  }),
  text('Nominated Node', (pod) => stringAt(pod, 'status', 'nominatedNodeName') || NONE, {
    ...WIDE,
    description: 'The node on which pods are preempted for this pod.',
  }),
  text('Readiness Gates', readinessGates, {
    ...WIDE,
    description: 'Readiness gates that are met, of those in the spec.',
  }),
];

export interface PodSummary {
  readonly reason: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  /** When a container last ended before it was restarted; '' when none was. */
  readonly lastRestart: string;
}

export function podSummary(pod: KubeObject): PodSummary {
  const summary = { reason: phaseReason(pod), ready: 0, total: 0, restarts: 0, lastRestart: '' };
  const inits = new Map(listAt(pod, 'spec', 'initContainers').map((init) => [stringAt(init, 'name'), init]));
  const sidecars = [...inits.values()].filter(isSidecar).length;
  summary.total = listAt(pod, 'spec', 'containers').length + sidecars;
  const sidecarsOnly = { restarts: 0, lastRestart: '' };
  const initializing = readInitContainers(pod, inits, summary, sidecarsOnly);
  if (!initializing || conditionOf(pod, 'Initialized') === 'True') {
    summary.restarts = sidecarsOnly.restarts;
    summary.lastRestart = sidecarsOnly.lastRestart;
    readContainers(pod, summary);
  }
  if (pod.metadata.deletionTimestamp !== undefined) summary.reason = deletionReason(pod, summary.reason);
  return summary;
}

/** Added to the row of a pod that has ended, so that clients can filter it. */
export function podRowConditions(pod: KubeObject): readonly object[] | undefined {
  const phase = stringAt(pod, 'status', 'phase');
  const message = rowOf(COMPLETED_MESSAGES, phase);
  return message === undefined ? undefined : [{ type: 'Completed', status: 'True', reason: phase, message }];
}

// ---------------------------------------------------------------------------------------------------

const COMPLETED_MESSAGES: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

type Counts = { reason: string; ready: number; restarts: number; lastRestart: string };

function isSidecar(container: Fields | undefined): boolean {
  return container?.['restartPolicy'] === 'Always';
}

function phaseReason(pod: KubeObject): string {
  const gated = listAt(pod, 'status', 'conditions').some(
    (condition) => condition['type'] === 'PodScheduled' && condition['reason'] === 'SchedulingGated',
  );
  if (gated) return 'SchedulingGated';
  return stringAt(pod, 'status', 'reason') || stringAt(pod, 'status', 'phase');
}

/** Reads init containers up to the first one that is not done; true when there is such a one. */
function readInitContainers(
  pod: KubeObject,
  inits: ReadonlyMap<string, Fields>,
  counts: Counts,
  sidecarsOnly: { restarts: number; lastRestart: string },
): boolean {
  const statuses = listAt(pod, 'status', 'initContainerStatuses');
  for (const [index, status] of statuses.entries()) {
    const sidecar = isSidecar(inits.get(stringAt(status, 'name')));
    countRestarts(counts, status);
    if (sidecar) countRestarts(sidecarsOnly, status);
    const terminated = at(status, 'state', 'terminated');
    if (terminated !== undefined && numberAt(terminated, 'exitCode') === 0) continue;
    if (sidecar && status['started'] === true) {
      if (status['ready'] === true) counts.ready++;
      continue;
    }
    counts.reason = `Init:${initReason(status, index, inits.size)}`;
    return true;
  }
  return false;
}

function initReason(status: Fields, index: number, total: number): string {
  const terminated = at(status, 'state', 'terminated');
  if (terminated !== undefined) return endReason(terminated);
  const waiting = stringAt(status, 'state', 'waiting', 'reason');
  return waiting !== '' && waiting !== 'PodInitializing' ? waiting : `${index}/${total}`;
}

function readContainers(pod: KubeObject, counts: Counts): void {
  let running = false;
  let errorReason = '';
  for (const status of listAt(pod, 'status', 'containerStatuses').toReversed()) {
    countRestarts(counts, status);
    const waiting = stringAt(status, 'state', 'waiting', 'reason');
    const terminated = at(status, 'state', 'terminated');
    if (waiting !== '') {
      counts.reason = waiting;
    } else if (terminated !== undefined) {
      counts.reason = endReason(terminated);
      if (numberAt(terminated, 'exitCode') !== 0) errorReason = counts.reason;
    } else if (status['ready'] === true && at(status, 'state', 'running') !== undefined) {
      running = true;
      counts.ready++;
    }
  }
  // One finished container does not make the pod finished while another still runs.
  if (counts.reason !== 'Completed') return;
  if (running && conditionOf(pod, 'Ready') === 'True') counts.reason = 'Running';
  else if (errorReason !== '') counts.reason = errorReason;
  else if (running) counts.reason = 'NotReady';
}

function endReason(terminated: unknown): string {
  const reason = stringAt(terminated, 'reason');
  if (reason !== '') return reason;
  const signal = numberAt(terminated, 'signal');
  return signal !== 0 ? `Signal:${signal}` : `ExitCode:${numberAt(terminated, 'exitCode')}`;
}

function countRestarts(counts: { restarts: number; lastRestart: string }, status: Fields): void {
  counts.restarts += numberAt(status, 'restartCount');
  const finished = stringAt(status, 'lastState', 'terminated', 'finishedAt');
  if (finished === '') return;
  if (counts.lastRestart === '' || Date.parse(counts.lastRestart) < Date.parse(finished)) {
    counts.lastRestart = finished;
  }
}

function deletionReason(pod: KubeObject, reason: string): string {
  if (stringAt(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  const phase = stringAt(pod, 'status', 'phase');
  return phase === 'Succeeded' || phase === 'Failed' ? reason : 'Terminating';
}

function readyText(summary: PodSummary): string {
  return `${summary.ready}/${summary.total}`;
}

function restartsText(summary: PodSummary, nowMs: number): string {
  if (summary.restarts === 0 || summary.lastRestart === '') return String(summary.restarts);
  return `${summary.restarts} (${ageOf(summary.lastRestart, nowMs)} ago)`;
}

function readinessGates(pod: KubeObject): string {
  const gates = listAt(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return NONE;
  const met = gates.filter((gate) => conditionOf(pod, stringAt(gate, 'conditionType')) === 'True');
  return `${met.length}/${gates.length}`;
}
