import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchTransport, KubeClient, LIMIT_RANGES, NODES, PODS } from '@chandler/kube';
import { expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { exampleFile, simulate } from './examples.ts';

test('--live reads a cluster over the wire, and manifests are added to it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-live-'));
  const running = await startPlayground({ world: await createWorld(), standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
    await client.create(NODES, { metadata: { name: 'node-1' }, status: { allocatable } });
    const containers = [{ name: 'main', image: 'x', resources: { requests: { cpu: '3' } } }];
    // Nothing removes the not-ready taint of this node.
    const spec = { containers, tolerations: [{ operator: 'Exists' }] };
    await client.create(PODS, { metadata: { name: 'waits', namespace: 'default' }, spec });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);

    const alone = await simulate(['--live', '--kubeconfig', kubeconfig, '-o', 'json']);
    const { summary, existingNodes, notes } = JSON.parse(alone.out);
    expect(summary).toMatchObject({ pods: 1, placedOnExisting: 1, nodes: 0 });
    expect(existingNodes).toMatchObject([{ name: 'node-1', pods: [{ name: 'default/waits' }] }]);
    expect(notes[0]).toBe(`Read from context chandler-playground of ${kubeconfig}.`);

    const shop = ['-f', exampleFile('web-shop'), '-o', 'json', '--no-bound'];
    const both = await simulate(['--live', '--kubeconfig', kubeconfig, ...shop]);
    expect(JSON.parse(both.out).summary.pods).toBe(44);
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});

const CONTAINERS = [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }];
const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: { containers: CONTAINERS, tolerations: [{ operator: 'Exists' }] },
};
const workload = (kind: string, name: string, spec: object) => ({
  apiVersion: kind === 'CronJob' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: { name, namespace: 'default' },
  spec,
});
const SELECTOR = { matchLabels: { app: 'web' } };
const JOB = { parallelism: 3, template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } };

test.each([
  ['Deployment', 'ReplicaSet', 'web-5d4f8c7b9', { replicas: 3, selector: SELECTOR, template: TEMPLATE }],
  ['StatefulSet', 'StatefulSet', 'web', { replicas: 3, selector: SELECTOR, template: TEMPLATE }],
  ['CronJob', 'Job', 'web-29384756', { schedule: '* * * * *', jobTemplate: { spec: JOB } }],
])(
  'with --live, the pods of a %s of a file take the place of those that it has in the cluster',
  async (kind, controller, owner, spec) => {
    const folder = await mkdtemp(join(tmpdir(), 'simulate-live-'));
    const running = await startPlayground({ world: await createWorld(), standins: false });
    try {
      const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
      const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
      await client.create(NODES, { metadata: { name: 'node-1' }, status: { allocatable } });
      const reference = { apiVersion: 'apps/v1', kind: controller, name: owner, uid: 'u', controller: true };
      const labels = { app: 'web', ...(kind === 'Deployment' ? { 'pod-template-hash': '5d4f8c7b9' } : {}) };
      for (const index of [0, 1])
        await client.create(PODS, {
          metadata: { name: `web-${index}`, namespace: 'default', labels, ownerReferences: [reference] },
          spec: { ...TEMPLATE.spec, nodeName: 'node-1' },
        });
      // Of another workload, which no file defines.
      const other = { ...reference, kind: 'ReplicaSet', name: 'webmail-5d4f8c7b9' };
      await client.create(PODS, {
        metadata: { name: 'webmail', namespace: 'default', labels, ownerReferences: [other] },
        spec: { ...TEMPLATE.spec, nodeName: 'node-1' },
      });
      const [kubeconfig, file] = [join(folder, 'kubeconfig'), join(folder, 'web.json')];
      await writeFile(kubeconfig, running.server.kubeconfig);
      await writeFile(file, JSON.stringify(workload(kind, 'web', spec)));

      const { out } = await simulate([
        '--live',
        '--kubeconfig',
        kubeconfig,
        '-f',
        file,
        '-o',
        'json',
        '--no-bound',
      ]);
      const { summary, notes } = JSON.parse(out);
      expect(summary).toMatchObject({ pods: 3, placedOnExisting: 3, nodes: 0 });
      expect(notes.join()).toContain('2 pods of the cluster belong to workloads in the files');
    } finally {
      await running.stop();
      await rm(folder, { recursive: true });
    }
  },
);

test('with --live, pods of a file get requests from the LimitRanges of the cluster', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-live-'));
  const running = await startPlayground({ world: await createWorld(), standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
    await client.create(NODES, { metadata: { name: 'node-1' }, status: { allocatable } });
    await client.create(LIMIT_RANGES, {
      metadata: { name: 'usual', namespace: 'default' },
      spec: { limits: [{ type: 'Container', max: { cpu: '3' } }] },
    } as never);
    const template = {
      ...TEMPLATE,
      spec: { ...TEMPLATE.spec, containers: [{ name: 'main', image: 'x' }] },
    };
    const [kubeconfig, file] = [join(folder, 'kubeconfig'), join(folder, 'web.json')];
    await writeFile(kubeconfig, running.server.kubeconfig);
    await writeFile(
      file,
      JSON.stringify(workload('Deployment', 'web', { replicas: 2, selector: SELECTOR, template })),
    );
    const args = ['--live', '--kubeconfig', kubeconfig, '-f', file, '-o', 'json', '--no-bound'];
    // Each pod requests 3 CPUs, so that only one fits on the node.
    expect(JSON.parse((await simulate(args)).out).summary).toMatchObject({ pods: 2, placedOnExisting: 1 });
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});

const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
