import { expect, test } from 'vitest';
import type { Pod } from '../model.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { SpecReader } from './spec-reader.ts';

/** A running pod as Kubernetes 1.33 and later shows it: with what the kubelet has given to each container. */
function running(name: string, given: object): Pod {
  return {
    metadata: { name, namespace: 'shop' },
    spec: { containers: [{ name: 'app', resources: { requests: { cpu: '1', memory: '1Gi' } } }] },
    status: {
      phase: 'Running',
      containerStatuses: [
        {
          name: 'app',
          containerID: `containerd://${name}`,
          state: { running: { startedAt: `2026-06-01T09:00:0${name}Z` } },
          ...given,
        },
      ],
    },
  };
}

test('running pods of one workload are read once, however long each has been running', () => {
  const reader = new SpecReader(new Algebra(), new Resources());
  const requests = { cpu: '1', memory: '1Gi' };
  const given = { allocatedResources: requests, resources: { requests, limits: { cpu: '2' } } };
  const ids = ['1', '2', '3'].map((name) => reader.read(running(name, given)).id);
  const { status: _, ...unscheduled } = running('4', {});
  expect([...ids, reader.read(unscheduled).id]).toEqual([0, 0, 0, 0]);
});

test('pods that were resized are read by what they were resized to', () => {
  const reader = new SpecReader(new Algebra(), new Resources());
  const larger = { allocatedResources: { cpu: '4', memory: '1Gi' } };
  const slower = { allocatedResources: { cpu: '1' }, resources: { requests: { cpu: '4' } } };
  const ids = [
    running('1', {}),
    running('2', larger),
    running('3', larger),
    running('4', slower),
    running('5', { allocatedResources: { cpu: '1' } }),
  ].map((pod) => reader.read(pod).id);
  expect(ids).toEqual([0, 1, 1, 2, 0]);
});
