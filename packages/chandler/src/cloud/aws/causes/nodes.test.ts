/** Conditions of the node monitoring agent of EKS, and pods on such nodes. */
import { describe, expect, test } from 'vitest';
import { aClaim, aContainer, aFailingPod, aNode, aPod, condition } from '../../../causes/testing.ts';

import { findings, weights } from './aws-verdict.fixture.ts';

const broken = (type: string) => aNode({ conditions: [condition(type, 'False', 'Reason', 'the words')] });
const crashing = aFailingPod({
  started: false,
  waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' },
  lastTerminated: { reason: 'Error', exitCode: 1, signal: undefined, message: '', endedAtMs: 1 },
  restarts: 4,
});
const waits = (reason: string, message = '') => aFailingPod({ started: false, waiting: { reason, message } });

describe('a node that is broken', () => {
  test.each([
    ['AcceleratedHardwareReady', 'aws-nodes.accelerator-broken'],
    ['StorageReady', 'aws-nodes.storage-broken'],
    ['KernelReady', 'aws-nodes.kernel-broken'],
    ['ContainerRuntimeReady', 'aws-nodes.runtime-broken'],
  ])('explains a container that crashes there: %s', (type, id) => {
    expect(weights(crashing, broken(type))).toEqual([[id, 'broken']]);
    expect(weights(waits('CreateContainerError', 'no device'), broken(type))[0]).toEqual([id, 'broken']);
  });

  test('explains no container that crashes if only its network is broken', () => {
    expect(weights(crashing, broken('NetworkingReady'))).toEqual([
      ['L7.2', 'broken'],
      ['aws-nodes.networking-broken', 'suspicious'],
    ]);
    expect(weights(waits('ContainerCreating'), broken('NetworkingReady'))[0]).toEqual([
      'aws-nodes.networking-broken',
      'broken',
    ]);
  });

  test.each(['AcceleratedHardwareReady', 'KernelReady'])(
    'explains neither an image nor a Secret that does not exist: %s',
    (type) => {
      for (const [reason, id] of [
        ['ErrImagePull', 'images.not-found'],
        ['CreateContainerConfigError', 'containers.config-missing'],
      ] as const) {
        const [top, ...others] = findings(waits(reason, 'x: not found'), broken(type));
        expect(top).toMatchObject({ id, weight: 'broken' });
        expect(others.map(({ weight }) => weight)).toEqual(['suspicious']);
      }
    },
  );

  test('is the cause while one of its containers crashes and the image of another one does not exist', () => {
    const pod = aPod({
      conditions: [condition('Ready', 'False')],
      containers: [
        ...crashing.containers,
        aContainer({
          name: 'proxy',
          ready: false,
          started: false,
          waiting: { reason: 'ErrImagePull', message: 'x: not found' },
        }),
      ],
    });
    expect(weights(pod, broken('KernelReady'))).toEqual([
      ['aws-nodes.kernel-broken', 'broken'],
      ['images.not-found', 'broken'],
    ]);
  });
});

describe('a device that does not appear', () => {
  const waitsFor = (minutes: number) =>
    aClaim({
      conditions: [
        condition('Launched', 'True'),
        condition('Registered', 'True', 'Registered', '', minutes),
        condition('Initialized', 'Unknown', 'ResourceNotRegistered', 'Resource "nvidia.com/gpu"', minutes),
      ],
    });

  test('has as much time as on every cloud', () => {
    expect(weights(waitsFor(4), aNode())).toEqual([]);
    expect(weights(waitsFor(6), aNode())).toEqual([['aws-nodes.device-missing', 'broken']]);
  });
});
