import { describe, expect, test } from 'vitest';
import type { Pod } from '../../scheduling/index.ts';
import { readDocuments } from './documents.ts';
import { Inventory } from './inventory.ts';
import { aDeployment, NO_CATALOGUES } from './simulate.fixture.ts';
import { toInput } from './to-input.ts';

const CONTAINERS = 'containers: [{ name: main, resources: { requests: { cpu: "1" } } }]';

describe('workloads become the pods their controllers would create', () => {
  test('a Deployment', () => {
    const pods = podsOf(aDeployment('web', 3));
    expect(names(pods)).toEqual(['shop/web-0', 'shop/web-1', 'shop/web-2']);
    expect(pods[0]!.metadata.labels).toEqual({ app: 'web', 'pod-template-hash': 'web' });
    expect(pods[0]!.metadata.ownerReferences).toMatchObject([{ kind: 'Deployment', name: 'web' }]);
  });

  test('a Deployment whose pods are in the input without their ReplicaSet is not expanded again', () => {
    const pod = `---
apiVersion: v1
kind: Pod
metadata:
  name: web-5d4f8c7b9-x2x4z
  namespace: shop
  labels: { app: web, pod-template-hash: 5d4f8c7b9 }
  ownerReferences: [{ apiVersion: apps/v1, kind: ReplicaSet, name: web-5d4f8c7b9, uid: u, controller: true }]
spec: { ${CONTAINERS} }
`;
    expect(names(podsOf(aDeployment('web', 3) + pod))).toEqual(['shop/web-5d4f8c7b9-x2x4z']);
  });

  test('a workload without replicas has one', () => {
    expect(podsOf(aDeployment('web', 3).replace('replicas: 3', ''))).toHaveLength(1);
    expect(podsOf(aDeployment('web', 0))).toHaveLength(0);
  });

  test('a StatefulSet, with a volume claim for each pod', () => {
    const text = `apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  replicas: 2
  ordinals: { start: 5 }
  template: { spec: { ${CONTAINERS} } }
  volumeClaimTemplates: [{ metadata: { name: data }, spec: {} }]
---
apiVersion: storage.k8s.io/v1
kind: StorageClass
metadata: { name: fast, annotations: { storageclass.kubernetes.io/is-default-class: "true" } }
provisioner: disk.example.com
`;
    const { pods, volumes } = inputOf(text);
    expect(names(pods)).toEqual(['default/db-5', 'default/db-6']);
    expect(pods[1]!.metadata.labels).toMatchObject({ 'apps.kubernetes.io/pod-index': '6' });
    expect(pods[0]!.spec.volumes).toEqual([
      { name: 'data', persistentVolumeClaim: { claimName: 'data-db-5' } },
    ]);
    expect(volumes!.claims).toEqual([
      { metadata: { name: 'data-db-5', namespace: 'default' }, spec: { storageClassName: 'fast' } },
      { metadata: { name: 'data-db-6', namespace: 'default' }, spec: { storageClassName: 'fast' } },
    ]);
  });

  test.each([
    ['that is complete runs none', 'conditions: [{ type: Complete, status: "True" }], succeeded: 5', 0],
    ['that failed runs none', 'conditions: [{ type: Failed, status: "True" }]', 0],
    ['runs no more pods than completions are left', 'succeeded: 4', 1],
    ['with a condition that is not met runs on', 'conditions: [{ type: Complete, status: "False" }]', 5],
  ])('a Job %s', (_, status, count) => {
    const spec = `parallelism: 5, completions: 5, template: { spec: { ${CONTAINERS} } }`;
    const job = `apiVersion: batch/v1\nkind: Job\nmetadata: { name: j }\nspec: { ${spec} }\nstatus: { ${status} }\n`;
    expect(podsOf(job)).toHaveLength(count);
  });

  test('a Job runs as many pods at once as it may, and a CronJob one such Job', () => {
    const job = (spec: string) =>
      `apiVersion: batch/v1\nkind: Job\nmetadata: { name: j }\nspec: { ${spec} template: { spec: { ${CONTAINERS} } } }\n`;
    expect(podsOf(job(''))).toHaveLength(1);
    expect(podsOf(job('parallelism: 4, completions: 9,'))).toHaveLength(4);
    expect(podsOf(job('parallelism: 4, completions: 3,'))).toHaveLength(3);
    expect(podsOf(job('suspend: true,'))).toHaveLength(0);
    const cron = (more: string) =>
      `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: c }\nspec: { ${more} jobTemplate: { spec: { parallelism: 2, template: { spec: { ${CONTAINERS} } } } } }\n`;
    expect(names(podsOf(cron('')))).toEqual(['default/c-0', 'default/c-1']);
    expect(podsOf(cron('suspend: true,'))).toHaveLength(0);
  });

  test('a workload is not counted twice when its pods are in the input', () => {
    const owned = (kind: string, name: string, owner: string) =>
      `apiVersion: ${kind === 'Pod' ? 'v1' : 'apps/v1'}
kind: ${kind}
metadata:
  name: ${name}
  namespace: shop
  ownerReferences: [{ apiVersion: apps/v1, kind: ${owner.split('/')[0]}, name: ${owner.split('/')[1]}, uid: "1", controller: true }]
spec: ${kind === 'Pod' ? `{ ${CONTAINERS} }` : `{ replicas: 2, template: { spec: { ${CONTAINERS} } } }`}
`;
    const replicaSet = owned('ReplicaSet', 'web-abc', 'Deployment/web');
    const pod = owned('Pod', 'web-abc-x', 'ReplicaSet/web-abc');
    expect(names(podsOf(`${aDeployment('web', 3)}---\n${replicaSet}`))).toEqual([
      'shop/web-abc-0',
      'shop/web-abc-1',
    ]);
    expect(names(podsOf(`${aDeployment('web', 3)}---\n${replicaSet}---\n${pod}`))).toEqual([
      'shop/web-abc-x',
    ]);
  });

  test('workloads of one name give pods of different names', () => {
    const set = aDeployment('web', 1).replace('Deployment', 'StatefulSet');
    expect(names(podsOf(`${aDeployment('web', 1)}---\n${set}`))).toEqual(['shop/web-0', 'shop/web-0.2']);
  });
});

describe('pods get what an API server would have filled in', () => {
  test('requests from limits', () => {
    const text = aDeployment('web', 1).replace(
      'requests: { cpu: "1", memory: 1Gi }',
      'requests: { cpu: "1" }, limits: { cpu: "2", memory: 4Gi }',
    );
    expect(podsOf(text)[0]!.spec.containers[0]!.resources!.requests).toEqual({ cpu: '1', memory: '4Gi' });
  });

  test('priority from its class', () => {
    const priority = (name: string, value: number, more = '') =>
      `---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: { name: ${name} }\nvalue: ${value}\n${more}`;
    const high = aDeployment('web', 1, '      priorityClassName: high\n');
    expect(podsOf(high + priority('high', 7))[0]!.spec.priority).toBe(7);
    expect(
      podsOf(aDeployment('web', 1) + priority('usual', 3, 'globalDefault: true\n'))[0]!.spec.priority,
    ).toBe(3);
    expect(podsOf(high.replace('high', 'system-node-critical'))[0]!.spec.priority).toBe(2_000_001_000);
  });

  test('requests from the LimitRange of their namespace, where they have neither requests nor limits', () => {
    const range = (namespace: string) => `---
apiVersion: v1
kind: LimitRange
metadata: { name: usual, namespace: ${namespace} }
spec:
  limits:
    - { type: Container, default: { memory: 256Mi, cpu: 2 }, defaultRequest: { cpu: 100m } }
    - { type: Pod, default: { cpu: 9 } }
`;
    const bare = aDeployment('web', 1).replace(', resources: { requests: { cpu: "1", memory: 1Gi } }', '');
    const requests = (text: string) => podsOf(text)[0]!.spec.containers![0]!.resources?.requests;
    expect(requests(bare + range('shop'))).toEqual({ cpu: '100m', memory: '256Mi' });
    expect(requests(bare + range('other'))).toBeUndefined();
    expect(requests(aDeployment('web', 1) + range('shop'))).toEqual({ cpu: '1', memory: '1Gi' });
  });

  test.each([
    ['max', '{ max: { cpu: 2, memory: 1Gi } }', { cpu: 2, memory: '1Gi' }],
    ['min', '{ min: { cpu: 50m } }', { cpu: '50m' }],
    ['default before max', '{ max: { cpu: 2 }, default: { cpu: 1 }, min: { cpu: 50m } }', { cpu: 1 }],
    [
      'defaultRequest before all',
      '{ max: { cpu: 2, memory: 1Gi }, min: { cpu: 50m }, defaultRequest: { cpu: 100m } }',
      { cpu: '100m', memory: '1Gi' },
    ],
  ])('requests that an API server derives from a LimitRange: %s', (_, limit, wanted) => {
    const range = `---
apiVersion: v1
kind: LimitRange
metadata: { name: usual, namespace: shop }
spec: { limits: [${limit.replace('{', '{ type: Container,')}] }
`;
    const bare = aDeployment('web', 1).replace(', resources: { requests: { cpu: "1", memory: 1Gi } }', '');
    expect(podsOf(bare + range)[0]!.spec.containers![0]!.resources?.requests).toEqual(wanted);
  });

  test('label keys of affinity terms in their selectors', () => {
    const affinity = `      affinity:
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              labelSelector: { matchLabels: { tier: front } }
              matchLabelKeys: [app]
              mismatchLabelKeys: [pod-template-hash, absent]
`;
    const [pod] = podsOf(aDeployment('web', 1, affinity));
    expect(pod!.spec.affinity!.podAntiAffinity!.requiredDuringSchedulingIgnoredDuringExecution).toEqual([
      {
        topologyKey: 'kubernetes.io/hostname',
        labelSelector: {
          matchLabels: { tier: 'front' },
          matchExpressions: [
            { key: 'app', operator: 'In', values: ['web'] },
            { key: 'pod-template-hash', operator: 'NotIn', values: ['web'] },
          ],
        },
      },
    ]);
  });
});

function inputOf(text: string) {
  const inventory = new Inventory();
  for (const found of readDocuments({ name: 'test', text }).found) inventory.addFound(found);
  expect(inventory.problems).toEqual([]);
  return toInput(inventory, NO_CATALOGUES, { pools: [], options: {} }).input;
}

function podsOf(text: string): readonly Pod[] {
  return inputOf(text).pods;
}

function names(pods: readonly Pod[]): string[] {
  return pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
}
