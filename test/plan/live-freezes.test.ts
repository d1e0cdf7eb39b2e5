/** Which ConfigMaps stop disruption, for `chandler plan` and `chandler why` on a live cluster. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  CONFIG_MAPS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  ROLE_BINDINGS,
  ROLES,
  type World,
} from '@chandler/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { ADMIN, deployController, fill, planned, staying } from './live-cluster.ts';

let folder: string;
let world: World;
let running: Playground;
let client: KubeClient;

/** @param user not an administrator, but one who may read this much. */
async function kubeconfigOf(user?: string): Promise<string> {
  const path = join(folder, user ?? 'admin');
  const { kubeconfig } = running.server;
  await writeFile(
    path,
    user === undefined ? kubeconfig : kubeconfig.replace(/^( *)token: .*$/m, `$&\n$1as: ${user}`),
  );
  return path;
}

async function freeze(namespace: string): Promise<void> {
  const metadata = { name: 'chandler-freeze', namespace };
  await client.create(CONFIG_MAPS, { metadata, data: { freeze: 'true', by: 'ops' } } as KubeObject);
}

async function thaw(...namespaces: string[]): Promise<void> {
  for (const namespace of namespaces)
    await client.delete(CONFIG_MAPS, { name: 'chandler-freeze', namespace });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-freezes-'));
  world = await createWorld();
  running = await startPlayground({ world, standins: false });
  client = new KubeClient({ transport: fetchTransport(running.server.fetchAs(ADMIN)) });
  await fill(client);
  await deployController(client, []);
});

afterAll(async () => {
  await running.stop();
  await rm(folder, { recursive: true });
});

const WOULD_GO = 'it would be disrupted now: delete: [node-b]';
const FROZEN = 'disruption is frozen by ops (ConfigMap kube-system/chandler-freeze)';

describe('a freeze in another namespace than that of the controller', () => {
  const note =
    'ConfigMap default/chandler-freeze is not in the namespace of the controller, kube-system, and stops nothing.';

  test('stops nothing, and plan says so', async () => {
    const kubeconfig = await kubeconfigOf();
    await freeze('default');
    const report = await planned(kubeconfig, world);
    expect(report).toMatchObject({ commands: [{ text: 'delete: [node-b]' }], freezes: [], unread: [] });
    expect(report.notes).toContain(note);
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([WOULD_GO]);
    await freeze('kube-system');
    const both = await planned(kubeconfig, world);
    expect(both).toMatchObject({ commands: [], freezes: [{ text: FROZEN }] });
    expect(both.notes).toContain(note);
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([FROZEN]);
    await thaw('default', 'kube-system');
  });
});

describe('a freeze that may not be read', () => {
  const reader = 'reader';
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: reader }];
  const roleRef = (kind: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name: reader });
  const rule = (apiGroups: readonly string[], resources: readonly string[]) => ({
    apiGroups,
    resources,
    verbs: ['get', 'list'],
  });

  test('is not taken for none', async () => {
    await client.create(CLUSTER_ROLES, {
      metadata: { name: reader },
      rules: [
        rule(
          [
            'apps',
            'policy',
            'karpenter.sh',
            'karpenter.azure.com',
            'storage.k8s.io',
            'scheduling.k8s.io',
            'coordination.k8s.io',
          ],
          ['*'],
        ),
        rule([''], ['pods', 'nodes', 'events', 'namespaces', 'persistentvolumes', 'persistentvolumeclaims']),
      ],
    } as never);
    await client.create(CLUSTER_ROLE_BINDINGS, {
      metadata: { name: reader },
      roleRef: roleRef('ClusterRole'),
      subjects,
    } as never);
    await freeze('kube-system');
    const kubeconfig = await kubeconfigOf(reader);
    const report = await planned(kubeconfig, world);
    expect(report.unread).toEqual(['configmaps']);
    expect(report.notes).toContain(
      'The ConfigMap chandler-freeze cannot be read with these credentials; a freeze in it is ignored.',
    );
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([
      'whether disruption is frozen is not known, because the ConfigMap chandler-freeze cannot be read with these credentials',
      'if it is not frozen, it would be disrupted now: delete: [node-b]',
    ]);
    // A role in the namespace of the controller is enough.
    const key = { name: reader, namespace: 'kube-system' };
    await client.create(ROLES, { metadata: key, rules: [rule([''], ['configmaps'])] } as never);
    await client.create(ROLE_BINDINGS, { metadata: key, roleRef: roleRef('Role'), subjects } as never);
    expect(await planned(kubeconfig, world)).toMatchObject({ unread: [], freezes: [{ text: FROZEN }] });
    expect(await staying('node/node-b', kubeconfig, world)).toEqual([FROZEN]);
    await thaw('kube-system');
  });
});
