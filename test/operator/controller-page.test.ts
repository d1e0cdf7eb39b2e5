/** The page that the controller serves: who is admitted, and what each person is sent. */
import { CLUSTER_ROLE_BINDINGS, CONFIG_MAPS, type KubeObject, NODES, SERVICE_ACCOUNTS } from '@chandler/kube';
import { expect, test } from 'vitest';
import { aPod, fill } from '../../packages/chandler/src/cli/testing.ts';
import type { Session, Snapshot, TimelineAnswer } from '../../packages/chandler/src/dashboard/wire.ts';
import { type PageStage, until, withControllerPage } from './page-stage.ts';

const EVERYTHING = [
  'nodes',
  'pods',
  'nodeclaims.karpenter.sh',
  'nodepools.karpenter.sh',
  'aksnodeclasses.karpenter.azure.com',
  'events',
  'configmaps',
];

const MANIFEST = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"new"},"spec":{"containers":[{"name":"a","image":"x"}]}}`;

const PATHS = [
  'session',
  'snapshot',
  'pending',
  'claims',
  'savings',
  'timeline?from=0',
  'object?subject=Node/aks-general-a',
  'object?subject=Pod/default/waits',
  'object?subject=NodeClaim/general-c',
  'object?subject=NodePool/general',
  'object?subject=AKSNodeClass/default',
  'playground',
];

async function everyAnswer({ ask }: PageStage, token: string | undefined) {
  const answers = new Map<string, { readonly status: number; readonly text: string }>();
  for (const path of PATHS) answers.set(path, await ask(path, token));
  answers.set('what-if', await ask('what-if', token, { body: MANIFEST }));
  return answers;
}

test('who may list everything sees nodes with prices, pods, NodePools and answers, and nothing is written', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    const token = await stage.person('reader', ...EVERYTHING, 'poddisruptionbudgets.policy');
    const answers = await everyAnswer(stage, token);
    const session = JSON.parse(answers.get('session')!.text) as Session;
    expect(session).toMatchObject({ version: 1, signIn: 'kubernetes', missing: [] });
    const snapshot = JSON.parse(answers.get('snapshot')!.text) as Snapshot;
    const rows = snapshot.nodes.map(({ name, claim, phase, pricePerHour }) => [
      name,
      claim,
      phase,
      pricePerHour,
    ]);
    expect(rows.sort()).toEqual([
      ['aks-general-a', 'general-a', 'ready', 0.192],
      ['aks-general-b', 'general-b', 'ready', 0.192],
      ['general-c', 'general-c', 'booting', 0.192],
      ['system-1', null, 'ready', null],
    ]);
    expect(snapshot.pods.map(([, name, node, phase]) => [name, node, phase]).sort()).toEqual([
      ['waits', '', 'p'],
      ['web-1', 'aks-general-a', 'c'],
      ['web-2', 'aks-general-a', 'c'],
    ]);
    expect(snapshot.totals).toMatchObject({ pricePerHour: 0.576, pods: 3, pending: 1 });
    const statuses = [...answers].map(([path, { status }]) => [path, status]);
    expect(statuses.filter(([path, status]) => status !== 200 && path !== 'playground')).toEqual([]);
    expect(answers.get('pending')!.text).toContain('"pods":["waits"]');
    expect(answers.get('timeline?from=0')!.text).toContain('DisruptionBlocked');
    expect((await stage.admin.list(NODES)).items).toHaveLength(3);
    const writes = stage.sent.filter((line) => !line.startsWith('GET'));
    expect(new Set(writes)).toEqual(
      new Set([
        'POST /apis/authentication.k8s.io/v1/tokenreviews',
        'POST /apis/authorization.k8s.io/v1/subjectaccessreviews',
      ]),
    );
  });
});

test('who may only list nodes sees nodes, is told what is missing, and gets nothing else from any path', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    await stage.admin.create(CONFIG_MAPS, {
      metadata: { name: 'chandler-disruption-history', namespace: 'kube-system' },
      data: { secret: 'kept-command' },
    } as unknown as KubeObject);
    // Somebody with all rights looks first: nothing of what was made for them may reach others.
    await everyAnswer(stage, await stage.person('reader', ...EVERYTHING));
    const answers = await everyAnswer(stage, await stage.person('guard', 'nodes'));
    const snapshot = JSON.parse(answers.get('snapshot')!.text) as Snapshot;
    expect(snapshot.nodes.map(({ name, claim }) => [name, claim]).sort()).toEqual([
      ['aks-general-a', null],
      ['aks-general-b', null],
      ['system-1', null],
    ]);
    expect([snapshot.pods, snapshot.pools, snapshot.totals.pods]).toEqual([[], [], 0]);
    const missing = snapshot.missing.map(({ resource, reason }) => [resource, reason]);
    expect(missing).toEqual(
      EVERYTHING.filter((each) => each !== 'nodes')
        .sort()
        .map((resource) => [resource, 'denied']),
    );
    for (const path of [
      'pending',
      'claims',
      'savings',
      ...PATHS.filter((each) => /Pod|Class|Claim/.test(each)),
    ])
      expect([path, answers.get(path)!.status]).toEqual([path, 403]);
    const timeline = JSON.parse(answers.get('timeline?from=0')!.text) as TimelineAnswer;
    expect([timeline.happened, timeline.prices]).toEqual([[], []]);
    expect(answers.get('what-if')!.status).toBe(403);
    for (const hidden of ['web-1', 'waits', 'general-c', 'kept-command', 'Pdb']) {
      const told = [...answers].filter(([path, { text }]) => !path.includes(hidden) && text.includes(hidden));
      expect([hidden, told]).toEqual([hidden, []]);
    }
  });
});

test('a token that the API server does not accept, or none, opens nothing; who may not list nodes is told so', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    for (const token of [undefined, 'nonsense', 'a.b.c']) {
      const answers = await everyAnswer(stage, token);
      expect(new Set([...answers.values()].map(({ status }) => status))).toEqual(new Set([401]));
      expect(answers.get('session')!.text).toContain('"signIn":"kubernetes"');
    }
    const { status, text } = await stage.ask('session', await stage.person('nobody'));
    expect([status, text]).toEqual([
      403,
      expect.stringContaining('lacks the permission \\"list\\" on \\"nodes\\"'),
    ]);
    // The app itself needs no token: it has the form.
    expect((await stage.ask('/', undefined)).status).toBe(200);
  });
});

test('a token for another audience opens nothing', async () => {
  await withControllerPage(async (stage) => {
    await stage.person('reader', ...EVERYTHING);
    const { status } = await stage.admin.post<{ status: { token: string } }>(
      SERVICE_ACCOUNTS,
      { namespace: 'default', name: 'reader' },
      'token',
      {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { expirationSeconds: 3600, audiences: ['vault'] },
      },
    );
    expect((await stage.ask('snapshot', status.token)).status).toBe(401);
  });
});

test('while the API server does not answer nobody is admitted, with the reason; the token is in no log', async () => {
  await withControllerPage(async (stage) => {
    const token = await stage.person('reader', ...EVERYTHING);
    stage.isOut = true;
    const { status, text } = await stage.ask('snapshot', token);
    expect([status, text]).toEqual([503, expect.stringContaining('the API server does not answer')]);
    const [line] = stage.world.lines.filter(
      ({ message }) => message === 'nobody can be admitted to the page',
    );
    expect(line?.fields).toMatchObject({ error: expect.stringContaining('does not answer') });
    const told = JSON.stringify([text, stage.world.lines, [...stage.world.values]]);
    expect(told).not.toContain(token.slice(0, 60));
    stage.isOut = false;
    expect((await stage.ask('snapshot', token)).status).toBe(200);
  });
});

test('a controller without the role of the page says which permission it lacks', async () => {
  await withControllerPage(
    async (stage) => {
      const token = await stage.person('reader', ...EVERYTHING);
      const { status, text } = await stage.ask('snapshot', token);
      expect([status, text]).toEqual([
        503,
        expect.stringContaining('\\"create\\" on \\"tokenreviews.authentication.k8s.io\\"'),
      ]);
    },
    { withRole: false },
  );
});

test('with the role of an earlier version nothing is missing but what would appear by itself', async () => {
  await withControllerPage(
    async (stage) => {
      await fill(stage.admin);
      const token = await stage.person('reader', ...EVERYTHING);
      const stream = await openStream(stage, token);
      // Longer than a watch that fails is passed over.
      await new Promise((resolve) => setTimeout(resolve, 6_000));
      const session = JSON.parse((await stage.ask('session', token)).text) as Session;
      expect(session.missing).toEqual([]);
      expect(stream.text).not.toContain('"missing"');
      stream.close();
    },
    { withoutKinds: ['Role', 'RoleBinding'] },
  );
}, 60_000);

test('a stream follows the stores of the controller, and ends when the permission is taken away', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    const token = await stage.person('reader', ...EVERYTHING);
    const stream = await openStream(stage, token);
    await aPod(stage.admin, 'web-3', 'aks-general-b', '4');
    await until(() => stream.text.includes('["pod",["default","web-3","aks-general-b","c",4000'));
    await stage.admin.delete(CLUSTER_ROLE_BINDINGS, { name: 'reader' });
    await stream.ended;
    const { status } = await stage.ask('snapshot', token);
    expect(status).toBe(403);
  });
}, 120_000);

test('a command of disruption that is kept later is in the stream, for who may list ConfigMaps', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    const all = await stage.person('reader', ...EVERYTHING);
    const some = await stage.person('guard', ...EVERYTHING.filter((each) => each !== 'configmaps'));
    const [permitted, other] = [await openStream(stage, all), await openStream(stage, some)];
    const command = (id: string) => ({
      [id]: JSON.stringify({
        id,
        startedAt: '2026-01-01T00:00:00Z',
        endedAt: '2026-01-01T00:01:00Z',
        reason: 'Underutilized',
        method: 'single',
        decision: 'delete',
        nodes: [`node-${id}`],
        nodeCount: 1,
        nodePools: ['general'],
        replacements: [],
        priceBefore: 1,
        priceAfter: 0,
        podsMoved: 2,
        outcome: 'done',
      }),
    });
    const metadata = { name: 'chandler-disruption-history', namespace: 'kube-system' };
    const made = await stage.admin.create(CONFIG_MAPS, { metadata, data: command('one') } as KubeObject);
    await until(() => permitted.text.includes('delete node-one: done'));
    await stage.admin.update(CONFIG_MAPS, {
      ...made,
      data: { ...command('one'), ...command('two') },
    } as never);
    await until(() => permitted.text.includes('delete node-two: done'));
    await aPod(stage.admin, 'web-3', 'aks-general-b', '4');
    await until(() => other.text.includes('web-3'));
    expect(other.text).not.toContain('node-one');
    permitted.close();
    other.close();
  });
}, 120_000);

test('names of the page are its own and those of loopback with any port', async () => {
  await withControllerPage(async (stage) => {
    const token = await stage.person('reader', ...EVERYTHING);
    const { request } = await import('node:http');
    const statusFor = (headers: Record<string, string>) =>
      new Promise<number>((resolve, reject) => {
        const path = '/api/v1/session';
        const sent = request(
          {
            port: stage.port,
            host: '127.0.0.1',
            path,
            headers: { authorization: `Bearer ${token}`, ...headers },
          },
          (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', reject);
        sent.end();
      });
    for (const host of ['localhost:9999', '127.0.0.1', 'page.example.com', 'Page.Example.com:8443'])
      expect([host, await statusFor({ host, origin: `https://${host.toLowerCase()}` })]).toEqual([host, 200]);
    for (const host of ['evil.example', 'page.example.com.evil.example', 'evil.example:80', '[::2]'])
      expect([host, await statusFor({ host })]).toEqual([host, 403]);
    expect(await statusFor({ host: 'localhost:9999', origin: 'http://localhost:9998' })).toBe(403);
    expect(await statusFor({ host: 'page.example.com', 'sec-fetch-site': 'cross-site' })).toBe(403);
  });
});

// ---------------------------------------------------------------------------------------------------

/** After the snapshot. */
async function openStream(stage: PageStage, token: string) {
  const { epoch, sequence } = JSON.parse((await stage.ask('snapshot', token)).text) as Snapshot;
  const address = `http://127.0.0.1:${stage.port}/api/v1/stream?epoch=${epoch}&after=${sequence}`;
  const ending = new AbortController();
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
  });
  const stream = { text: '', ended: Promise.resolve(), close: () => ending.abort() };
  stream.ended = (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) stream.text += chunk;
  })();
  stream.ended.catch(() => undefined);
  return stream;
}
