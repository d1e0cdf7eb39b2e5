/** Faults that all concern one pending pod, in the order in which they have to be repaired, and a case for each pair. */
import type { CorpusCase } from './corpus.ts';
import { merged } from './objects.ts';

export interface Fault {
  readonly cause: string;
  /** Why it is repaired before the faults below it. */
  readonly because: string;
  readonly controller?: object;
  readonly class?: object;
  readonly pool?: object;
  readonly pod?: object;
  readonly objects?: readonly object[];
}

export const FAULTS: readonly Fault[] = [
  {
    cause: 'scheduling.gated',
    because: 'nothing looks at the pod before the gate is removed',
    pod: {
      spec: { schedulingGates: [{ name: 'example.com/wait' }] },
      status: { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] },
    },
  },
  {
    cause: 'configuration.controller-down',
    because: 'nothing is launched, whatever the NodePools are',
    controller: { ready: 0, leader: false },
  },
  {
    cause: 'configuration.subnet-not-found',
    because: 'the NodePool launches nothing; a pod that fits would wait as well',
    class: {
      conditions: { SubnetsReady: { status: 'False', reason: 'SubnetNotFound', message: 'no subnet' } },
    },
    pool: { conditions: { NodeClassReady: { status: 'False', reason: 'UnhealthyDependents' } } },
  },
  {
    cause: 'scheduling.storage-class-missing',
    because: 'without its volume the pod is scheduled to no node',
    pod: { spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] } },
    objects: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'data', namespace: 'shop' },
        spec: { storageClassName: 'fsat' },
        status: { phase: 'Pending' },
      },
    ],
  },
  {
    cause: 'scheduling.resource-unknown',
    because: 'no instance type of any NodePool offers it, so that another NodePool does not help',
    pod: {
      spec: {
        initContainers: [
          {
            name: 'prepare',
            image: 'a',
            resources: { requests: { 'nvidia.com/gpus': '1' }, limits: { 'nvidia.com/gpus': '1' } },
          },
        ],
      },
    },
  },
  {
    cause: 'L6.2',
    because: 'a taint keeps the pod from nodes that it selects',
    pool: {
      spec: { template: { spec: { taints: [{ key: 'team', value: 'data', effect: 'NoSchedule' }] } } },
    },
  },
  {
    cause: 'L6.4',
    because: 'the labels say which NodePool the pod is meant for',
    pod: { spec: { nodeSelector: { disktype: 'fast' } } },
  },
  {
    cause: 'scheduling.volume-elsewhere',
    because: 'the zone of a volume cannot be changed, so it decides which NodePools remain',
    pool: {
      spec: {
        template: {
          spec: {
            requirements: [
              {
                key: 'topology.kubernetes.io/zone',
                operator: 'In',
                values: ['westeurope-1', 'westeurope-2'],
              },
            ],
          },
        },
      },
    },
    pod: { spec: { volumes: [{ name: 'far', persistentVolumeClaim: { claimName: 'far' } }] } },
    objects: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: { name: 'far', namespace: 'shop' },
        spec: { volumeName: 'pv-far' },
        status: { phase: 'Bound' },
      },
      {
        apiVersion: 'v1',
        kind: 'PersistentVolume',
        metadata: { name: 'pv-far' },
        spec: {
          nodeAffinity: {
            required: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['westeurope-3'] },
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
    cause: 'L6.3',
    because: 'no instance type is large enough, so that a higher limit does not help',
    pod: {
      spec: {
        containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '100m', memory: '90Ti' } } }],
      },
    },
  },
  {
    cause: 'scheduling.topology',
    because: 'a rule about other pods, decided once a node could run the pod by itself',
    pod: {
      spec: {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              {
                topologyKey: 'topology.kubernetes.io/zone',
                labelSelector: { matchLabels: { app: 'cache' } },
              },
            ],
          },
        },
      },
    },
  },
  {
    cause: 'scheduling.limit',
    because: 'the NodePool is right for the pod, and is full',
    pool: { spec: { limits: { cpu: '10' } }, status: { resources: { cpu: '10', nodes: '3' } } },
  },
];

/** @param index of the pair, of all pairs of two faults. */
export function pairCase(index: number): { first: Fault; second: Fault; one: CorpusCase } {
  const pairs = FAULTS.flatMap((first, at) => FAULTS.slice(at + 1).map((second) => ({ first, second })));
  const { first, second } = pairs[index]!;
  const both = <K extends 'controller' | 'class' | 'pool' | 'pod'>(part: K) =>
    merged<object>(first[part] ?? {}, second[part] ?? {});
  const one = {
    file: '',
    title: '',
    ask: 'pod/shop/web',
    controller: both('controller'),
    class: both('class'),
    pool: both('pool'),
    pods: [withVolumes(both('pod'), [...volumesOf(first), ...volumesOf(second)])],
    objects: [...(first.objects ?? []), ...(second.objects ?? [])],
    expect: {},
  } as unknown as CorpusCase;
  return { first, second, one };
}

/** Lists are replaced where objects are merged, and the pod has the volumes of both. */
function withVolumes(pod: object, volumes: readonly object[]): object {
  return volumes.length === 0 ? pod : merged(pod, { spec: { volumes } });
}

function volumesOf({ pod = {} }: Fault): readonly object[] {
  return (pod as { spec?: { volumes?: readonly object[] } }).spec?.volumes ?? [];
}
