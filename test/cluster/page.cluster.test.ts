/**
 * The page on a real API server, of `chandler page` and of a controller, with an account that may only read nodes: it sees nodes, is
 * told what is missing, and gets nothing else from any path.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  ignoreApiErrors,
  KubeClient,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  SERVICE_ACCOUNTS,
  undiciTransport,
} from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import type { Snapshot } from '../../packages/chandler/src/dashboard/wire.ts';
import { accountKubeconfig, accountToken } from '../e2e/roles.ts';
import { withPageOn } from '../operator/page-stage.ts';

const {
  CHANDLER_TEST_SERVER: server = '',
  CHANDLER_TEST_TOKEN: token = '',
  CHANDLER_TEST_CA: caFile = '',
} = process.env;
const caPem = readFileSync(caFile, 'utf8');
const wire = undiciTransport({
  server,
  ca: caPem,
  identify: async () => ({ headers: { authorization: `Bearer ${token}` } }),
});
const admin = new KubeClient({ transport: wire.send });
const folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
const NAME = 'page-reader';
const ACCOUNT = { namespace: 'default', name: NAME };
const made: (readonly [ResourceRef, { readonly namespace?: string; readonly name: string }])[] = [];

beforeAll(async () => {
  for (const crd of builtinCrds())
    await ignoreApiErrors(
      admin.create(CUSTOM_RESOURCE_DEFINITIONS, crd as unknown as KubeObject),
      'alreadyExists',
    );
  const rbac = 'rbac.authorization.k8s.io';
  const apiVersion = `${rbac}/v1`;
  const resources = ['nodes'];
  await create(SERVICE_ACCOUNTS, { metadata: ACCOUNT });
  await create(CLUSTER_ROLES, {
    apiVersion,
    kind: 'ClusterRole',
    metadata: { name: NAME },
    rules: [{ apiGroups: [''], resources, verbs: ['get', 'list', 'watch'] }],
  });
  await create(CLUSTER_ROLE_BINDINGS, {
    apiVersion,
    kind: 'ClusterRoleBinding',
    metadata: { name: NAME },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: NAME },
    subjects: [{ kind: 'ServiceAccount', ...ACCOUNT }],
  });
  await create(NODES, { metadata: { name: 'page-node' }, spec: { providerID: 'azure:///page-node' } });
  await create(PODS, {
    metadata: { namespace: 'default', name: 'page-hidden' },
    spec: { serviceAccountName: NAME, containers: [{ name: 'main', image: 'x' }] },
  });
  await create(CONFIG_MAPS, {
    metadata: { namespace: 'default', name: 'chandler-disruption-history' },
    data: { hidden: 'page-hidden-command' },
  });
});

afterAll(async () => {
  for (const [resource, key] of made) await ignoreApiErrors(admin.delete(resource, key), 'notFound');
  await wire.close();
  rmSync(folder, { recursive: true, force: true });
});

test('who may only read nodes sees nodes, is told what is missing, and gets nothing else from any path', async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  const credential = await accountToken(admin, ACCOUNT);
  writeFileSync(kubeconfig, accountKubeconfig({ server, caPem, token: credential }));
  const answers = new Map<string, { readonly status: number; readonly text: string }>();
  const interrupt = new AbortController();
  let errors = '';
  const code = await run(VERBS, {
    args: ['page', '--kubeconfig', kubeconfig, '-o', 'json'],
    env: {},
    terminal: {
      out(line) {
        void askAll(JSON.parse(line) as { address: string }, answers).finally(() =>
          interrupt.abort(new Error('stopped')),
        );
      },
      err: (text) => (errors += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld(),
  });
  expect({ code, errors }).toEqual({ code: 0, errors: '' });
  expectNodesOnly(answers);
});

test('the page of a controller: the same for the token of this account, and nothing for one that nobody has', async () => {
  const credential = await accountToken(admin, ACCOUNT);
  await withPageOn({ world: realTimeWorld(), admin, server, caPem, withRole: true }, async ({ ask }) => {
    const answers = new Map<string, { readonly status: number; readonly text: string }>();
    for (const path of PATHS) {
      expect([path, (await ask(path, 'nonsense')).status]).toEqual([path, 401]);
      answers.set(path, await ask(path, credential));
    }
    expectNodesOnly(answers);
  });
});

// ---------------------------------------------------------------------------------------------------

function expectNodesOnly(
  answers: ReadonlyMap<string, { readonly status: number; readonly text: string }>,
): void {
  const snapshot = JSON.parse(answers.get('snapshot')!.text) as Snapshot;
  expect(snapshot.nodes.map(({ name }) => name)).toContain('page-node');
  expect([snapshot.pods, snapshot.pools]).toEqual([[], []]);
  const missing = snapshot.missing
    .filter(({ reason }) => reason === 'denied')
    .map(({ resource }) => resource);
  for (const resource of [
    'configmaps',
    'events',
    'nodeclaims.karpenter.sh',
    'nodepools.karpenter.sh',
    'pods',
  ])
    expect(missing).toContain(resource);
  for (const path of ['pending', 'claims', 'savings', 'object?subject=Pod/default/page-hidden'])
    expect([path, answers.get(path)?.status]).toEqual([path, 403]);
  const rest = [...answers].filter(([path]) => !path.includes('page-hidden'));
  expect(rest.filter(([, { text }]) => text.includes('page-hidden'))).toEqual([]);
}

const PATHS = [
  'session',
  'snapshot',
  'pending',
  'claims',
  'savings',
  'timeline?from=0',
  'object?subject=Node/page-node',
  'object?subject=Pod/default/page-hidden',
  'playground',
];

async function askAll(
  { address }: { readonly address: string },
  answers: Map<string, { readonly status: number; readonly text: string }>,
): Promise<void> {
  const headers = { authorization: `Bearer ${/#token=([\w-]+)/.exec(address)?.[1]}` };
  for (const path of PATHS) {
    const response = await fetch(new URL(`/api/v1/${path}`, address), { headers });
    answers.set(path, { status: response.status, text: await response.text() });
  }
}

async function create(resource: unknown, object: object): Promise<void> {
  const { metadata } = object as {
    readonly metadata: { readonly namespace?: string; readonly name: string };
  };
  made.push([resource as ResourceRef, metadata]);
  await ignoreApiErrors(admin.create(resource as ResourceRef, object as KubeObject), 'alreadyExists');
}
