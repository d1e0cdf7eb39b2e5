/** Another machine with the same name in Azure or in the cluster: one that is live, a successor, or the original of a copied disk. */
import { createAuthority } from '@chandler/kube/tls';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  fixturesForTests,
  type IdentityFixture,
  takeStep,
} from '../../../../../test/flexnode/standins/identity-fixture.ts';
import { failure } from '../flex-error.fixture.ts';
import { arcStep } from './arc.ts';
import { credentialsStep } from './credentials.ts';

const HERE = { machineId: 'a'.repeat(32), systemUuid: '11111111-2222-3333-4444-555555555555' };
const OTHER = { machineId: 'b'.repeat(32), systemUuid: '99999999-2222-3333-4444-555555555555' };
const NODE = 'edge-01';
let kubeconfig = '';

beforeAll(async () => {
  const { certificatePem } = await createAuthority(Date.now, 'harbour');
  const ca = Buffer.from(certificatePem).toString('base64');
  kubeconfig = `apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- name: c\n  context: {cluster: harbour, user: u}\nclusters:\n- name: harbour\n  cluster: {server: "https://harbour.example.net:443", certificate-authority-data: ${ca}}\nusers:\n- name: u\n  user: {token: t}\n`;
});

const fixture = fixturesForTests((made) => {
  Object.assign(made.cluster, { adminKubeconfig: kubeconfig, userKubeconfig: kubeconfig });
});

async function aMachine(options?: Parameters<typeof fixture>[0]): Promise<IdentityFixture> {
  const at = fixture(options);
  await become(at, HERE);
  return at;
}

async function become(at: IdentityFixture, ids: typeof HERE): Promise<void> {
  await at.host.writeFile('/etc/machine-id', `${ids.machineId}\n`, { mode: 0o444 });
  await at.host.writeFile('/sys/class/dmi/id/product_uuid', `${ids.systemUuid.toUpperCase()}\n`, {
    mode: 0o400,
  });
}

const idOf = (at: IdentityFixture) =>
  `/subscriptions/${at.config.azure.subscriptionId}/resourceGroups/rg-edge/providers/Microsoft.HybridCompute/machines/edge-01`;
const deletes = (at: IdentityFixture) => at.arm.calls.filter((call) => call.startsWith('DELETE'));
const bindings = (at: IdentityFixture) => [...at.fakeCluster.bindings.keys()];

async function join(at: IdentityFixture): Promise<void> {
  await takeStep(arcStep, at);
  await takeStep(credentialsStep, at);
}

describe('an Arc machine of the same name that is live', () => {
  test('bootstrap does not delete it, although an earlier run ended while it was connecting', async () => {
    const at = await aMachine();
    at.facts.set('arc.connectedByUs', 'begun');
    at.arm.register(idOf(at), 'westus2');
    const facts = await failure(takeStep(arcStep, at));
    expect(facts).toMatchObject({
      class: 'config',
      code: 'arc.machine-in-use',
      where: 'azure.arc.machineName',
    });
    expect(facts.message).toContain('edge-01');
    expect(deletes(at)).toEqual([]);
    expect(at.arm.machines.size).toBe(1);
  });

  test('unbootstrap after such a run keeps it and says why', async () => {
    const at = await aMachine();
    at.facts.set('arc.connectedByUs', 'begun');
    at.arm.register(idOf(at), 'westus2');
    expect(await arcStep.undo(at.context)).toMatchObject([
      { what: `Arc machine ${idOf(at)}`, why: expect.stringContaining('Connected') },
    ]);
    expect(deletes(at)).toEqual([]);
    expect(await arcStep.undo(at.context)).toEqual([]);
  });

  test('unbootstrap keeps one that was registered in place of ours, by its principal', async () => {
    const at = await aMachine();
    await takeStep(arcStep, at);
    at.arm.machines.clear();
    const successor = at.arm.register(idOf(at), 'westus2');
    expect(await arcStep.undo(at.context)).toMatchObject([
      { what: `Arc machine ${idOf(at)}`, why: expect.stringContaining(successor.principalId) },
    ]);
    expect(at.arm.machines.size).toBe(1);
    expect(at.agent.connected).toBeUndefined();
  });
});

describe('a copy of the disk of a bootstrapped machine', () => {
  test.each([
    ['a new machine ID', { ...HERE, machineId: OTHER.machineId }],
    ['the same machine ID on other hardware', { ...HERE, systemUuid: OTHER.systemUuid }],
  ])('with %s keeps the objects of the original, and names both machines', async (_, ids) => {
    const at = await aMachine({
      config: { security: { documentMode: true }, azure: { arc: { autoRoleAssignment: true } } },
    });
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...HERE });
    const [assignments, bound] = [at.arm.assignments.length, bindings(at)];
    await become(at, ids);
    const left = [...(await credentialsStep.undo(at.context)), ...(await arcStep.undo(at.context))];
    for (const { why } of left) {
      expect(why).toContain(HERE.machineId);
      expect(why).toContain(ids.machineId);
      expect(why).toContain(ids.systemUuid);
    }
    expect(left.map(({ what }) => what)).toEqual(
      expect.arrayContaining([
        `Node ${NODE}`,
        `Arc machine ${idOf(at)}`,
        ...bound.map((name) => `ClusterRoleBinding ${name}`),
      ]),
    );
    expect(deletes(at)).toEqual([]);
    expect(at.arm.assignments).toHaveLength(assignments);
    expect(bindings(at)).toEqual(bound);
    expect(at.fakeCluster.nodes.size).toBe(1);
    // The connection of the copy itself is local.
    expect(at.agent.connected).toBeUndefined();
  });

  test('bootstrap on the copy does not take over the Ready Node of the original', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...HERE });
    await become(at, OTHER);
    const facts = await failure(takeStep(credentialsStep, at));
    expect(facts).toMatchObject({ code: 'credentials.node-in-use' });
    expect(facts.message).toContain(HERE.machineId);
    expect(facts.message).toContain(OTHER.machineId);
  });

  test.each([
    ['of an unknown machine', { ready: true }, 'credentials.node-in-use'],
    ['that cannot be read', undefined, 'cluster.forbidden'],
  ])('bootstrap on the copy does not take over a Node %s', async (_, node, code) => {
    const at = await aMachine();
    await join(at);
    if (node === undefined) at.fakeCluster.forbidden.add('node');
    else at.fakeCluster.nodes.set(NODE, node);
    await become(at, OTHER);
    expect(await failure(takeStep(credentialsStep, at))).toMatchObject({ code });
    expect(await credentialsStep.isCompleted(at.context)).toBe(false);
    expect(await arcStep.isCompleted(at.context)).toBe(false);
  });

  test('the state of an earlier version, without the machine in it, is undone', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true });
    at.facts.delete('arc.madeOn');
    at.facts.delete('cluster.madeOn');
    expect(await credentialsStep.undo(at.context)).toEqual([]);
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.arm.machines.size + at.fakeCluster.nodes.size + at.fakeCluster.bindings.size).toBe(0);
  });
});

describe('a Node that another machine has taken over', () => {
  test('unbootstrap keeps it and its bindings, and names both machines', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...OTHER });
    for (const [name, { clusterRole }] of at.fakeCluster.bindings) {
      if (!name.endsWith(':renewal')) at.fakeCluster.bindings.set(name, { clusterRole, user: 'successor' });
    }
    const left = await credentialsStep.undo(at.context);
    expect(left.map(({ what }) => what)).toEqual([
      `Node ${NODE}`,
      ...bindings(at).map((name) => `ClusterRoleBinding ${name}`),
    ]);
    expect(left[0]!.why).toContain(OTHER.machineId);
    expect(left[0]!.why).toContain(HERE.machineId);
    expect(at.fakeCluster.nodes.size).toBe(1);
    expect(at.fakeCluster.bindings.size).toBe(3);
    expect(await credentialsStep.undo(at.context)).toEqual([]);
  });

  test('bindings of our own identity are deleted all the same', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...OTHER });
    await credentialsStep.undo(at.context);
    expect(bindings(at)).toEqual([`chandler-flexnode:${NODE}:renewal`]);
  });

  test('a Node that cannot be read is not deleted', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...HERE });
    at.fakeCluster.forbidden.add('node');
    const left = await credentialsStep.undo(at.context);
    // Bindings of our own identity are deleted all the same. The third is that of whoever has the name.
    expect(left).toMatchObject([
      { what: `Node ${NODE}`, why: expect.stringContaining('HTTP 403') },
      { what: `ClusterRoleBinding chandler-flexnode:${NODE}:renewal`, why: expect.stringContaining('403') },
    ]);
    expect(bindings(at)).toEqual([`chandler-flexnode:${NODE}:renewal`]);
    at.fakeCluster.forbidden.clear();
    expect(await credentialsStep.undo(at.context)).toEqual([]);
    expect(at.fakeCluster.nodes.size).toBe(0);
  });
});

test('of a Node with the Arc token that cannot be read, only the Node is left over', async () => {
  const at = await aMachine({ config: { security: { tlsBootstrap: false } } });
  await join(at);
  at.fakeCluster.forbidden.add('node');
  expect((await credentialsStep.undo(at.context)).map(({ what }) => what)).toEqual([`Node ${NODE}`]);
  expect(bindings(at)).toEqual([]);
});

describe('a Ready Node of the same name', () => {
  test.each([
    ['of another machine', { ready: true, ...OTHER }],
    ['of an unknown machine', { ready: true }],
  ])('%s is not taken over', async (_, node) => {
    const at = await aMachine();
    at.fakeCluster.nodes.set(NODE, node);
    const facts = await failure(join(at));
    expect(facts).toMatchObject({
      class: 'config',
      code: 'credentials.node-in-use',
      where: 'agent.nodeName',
    });
    expect(facts.message).toContain(HERE.machineId);
    expect(at.fakeCluster.bindings.size).toBe(0);
  });

  test('of this machine itself is no obstacle', async () => {
    const at = await aMachine();
    at.fakeCluster.nodes.set(NODE, { ready: true, ...HERE });
    await join(at);
    expect(at.fakeCluster.bindings.size).toBe(3);
  });

  test('that appeared after bootstrap is not taken over by a second bootstrap', async () => {
    const at = await aMachine();
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...OTHER });
    expect(await failure(takeStep(credentialsStep, at))).toMatchObject({ code: 'credentials.node-in-use' });
  });

  test('that is not Ready gives its name, and unbootstrap keeps the bindings from before', async () => {
    const at = await aMachine({ config: { security: { tlsBootstrap: false } } });
    at.fakeCluster.nodes.set(NODE, { ready: false, ...OTHER });
    at.fakeCluster.bindings.set(`chandler-flexnode:${NODE}`, { clusterRole: 'system:node', user: 'earlier' });
    await join(at);
    at.fakeCluster.nodes.set(NODE, { ready: true, ...HERE });
    const left = await credentialsStep.undo(at.context);
    expect(left.map(({ what }) => what)).toEqual([
      `Node ${NODE}`,
      `ClusterRoleBinding chandler-flexnode:${NODE}`,
    ]);
    expect(at.fakeCluster.bindings.size).toBe(1);
  });
});

describe('an Arc agent that is registered as another machine of the owner', () => {
  const theirs = { subscriptionId: 's', resourceGroup: 'other', resourceName: 'pump-7' };

  test('is left alone also while it is offline', async () => {
    const at = await aMachine();
    Object.assign(at.agent, { connected: theirs, offline: true });
    expect(await failure(takeStep(arcStep, at))).toMatchObject({ code: 'arc.connected-elsewhere' });
    expect(at.agent.calls.map(({ argv }) => argv[0])).not.toContain('connect');
    expect(at.facts.get('arc.connectedByUs')).toBeUndefined();
  });

  test('is not disconnected by unbootstrap', async () => {
    const at = await aMachine();
    await takeStep(arcStep, at);
    at.agent.connected = theirs;
    await arcStep.undo(at.context);
    expect(at.agent.connected).toEqual(theirs);
  });

  test('our own registration is disconnected also while it is offline', async () => {
    const at = await aMachine();
    await takeStep(arcStep, at);
    at.agent.offline = true;
    expect(await arcStep.undo(at.context)).toEqual([]);
    expect(at.agent.connected).toBeUndefined();
  });

  test('bootstrap does not replace our own registration while it is offline', async () => {
    const at = await aMachine();
    await takeStep(arcStep, at);
    at.agent.offline = true;
    expect(await failure(takeStep(arcStep, at))).toMatchObject({ code: 'arc.offline' });
    expect(at.agent.connected).toBeDefined();
    expect(deletes(at)).toEqual([]);
  });

  test('a state that azcmagent does not show is an error, not an agent without registration', async () => {
    const at = await aMachine();
    at.agent.connected = theirs;
    at.agent.fail({ command: 'show', code: 'AZCM0001', times: 9 });
    expect(await failure(takeStep(arcStep, at))).toMatchObject({ code: 'azcmagent.azcm0001' });
    expect(at.agent.calls.map(({ argv }) => argv[0])).not.toContain('connect');
  });
});
