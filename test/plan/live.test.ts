import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CONFIG_MAPS,
  DEPLOYMENTS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  PODS,
  REPLICA_SETS,
} from '@chandler/kube';
import { expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { type KeptCommand, keptCommandText } from '../../packages/chandler/src/diagnose/index.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { chandler, plan } from './examples.ts';
import { ADMIN, CONTROLLER, deployController, fill, planned, staying } from './live-cluster.ts';

test('without -f the cluster is planned: its empty node goes, and a PodDisruptionBudget keeps the other', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-live-'));
  const world = await createWorld();
  const running = await startPlayground({ world, standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    await fill(client);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);
    const report = await planned(kubeconfig, world);
    expect(report.notes[0]).toBe(`Read from context chandler-playground of ${kubeconfig}.`);
    expect(report.commands.map(({ text }) => text)).toEqual(['delete: [node-b]']);
    expect(report.nodes).toMatchObject([
      { name: 'node-a', keeps: [{ block: { code: 'PodDisruptionBudget', budget: 'default/db' } }] },
      { name: 'node-b', command: report.commands[0]!.key },
    ]);
    const same = await chandler(['simulate', '--live', '--consolidate', ...AS_JSON(kubeconfig)], world);
    expect([same.code, same.err]).toEqual([0, '']);
    expect(JSON.parse(same.out).disruption).toMatchObject({ commands: report.commands, nodes: report.nodes });
    // The same reasons, with the same texts.
    const [kept] = report.nodes as { keeps: { text: string }[] }[];
    expect(await staying('node/node-a', kubeconfig, world)).toEqual([kept!.keeps[0]!.text]);
    expect(await staying('nodeclaim/claim-node-b', kubeconfig, world)).toEqual([
      'it would be disrupted now: delete: [node-b]',
    ]);
    expect(await staying('nodepool/general', kubeconfig, world)).toEqual([
      `node-a: ${kept!.keeps[0]!.text}`,
      '1 of 2 nodes would be disrupted now; see chandler plan',
    ]);
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'chandler-freeze', namespace: 'kube-system' },
      data: { freeze: 'true', by: 'ops' },
    } as unknown as KubeObject);
    const frozen = 'disruption is frozen by ops (ConfigMap kube-system/chandler-freeze)';
    expect(await planned(kubeconfig, world)).toMatchObject({ commands: [], freezes: [{ text: frozen }] });
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([frozen]);
    expect(await staying('nodepool/general', kubeconfig, world)).toContain(frozen);
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});

const AS_JSON = (kubeconfig: string) => ['--kubeconfig', kubeconfig, '-o', 'json'];

test('--disruption-surge reads the workloads of the cluster, and says which of them are rolled', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-surge-'));
  const world = await createWorld();
  const running = await startPlayground({ world, standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    await fill(client);
    await replaceByDeployment(client);
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);
    const without = await plan(['--kubeconfig', kubeconfig], world);
    expect(without.out).toContain('PodDisruptionBudget default/db allows no eviction of pod default/db-1');
    expect(without.out).toContain('the controller runs without --disruption-surge');
    const { code, out, err } = await plan(['--kubeconfig', kubeconfig, '--disruption-surge'], world);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('  rolls     Deployment default/db\n');
    expect(out).not.toContain('Nodes that stay');
    // The option of the controller decides what `why` says.
    await deployController(client, []);
    const held = await staying('node/node-a', kubeconfig, world);
    expect(held.join('\n')).toContain(
      'PodDisruptionBudget default/db allows no eviction of pod default/db-1',
    );
    expect(held.join('\n')).toContain('the controller runs without --disruption-surge');
    await client.delete(DEPLOYMENTS, CONTROLLER);
    await deployController(client, [{ name: 'DISRUPTION_SURGE', value: 'true' }]);
    expect(await staying('node/node-a', kubeconfig, world)).toEqual([
      'it would be disrupted now: replace: [node-a] -> [1 replacement]; it rolls Deployment default/db first',
    ]);
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});

/** The pod of node-a belongs to a Deployment, and asks for a surge. */
async function replaceByDeployment(client: KubeClient): Promise<void> {
  const key = { name: 'db', namespace: 'default' };
  const labels = { app: 'db' };
  const containers = [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }];
  const spec = {
    replicas: 1,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers } },
  };
  const deployment = await client.create(DEPLOYMENTS, { metadata: key, spec } as never);
  const { generation: observedGeneration } = (deployment as KubeObject).metadata;
  const status = {
    observedGeneration,
    replicas: 1,
    updatedReplicas: 1,
    availableReplicas: 1,
    readyReplicas: 1,
  };
  await client.patchStatus(DEPLOYMENTS, key, { type: 'merge', patch: { status } });
  const ownedBy = (kind: string, { metadata }: KubeObject) => ({
    ownerReferences: [
      { apiVersion: 'apps/v1', kind, name: metadata.name!, uid: metadata.uid!, controller: true },
    ],
  });
  const set = await client.create(REPLICA_SETS, {
    metadata: { ...key, ...ownedBy('Deployment', deployment) },
    spec,
  } as never);
  await client.delete(PODS, { name: 'db-0', namespace: 'default' });
  await client.create(PODS, {
    metadata: {
      name: 'db-1',
      namespace: 'default',
      labels,
      annotations: { 'chandler.sh/disruption-surge': 'true' },
      ...ownedBy('ReplicaSet', set),
    },
    spec: { containers, nodeName: 'node-a' },
  } as never);
}

test('--history prints the last commands of the controller, the newest first', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plan-history-'));
  const world = await createWorld();
  const running = await startPlayground({ world, standins: false });
  try {
    const client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
    const kubeconfig = join(folder, 'kubeconfig');
    await writeFile(kubeconfig, running.server.kubeconfig);
    const run = (...args: string[]) => plan(['--kubeconfig', kubeconfig, '--history', ...args], world);
    expect(await run()).toMatchObject({ code: 0, out: 'No commands of disruption are kept.\n' });
    const kept = (id: string, endedAt: string, more: Partial<KeptCommand> = {}) =>
      keptCommandText({
        id,
        startedAt: endedAt,
        endedAt,
        reason: 'Underutilized',
        method: 'multi-node',
        decision: 'replace',
        nodes: ['aks-a', 'aks-b'],
        nodePools: ['general'],
        replacements: ['general-c'],
        priceBefore: 0.4,
        priceAfter: 0.1,
        podsMoved: 3,
        outcome: 'succeeded',
        ...more,
      });
    const failed = { outcome: 'failed', message: 'not finished after 601 s', nodes: ['aks-d'] };
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'chandler-disruption-history', namespace: 'kube-system' },
      data: {
        one: kept('one', '2026-06-01T10:00:00.000Z'),
        two: kept('two', '2026-06-01T11:00:00.000Z', failed),
        odd: 'not ours',
      },
    } as KubeObject);
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toBe(
      [
        'ENDED                 REASON         DECISION  NODES              LAUNCHED  PODS  SAVED/MONTH  OUTCOME',
        '2026-06-01T11:00:00Z  Underutilized  replace   aks-d                     1     3      $219.00  failed: not finished after 601 s',
        '2026-06-01T10:00:00Z  Underutilized  replace   aks-a and 1 other         1     3      $219.00  succeeded',
        '',
      ].join('\n'),
    );
    const json = await run('-o', 'json');
    expect(JSON.parse(json.out)).toMatchObject([{ id: 'two' }, { id: 'one', nodeCount: 2 }]);
    expect(await run('-f', 'x.yaml')).toMatchObject({ code: 2 });
  } finally {
    await running.stop();
    await rm(folder, { recursive: true });
  }
});
