import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { aPod, type PodOptions } from '../builders.fixture.ts';
import { behaviourOf, nextStep, situationOf, stopDelayMs } from './pod-stages.ts';
import { statusIn } from './pod-status.ts';
import type { Situation } from './stages.table.ts';

const where = { nowMs: Date.parse('2026-01-01T00:00:00Z'), hostIP: '10.0.0.1', podIP: () => '10.244.0.1' };

function walk(options: PodOptions, steps: number): Situation[] {
  let pod = aPod('p', { node: 'n', phase: 'Pending', ...options });
  const way: Situation[] = [];
  for (let at = 0; at < steps; at++) {
    const step = nextStep(pod);
    if (!step) break;
    pod = { ...pod, status: { ...pod.status, ...statusIn(step.to, pod, where) } };
    expect(situationOf(pod)).toBe(step.to);
    way.push(step.to);
  }
  return way;
}

const image = (name: string) => ({ spec: { containers: [{ name: 'main', image: name }], nodeName: 'n' } });

describe('the lifecycle of a pod on a simulated node', () => {
  test('ends in Ready by default', () => {
    expect(walk({}, 9)).toEqual(['Creating', 'Running', 'Ready']);
  });

  test('ends in completion for a job', () => {
    const owner = { kind: 'Job', name: 'j', uid: 'j' };
    const options = { owner, spec: { restartPolicy: 'OnFailure', nodeName: 'n' } };
    expect(walk(options, 9)).toEqual(['Creating', 'Running', 'Ready', 'Finished']);
  });

  test('with a missing image it waits, with a crashing program it restarts', () => {
    expect(walk(image('registry/image-not-found:1'), 9)).toEqual(['Creating', 'ImagePullBackOff']);
    expect(walk(image('crash:1'), 5)).toEqual([
      'Creating',
      'Running',
      'CrashLoopBackOff',
      'Running',
      'CrashLoopBackOff',
    ]);
    expect(walk(image('nginx'), 9)).toEqual(['Creating', 'Running', 'Ready']);
  });

  test('an annotation names the behaviour and sets the times', () => {
    const annotations = {
      'chandler.sh/playground-behaviour': 'NeverReady',
      'chandler.sh/playground-start-seconds': '2.5',
      'chandler.sh/playground-stop-seconds': '90',
    };
    const pod = aPod('p', { node: 'n', annotations });
    expect(behaviourOf(pod)).toBe('NeverReady');
    expect(walk({ annotations }, 9)).toEqual(['Creating', 'Running']);
    const creating = { ...pod, status: statusIn('Creating', pod, where) };
    expect(nextStep(creating)).toEqual({ to: 'Running', delayMs: 2500 });
    expect(stopDelayMs(pod)).toBe(30_000);
  });

  test('the back-off of a crashing pod doubles', () => {
    const pod = aPod('p', { node: 'n', ...image('crash:1') });
    const crashed = (restartCount: number): Stored<Pod> => {
      const status = statusIn('CrashLoopBackOff', pod, where);
      const containerStatuses = status.containerStatuses!.map((one) => ({ ...one, restartCount }));
      return { ...pod, status: { ...status, containerStatuses } };
    };
    expect([1, 2, 3, 20].map((count) => nextStep(crashed(count))?.delayMs)).toEqual([
      10_000, 20_000, 40_000, 300_000,
    ]);
  });

  test('a pod with a readiness gate is Ready only when the gate is set', () => {
    const pod = aPod('p', { node: 'n', spec: { nodeName: 'n', readinessGates: [{ conditionType: 'lb' }] } });
    const readiness = (status: ReturnType<typeof statusIn>) =>
      status.conditions?.find(({ type }) => type === 'Ready')?.status;
    expect(readiness(statusIn('Ready', pod, where))).toBe('False');
    const open = { ...pod, status: { conditions: [{ type: 'lb', status: 'True' }] } };
    expect(readiness(statusIn('Ready', open, where))).toBe('True');
  });

  test('a failure sets the reason', () => {
    const pod = aPod('p', { node: 'n', annotations: { 'chandler.sh/playground-exit-code': '3' } });
    expect(statusIn('Finished', pod, where)).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 3, reason: 'Error' } } }],
    });
  });
});
