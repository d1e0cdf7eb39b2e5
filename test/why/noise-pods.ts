/** Pods that are in every real cluster and do not concern the object in question: old ones that nothing can take, and failed ones that are left behind. */
import type { ReadObject } from '../../packages/chandler/src/causes/index.ts';

import { anEvent, aPod, type PodWords } from './objects.ts';

/** The same on every cloud. */
export interface PodNoise {
  readonly name: string;
  readonly make: () => readonly ReadObject[];
}

export const POD_NOISES: readonly PodNoise[] = [
  {
    name: 'another pod selects a label that no NodePool has',
    make: () => [old('noise-lost', { nodeSelector: { 'noise-none': 'x' } })],
  },
  {
    name: 'the node affinity of other pods matches no NodePool',
    make: () =>
      Array.from({ length: 9 }, (_, index) =>
        old(`noise-affine-${index}`, {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [
                  { matchExpressions: [{ key: 'noise-none', operator: 'In', values: [`x-${index}`] }] },
                ],
              },
            },
          },
        }),
      ),
  },
  {
    name: 'another pod requests more than any size has',
    make: () => [
      old('noise-huge', {
        containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '1', memory: '4000Ti' } } }],
      }),
    ],
  },
  {
    name: 'another pod requires to be near a pod that does not exist',
    make: () => [
      old('noise-lonely', {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: 'topology.kubernetes.io/zone',
                labelSelector: { matchLabels: { app: 'noise-none' } },
              },
            ],
          },
        },
      }),
    ],
  },
  {
    name: 'the volume of another pod is in a zone of no NodePool',
    make: () => [
      old('noise-stuck', {
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'noise-data' } }],
      }),
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'noise-data', namespace: 'noise' },
        spec: { volumeName: 'noise-volume' },
        status: { phase: 'Bound' },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'noise-volume' },
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['noise-zone'] },
                  ],
                },
              ],
            },
          },
        },
      },
    ],
  },
  {
    name: 'another pod is crashing',
    make: () => [
      aPod({
        name: 'noise-crash',
        namespace: 'noise',
        node: 'noise-sick-node',
        ready: false,
        container: { waiting: { reason: 'CrashLoopBackOff', message: 'noise' }, restarts: 9 },
      }),
    ],
  },
  {
    name: 'failed pods of other workloads are left behind',
    make: () => [
      failed({ name: 'noise-evicted', namespace: 'noise' }, 'noise-other'),
      failed({ name: 'noise-evicted', namespace: 'shop' }, 'noise-other'),
    ],
  },
  {
    name: 'failed pods of the same workload are left behind',
    make: () => [
      failed({ name: 'noise-evicted-1', namespace: 'shop' }, 'web-new'),
      failed({ name: 'noise-evicted-2', namespace: 'shop' }, 'web-new'),
    ],
  },
  {
    name: 'pods of another workload could not be created',
    make: () => [
      {
        apiVersion: 'v1',
        kind: 'ResourceQuota',
        metadata: { name: 'noise-quota', namespace: 'noise' },
        spec: { hard: { pods: '1' } },
        status: { hard: { pods: '1' }, used: { pods: '1' } },
      },
      anEvent(
        {
          on: 'ReplicaSet/noise/noise-web',
          reason: 'FailedCreate',
          message: 'pods "noise-web-1" is forbidden: exceeded quota: noise-quota',
          by: 'replicaset-controller',
        },
        9000,
      ),
    ],
  },
];

// ---------------------------------------------------------------------------------------------------

function old(name: string, spec: Record<string, unknown>): ReadObject {
  return aPod({ name, namespace: 'noise', age: '5d', spec });
}

/** Evicted hours ago. */
function failed(words: PodWords, owner: string): ReadObject {
  return aPod({
    ...words,
    age: '5h',
    node: 'noise-sick-node',
    phase: 'Failed',
    ready: false,
    container: { terminated: { reason: 'Error', exitCode: 137 } },
    status: { reason: 'Evicted', message: 'noise: the node was low on memory' },
    metadata: {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid: `uid-${owner}` }],
    },
  });
}
