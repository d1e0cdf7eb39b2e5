/** `chandler why` of a live cluster, against an API server over a real socket that fails for a while, and shows what it is asked. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promMetrics, systemClock, systemWorld } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { run, VERBS } from '../testing.ts';

/** What happens, in order: output, errors, and requests of the plan of the whole cluster. */
let happened: { readonly what: 'out' | 'err' | 'plan'; readonly text: string }[] = [];
let folder = '';
let server: Server;
/** Called with the number of each interval of --watch, which passes at once. */
let interval = (_: number) => {};
beforeEach(() => {
  happened = [];
  interval = () => {};
  folder = mkdtempSync(join(tmpdir(), 'chandler-answer-'));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const textOf = (what: 'out' | 'err') =>
  happened
    .filter((each) => each.what === what)
    .map(({ text }) => text)
    .join('');

type Answer = readonly [code: number, body: object];
const failed = (code: number, reason: string, message: string): Answer => [
  code,
  { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message, details: { name: 'web' } },
];

/** Objects by path, each as it is at the first request, the second, and so on; lists have the last of their kind. */
async function serve(objects: Readonly<Record<string, readonly Answer[]>>, user: object = {}): Promise<void> {
  const asked: Record<string, number> = {};
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://cluster');
    if (request.headers['user-agent']?.includes('chandler-plan') === true)
      happened.push({ what: 'plan', text: pathname });
    const answers = objects[pathname];
    const index = asked[pathname] ?? 0;
    asked[pathname] = index + 1;
    const inList = Object.entries(objects).filter(
      ([path]) => path.slice(0, path.lastIndexOf('/')) === pathname,
    );
    const list = {
      kind: 'List',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1' },
      items: inList.map(([, each]) => each.at(-1)![1]),
    };
    const [code, body] = answers === undefined ? [200, list] : answers[Math.min(index, answers.length - 1)]!;
    response.writeHead(code, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user }],
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
}

const why = (args: readonly string[], interactive = false) => chandler(['why', ...args], interactive);

async function chandler(args: readonly string[], interactive = false): Promise<number> {
  let intervals = 0;
  const later = () => intervals * 60 * 60_000;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + later(),
    monotonic: () => systemClock.monotonic() + later(),
    sleep: async () => {
      interval(++intervals);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return run(VERBS, {
    args: [...args, '--kubeconfig', join(folder, 'kubeconfig'), '--azure', 'off'],
    env: {},
    terminal: {
      out: (text) => happened.push({ what: 'out', text }),
      err: (text) => happened.push({ what: 'err', text }),
      color: false,
      interactive,
    },
    interrupted: new AbortController().signal,
    world: async () => ({
      ...systemWorld({ log: virtualWorld().log, metrics: promMetrics({ processMetrics: false }) }),
      clock,
    }),
  });
}

const POD_PATH = '/api/v1/namespaces/default/pods/web';
const pod = (gates: readonly string[]): Answer => [
  200,
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1' },
    spec: { containers: [{ name: 'app', image: 'i' }], schedulingGates: gates.map((name) => ({ name })) },
    status: { phase: 'Pending' },
  },
];
const FORBIDDEN = failed(403, 'Forbidden', 'pods "web" is forbidden: the token has expired');
const GONE = failed(404, 'NotFound', 'pods "web" not found');

describe('why --watch', () => {
  test('goes on while the object cannot be read, says so once, and ends when it is deleted', async () => {
    const first = pod(['example.com/first']);
    const second = pod([]);
    await serve({
      // At first also to find out which cloud it is about.
      [POD_PATH]: [first, first, FORBIDDEN, FORBIDDEN, second, FORBIDDEN, second, GONE],
    });
    expect(await why(['pod/web', '-n', 'default', '--watch'])).toBe(1);
    expect(textOf('out').match(/^pod\/default\/web: /gm)).toHaveLength(2);
    expect(textOf('out').match(/not scheduled until example.com\/first/g)).toHaveLength(1);
    // Once for each time that it began.
    expect(textOf('err').match(/cannot be read/g)).toHaveLength(2);
    expect(textOf('err')).toContain('there is no pod web');
  });

  test('ends if the object cannot be read in the first place', async () => {
    await serve({ [POD_PATH]: [FORBIDDEN] });
    expect(await why(['pod/web', '-n', 'default', '--watch'])).toBe(1);
    expect(textOf('out')).toBe('');
    expect(textOf('err').match(/cannot be read/g)).toHaveLength(1);
  });
});

describe('a credential plugin that fails', () => {
  const PLUGIN = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: '/bin/false',
    interactiveMode: 'Never',
  };

  test.each([
    ['why', 'pod/web'],
    ['why', 'pod/web', '--watch'],
    ['why', '--checklist', 'byok'],
    ['dump', '-f', '-'],
  ])('ends %s %s with a message', async (...args) => {
    await serve({}, { exec: PLUGIN });
    expect(await chandler(args)).toBe(1);
    expect(textOf('out')).toBe('');
    expect(textOf('err')).toMatch(new RegExp(`^chandler ${args[0]}: context c of .*/bin/false failed.*\\n$`));
  });

  test('does not end why --watch once it has printed an answer: it says so once, and tries again', async () => {
    const credential = join(folder, 'credential');
    const status = { token: 't', expirationTimestamp: '2020-01-01T00:00:00Z' };
    const valid = JSON.stringify({ apiVersion: PLUGIN.apiVersion, kind: 'ExecCredential', status });
    writeFileSync(credential, valid);
    interval = (number) => {
      if (number === 1) rmSync(credential);
      if (number === 3) writeFileSync(credential, valid);
    };
    const gated = pod(['example.com/first']);
    await serve(
      { [POD_PATH]: [gated, gated, GONE] },
      { exec: { ...PLUGIN, command: '/bin/cat', args: [credential] } },
    );
    expect(await why(['pod/web', '-n', 'default', '--watch'])).toBe(1);
    expect(textOf('out').match(/^pod\/default\/web: /gm)).toHaveLength(1);
    expect(textOf('err').match(/\/bin\/cat failed/g)).toHaveLength(1);
    expect(textOf('err')).toContain('there is no pod web');
  });
});

describe('why of a healthy node of a live cluster', () => {
  const node: Answer = [
    200,
    {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'n1', uid: 'n', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' },
      status: {
        allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
        conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      },
    },
  ];
  const SECTION = 'Why it is not disrupted:';
  const PROGRESS = /reading the whole cluster/;
  const indexOf = (what: string, text: RegExp) =>
    happened.findIndex((each) => each.what === what && text.test(each.text));

  test('prints the answer before the whole cluster is read, and shows progress on a terminal', async () => {
    await serve({ '/api/v1/nodes/n1': [node] });
    expect(await why(['node/n1'], true)).toBe(0);
    const order = [
      indexOf('out', /node\/n1: healthy/),
      indexOf('err', PROGRESS),
      indexOf('plan', /nodes/),
      indexOf('out', new RegExp(SECTION)),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((one, other) => one - other));
    // The line of progress is removed.
    expect(textOf('err').endsWith('\r\u001b[K')).toBe(true);
  });

  test('shows no progress if standard error is no terminal', async () => {
    await serve({ '/api/v1/nodes/n1': [node] });
    expect(await why(['node/n1'])).toBe(0);
    expect(textOf('out')).toContain(SECTION);
    expect(textOf('err')).toBe('');
  });

  test('is one JSON object', async () => {
    await serve({ '/api/v1/nodes/n1': [node] });
    expect(await why(['node/n1', '-o', 'json'], true)).toBe(0);
    const { verdict, staying } = JSON.parse(textOf('out')) as { verdict: string; staying: object[] };
    expect([verdict, staying.length]).toEqual(['healthy', 1]);
    expect(textOf('err')).toMatch(PROGRESS);
  });
});
