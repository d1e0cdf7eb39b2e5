/** The page over the objects of a real API server: rows, answers, and what a user with few rights gets. */
import { CONFIG_MAPS, type KubeObject, NODES } from '@chandler/kube';
import { expect, test } from 'vitest';
import { NODE_POOLS } from '../../api/index.ts';
import type { wire } from '../../dashboard/index.ts';
import { aPod, fill } from '../top/top.fixture.ts';
import { until, withPageCluster } from './page.fixture.ts';

const NODES_AND_WHAT_THEY_COST = [
  ['aks-general-a', 'general-a', 'general', 'ready', 0.192],
  ['aks-general-b', 'general-b', 'general', 'ready', 0.192],
  ['general-c', 'general-c', 'general', 'booting', 0.192],
  ['system-1', null, null, 'ready', null],
];

const rowsOf = ({ nodes }: wire.Snapshot) =>
  nodes
    .map(({ name, claim, pool, phase, pricePerHour }) => [name, claim, pool, phase, pricePerHour])
    .sort((one, other) => (String(one[0]) < String(other[0]) ? -1 : 1));

test('the snapshot shows nodes with prices, pods and NodePools, and a change follows in the log', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    const { ask, model } = await open(transport);
    const { json } = await ask('snapshot');
    const snapshot = json as wire.Snapshot;
    expect(rowsOf(snapshot)).toEqual(NODES_AND_WHAT_THEY_COST);
    expect(snapshot.missing).toEqual([]);
    expect(snapshot.pods.map(([, name, node, phase]) => [name, node, phase]).sort()).toEqual([
      ['waits', '', 'p'],
      ['web-1', 'aks-general-a', 'c'],
      ['web-2', 'aks-general-a', 'c'],
    ]);
    expect(snapshot.pools.map(({ name }) => name)).toEqual(['general']);
    expect(snapshot.totals).toMatchObject({ pricePerHour: 0.576, unpriced: 1, pods: 3, pending: 1 });
    const before = model.log.sequence;
    await aPod(client, 'web-3', 'aks-general-b', '4');
    await until(() => model.log.sequence > before);
    expect(model.log.after(before)?.text).toContain('["pod",["default","web-3","aks-general-b","c",4000');
  });
});

test('the answers: pending, claims, savings, timeline, an object, and what if', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    const { ask } = await open(transport);
    const session = (await ask('session')).json as wire.Session;
    expect(session).toMatchObject({ version: 1, cluster: 'test', missing: [] });

    const pending = (await ask('pending')).json as wire.PendingAnswer;
    expect(pending.groups).toMatchObject([
      { workload: 'Pod/waits', namespace: 'default', pods: ['waits'], count: 1 },
    ]);
    expect(pending.groups[0]?.answer).toMatchObject({
      subject: { kind: 'pod', namespace: 'default', name: 'waits' },
      text: expect.stringContaining('pod/default/waits'),
    });

    const claims = (await ask('claims')).json as wire.ClaimsAnswer;
    expect(claims.claims.map(({ name, outcome }) => [name, outcome]).sort()).toEqual([
      ['general-a', 'succeeded'],
      ['general-b', 'succeeded'],
      ['general-c', 'under-way'],
    ]);

    const savings = (await ask('savings')).json as wire.SavingsAnswer;
    const planned = [
      ...savings.now.flatMap(({ nodes }) => nodes),
      ...savings.keeping.flatMap(({ nodes }) => nodes.map(({ name }) => name)),
    ];
    expect(new Set(planned)).toEqual(new Set(['aks-general-a', 'aks-general-b', 'general-c']));

    const timeline = (await ask('timeline?from=0')).json as wire.TimelineAnswer;
    expect(timeline.happened).toContainEqual(
      expect.objectContaining({ subject: 'NodeClaim/general-a', reason: 'DisruptionBlocked' }),
    );
    expect(timeline.happened.filter(({ what }) => what === 'launch')).toHaveLength(3);
    expect(timeline.prices).toMatchObject([{ pricePerHour: 0.576 }]);
    expect((await ask('timeline?from=2&to=1')).status).toBe(400);

    const object = (await ask('object?subject=NodeClaim/general-a')).json as wire.ObjectAnswer;
    expect(object.conditions.map(({ type }) => type)).toContain('Initialized');
    expect(object.related).toContain('NodePool/general');
    expect(object.commands[0]).toBe('kubectl describe nodeclaims.karpenter.sh general-a');
    expect(object.events).toMatchObject([{ reason: 'DisruptionBlocked' }]);
    expect((await ask('object?subject=Pod/default/waits')).status).toBe(200);
    const ofClass = (await ask('object?subject=AKSNodeClass/default')).json as wire.ObjectAnswer;
    expect([ofClass.related, ofClass.answer.verdict]).toEqual([['NodePool/general'], 'unexplained']);
    expect((await ask('object?subject=Node/nobody')).status).toBe(404);
    for (const subject of ['Secret/a/b', 'Node/../x', 'Pod/x', 'Node/a/b', 'Node/A%00'])
      expect([subject, (await ask(`object?subject=${subject}`)).status]).toEqual([subject, 400]);
  });
});

test('an answer has the number of the last change that it knows of, and a kept one that of when it was made', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    const { ask, model } = await open(transport);
    const first = (await ask('pending')).json as wire.Sequenced<wire.PendingAnswer>;
    const before = model.log.sequence;
    expect(first.sequence).toBe(before);
    await aPod(client, 'waits-too', '', '1');
    await until(() => model.log.sequence > before);
    const again = (await ask('pending')).json as wire.Sequenced<wire.PendingAnswer>;
    expect(again.sequence).toBe(before);
    const page = (await ask('object?subject=Pod/default/waits-too'))
      .json as wire.Sequenced<wire.ObjectAnswer>;
    expect(page.sequence).toBeGreaterThan(before);
    for (const path of ['claims', 'savings', 'timeline'])
      expect([path, (await ask(path)).json]).toEqual([
        path,
        expect.objectContaining({ sequence: expect.any(Number) }),
      ]);
  });
});

const DEPLOYMENT = `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: default }
spec:
  replicas: 8
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers: [{ name: main, image: nginx, resources: { requests: { cpu: CPU, memory: 1Gi } } }]
`;

test('what if: nodes and price for manifests, refusals, and what is wrong with them; nothing is created', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    const conditions = [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ];
    await client.patchStatus(
      NODE_POOLS,
      { name: 'general' },
      { type: 'merge', patch: { status: { conditions } } },
    );
    const { ask } = await open(transport);
    const fits = (await ask('what-if', DEPLOYMENT.replace('CPU', '3'))).json as wire.WhatIfAnswer;
    expect(fits.problems).toEqual([]);
    expect(fits.nodes.reduce((sum, { count }) => sum + count, 0)).toBeGreaterThan(0);
    expect(fits.nodes[0]).toMatchObject({ pool: 'general' });
    const refused = (await ask('what-if', DEPLOYMENT.replace('CPU', '5k'))).json as wire.WhatIfAnswer;
    expect(refused.refused).toMatchObject([{ workload: 'default/web', count: 8 }]);
    const wrong = (await ask('what-if', DEPLOYMENT.replace('CPU', 'many'))).json as wire.WhatIfAnswer;
    expect(wrong.nodes).toEqual([]);
    expect(wrong.problems.join('\n')).toMatch(/manifests:\d+: Deployment\/default\/web/);
    const { items } = await client.list(NODES);
    expect(items).toHaveLength(3);
  });
});

test('who may only read nodes sees nodes, is told what is missing, and gets nothing else from any path', async () => {
  await withPageCluster(async ({ client, limitedTo, open }) => {
    await fill(client);
    await client.create(CONFIG_MAPS, {
      metadata: { name: 'chandler-disruption-history', namespace: 'kube-system' },
      data: { secret: 'kept-command' },
    } as unknown as KubeObject);
    const { ask } = await open(await limitedTo('nodes'));
    const snapshot = (await ask('snapshot')).json as wire.Snapshot;
    expect(snapshot.nodes.map(({ name, claim }) => [name, claim]).sort()).toEqual([
      ['aks-general-a', null],
      ['aks-general-b', null],
      ['system-1', null],
    ]);
    expect([snapshot.pods, snapshot.pools, snapshot.totals.pods]).toEqual([[], [], 0]);
    const denied = snapshot.missing.map(({ resource, reason }) => [resource, reason]);
    for (const resource of [
      'pods',
      'nodeclaims.karpenter.sh',
      'nodepools.karpenter.sh',
      'events',
      'configmaps',
    ])
      expect(denied).toContainEqual([resource, 'denied']);
    expect(snapshot.missing.find(({ resource }) => resource === 'pods')?.text).toContain(
      'these credentials lack the permission "list" on "pods"',
    );
    for (const path of ['pending', 'claims', 'savings', 'object?subject=Pod/default/waits'])
      expect([path, (await ask(path)).status]).toEqual([path, 403]);
    const timeline = (await ask('timeline?from=0')).json as wire.TimelineAnswer;
    expect([timeline.happened, timeline.prices]).toEqual([[], []]);
    expect((await ask('what-if', DEPLOYMENT.replace('CPU', '1'))).status).toBe(403);
    const texts = [];
    for (const path of [
      'session',
      'snapshot',
      'timeline?from=0',
      'pending',
      'claims',
      'savings',
      'playground',
    ])
      texts.push(JSON.stringify((await ask(path)).json));
    for (const hidden of ['web-1', 'waits', 'general-c', 'kept-command', 'Pdb'])
      expect([hidden, texts.filter((text) => text.includes(hidden))]).toEqual([hidden, []]);
  });
});
