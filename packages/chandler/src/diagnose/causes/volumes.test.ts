/** Failures between node and container that are over: what keeps the pod from being ready now is named. */
import { describe, expect, test } from 'vitest';
import type { ContainerEnd, ContainerEvidence, EventFact } from '../../causes/index.ts';
import { aContainer, aFailingPod, condition, events, NOW_MS } from '../../causes/testing.ts';

import { broken, verdict } from './verdict.fixture.ts';

const CREATING = {
  ready: false,
  started: false,
  waiting: { reason: 'ContainerCreating', message: '' },
} satisfies Partial<ContainerEvidence>;
const waits = (reason: string, message: string) => ({ ...CREATING, waiting: { reason, message } });
const ended = (reason: string, exitCode: number, seconds: number): ContainerEnd => ({
  reason,
  exitCode,
  signal: undefined,
  message: '',
  endedAtMs: NOW_MS - seconds * 1000,
});
const ago = (seconds: number, reason: string, message = ''): Partial<EventFact> => ({
  reason,
  message,
  lastMs: NOW_MS - seconds * 1000,
});
/** Scheduled just now, so that only events are left to blame. */
const pending = (container: Partial<ContainerEvidence>, more: readonly ContainerEvidence[] = []) =>
  aFailingPod(container, {
    phase: 'Pending',
    createdAtMs: NOW_MS - 180_000,
    conditions: [
      { ...condition('PodScheduled', 'True'), lastTransitionTime: new Date(NOW_MS - 120_000).toISOString() },
      condition('Ready', 'False', 'ContainersNotReady'),
    ],
    containers: [...more, aContainer(container)],
  });

describe('a failure of a volume or of the network is over', () => {
  const mount = ago(110, 'FailedMount', 'MountVolume.SetUp failed: secret "x" not found');
  const sandbox = ago(110, 'FailedCreatePodSandBox', 'failed to setup network for sandbox');
  const addresses = ago(110, 'FailedCreatePodSandBox', 'No available IP addresses');

  test.each(['Pulling', 'Pulled', 'Created', 'Started'])('when the event %s follows it', (reason) => {
    for (const failure of [mount, sandbox, addresses])
      expect(broken(pending(CREATING), events(failure, ago(90, reason)))).toEqual([]);
  });

  test('when an init container has completed', () => {
    const done = aContainer({
      name: 'init',
      init: true,
      started: false,
      terminated: ended('Completed', 0, 100),
    });
    const pod = pending(waits('PodInitializing', ''), [done]);
    expect(broken(pod, events(mount))).toEqual([]);
    expect(broken(pod, events(mount, ago(60, 'Pulling')))).toEqual([]);
  });

  test('when the container runs and its startup probe has not passed yet', () => {
    const starting = { ready: false, started: false, running: true, probes: ['startup'] } as const;
    for (const failure of [mount, sandbox, addresses])
      expect(broken(pending(starting), events(failure))).toEqual([]);
  });

  test('when the image cannot be pulled', () => {
    const pod = pending(waits('ImagePullBackOff', 'failed to extract layer sha256:1: unexpected EOF'));
    expect(broken(pod, events(mount))).toEqual(['L7.1']);
    expect(broken(pod, events(sandbox))).toEqual(['L7.1']);
  });

  test('when the container cannot be created', () => {
    const pod = pending(waits('CreateContainerError', 'context deadline exceeded'));
    expect(verdict(pod)).toMatch(/^containers\./);
    expect(broken(pod, events(addresses))).toEqual(broken(pod));
  });

  test('when the volumes are mounted, and the network fails', () => {
    const attach = ago(120, 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1"');
    const later = { ...sandbox, lastMs: NOW_MS - 50_000 };
    expect(broken(pending(CREATING), events(attach, mount, later))).toEqual(['network.sandbox-failed']);
  });

  test('when the volume was attached, and another problem remains', () => {
    const attach = ago(120, 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1" Volume is in use');
    const attached = (name: string) =>
      ago(100, 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${name}"`);
    const later = { ...mount, lastMs: NOW_MS - 50_000 };
    expect(broken(pending(CREATING), events(attach, attached('pvc-1'), later))).toEqual([
      'volumes.mount-failed',
    ]);
    expect(verdict(pending(CREATING), events(attach, attached('pvc-2'), later))).toBe('volumes.multi-attach');
  });
});

describe('a volume that is attached to another node', () => {
  const attach = ago(120, 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1" Volume is in use');

  test('is reported once', () => {
    const timedOut = ago(
      60,
      'FailedMount',
      'Unable to attach or mount volumes: unmounted volumes=[data], unattached volumes=[]: timed out waiting for the condition',
    );
    expect(broken(pending(CREATING), events(attach, timedOut))).toEqual(['volumes.multi-attach']);
  });

  test('does not hide another that cannot be attached, or be mounted', () => {
    const other = ago(100, 'FailedAttachVolume', 'disk is in another zone');
    const mount = ago(60, 'FailedMount', 'MountVolume.SetUp failed: secret "x" not found');
    expect(broken(pending(CREATING), events(attach, other, mount))).toEqual([
      'volumes.multi-attach',
      'volumes.attach-failed',
      'volumes.mount-failed',
    ]);
  });
});

describe('a failure of a volume or of the network is the cause', () => {
  test('while nothing has happened since', () => {
    const failure = ago(30, 'FailedMount', 'MountVolume.SetUp failed: secret "x" not found');
    expect(verdict(pending(CREATING), events(ago(110, 'Pulled'), failure))).toBe('volumes.mount-failed');
    expect(verdict(pending(waits('PodInitializing', '')), events(failure))).toBe('volumes.mount-failed');
  });

  describe('after a reboot of the node', () => {
    const addresses = ago(10, 'FailedCreatePodSandBox', 'No available IP addresses');
    const mount = ago(10, 'FailedMount', 'MountVolume.SetUp failed: secret "x" not found');
    const init = aContainer({
      name: 'init',
      init: true,
      started: false,
      terminated: ended('Completed', 0, 9000),
    });
    const rebooted = (container: Partial<ContainerEvidence>) =>
      aFailingPod(
        { ready: false, started: false, ...container },
        {
          containers: [init, aContainer({ ready: false, started: false, ...container })],
        },
      );
    const { endedAtMs: _, ...lost } = ended('ContainerStatusUnknown', 137, 0);

    test.each<[string, Partial<ContainerEvidence>]>([
      ['has ended', { terminated: ended('Unknown', 255, 60) }],
      ['has ended and had been restarted', { terminated: ended('Unknown', 255, 60), restarts: 3 }],
      ['is created again', { ...CREATING, lastTerminated: ended('Unknown', 255, 60), restarts: 1 }],
      ['was lost', { terminated: lost }],
    ])('when the container %s', (_what, container) => {
      expect(verdict(rebooted(container), events(addresses))).toBe('network.no-addresses');
      expect(verdict(rebooted(container), events(mount))).toBe('volumes.mount-failed');
    });

    test('unless a container has ended since', () => {
      const container = { terminated: ended('Error', 1, 5), restarts: 1 };
      expect(verdict(rebooted(container), events(addresses))).toBe('L7.2');
    });
  });
});
