import { conditionOf, SECRETS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { inFull } from '../part.ts';
import { type VmTest, vmTest } from './vms.fixture.ts';

let it: VmTest;

afterEach(() => it.stop());

const VM = 'Microsoft.Compute/virtualMachines/aks-a';
const readyOf = async (name = 'aks-a') => {
  const node = await it.node(name);
  return node && conditionOf(node, 'Ready')?.status;
};

async function start(): Promise<void> {
  it = await vmTest();
  await it.launch('aks-a', it.script('ubuntu-overlay-cilium'));
}

describe('the deletion of a VM', () => {
  test('the node of a deleted VM is deleted a little later', async () => {
    await start();
    await it.azure.call('DELETE', `${VM}?forceDeletion=true`);
    await it.advance(5000);
    expect(await it.node('aks-a')).toBeDefined();
    await it.advance(6000);
    expect(await it.node('aks-a')).toBeUndefined();
    expect(it.guests.size).toBe(0);
  });

  test('a node without a VM is kept', async () => {
    await start();
    await it.playground.standins!.addNode({ name: 'other', providerID: 'azure:///other' });
    await it.azure.call('DELETE', VM);
    await it.advance(60_000);
    expect(await readyOf('other')).toBe('True');
  });

  test('a VM that is deleted before it registers never registers', async () => {
    it = await vmTest();
    await it.azure.launch('aks-a', {
      osProfile: { customData: Buffer.from(it.script('ubuntu-overlay-cilium')).toString('base64') },
    });
    await it.azure.call('DELETE', VM);
    await it.advance(60_000);
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test('a VM that is recreated under its name keeps its node', async () => {
    await start();
    await it.azure.call('DELETE', `${VM}?forceDeletion=true`);
    await it.advance(1000);
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium'));
    await it.advance(30_000);
    expect(await readyOf()).toBe('True');
  });

  test('without power its node becomes Unknown, with power it is ready again', async () => {
    await start();
    await it.azure.call('POST', `${VM}/powerOff`);
    await it.advance(90_000);
    expect(await readyOf()).toBe('Unknown');
    await it.azure.call('POST', `${VM}/start`);
    await it.advance(5000);
    expect(await readyOf()).toBe('True');
  });
});

describe('a kubelet that is not authenticated', () => {
  test('registers once its token is valid', async () => {
    it = await vmTest();
    const token = 'abcdef.0123456789abcdef';
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium', { TLS_BOOTSTRAP_TOKEN: token }));
    expect(await it.node('aks-a')).toBeUndefined();
    await addToken('abcdef', '0123456789abcdef');
    await it.advance(12_000);
    expect(await readyOf()).toBe('True');
  });

  test('does not register with a token that has expired, or has another usage', async () => {
    it = await vmTest();
    await addToken('oldold', '0123456789abcdef', { expiration: '2025-12-31T00:00:00Z' });
    await addToken('sigsig', '0123456789abcdef', { 'usage-bootstrap-authentication': 'false' });
    for (const id of ['oldold', 'sigsig']) {
      const TLS_BOOTSTRAP_TOKEN = `${id}.0123456789abcdef`;
      await it.launch(`aks-${id}`, it.script('ubuntu-overlay-cilium', { TLS_BOOTSTRAP_TOKEN }));
      expect(it.serial(`aks-${id}`)).toContain('Unauthorized');
      expect(await it.node(`aks-${id}`)).toBeUndefined();
    }
  });

  test('registers with a configured token', async () => {
    it = await vmTest({ tokens: ['static-token'] });
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium', { TLS_BOOTSTRAP_TOKEN: 'static-token' }));
    expect(await readyOf()).toBe('True');
  });

  async function addToken(id: string, secret: string, more: Record<string, string> = {}): Promise<void> {
    const data = {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-authentication': 'true',
      ...more,
    };
    await it.client.create(SECRETS, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace: 'kube-system', name: `bootstrap-token-${id}` },
      type: 'bootstrap.kubernetes.io/token',
      stringData: data,
    });
  }
});

describe('many VMs', () => {
  test.runIf(inFull('many VMs'))('leave no resources behind', async () => {
    it = await vmTest({ nodeCleanupMs: 1000 });
    const customData = Buffer.from(it.script('ubuntu-overlay-cilium')).toString('base64');
    const round = async () => {
      const names = Array.from({ length: 20 }, (_, at) => `aks-${at}`);
      for (const name of names) await it.azure.nic(name);
      await it.advance(100);
      for (const name of names) await it.azure.vm(name, { osProfile: { customData } });
      await it.advance(6000);
      expect(it.guests.size).toBe(20);
      for (const name of names)
        await it.azure.call('DELETE', `Microsoft.Compute/virtualMachines/${name}?forceDeletion=true`);
      await it.advance(3000);
    };
    await round();
    const timers = it.world.clock.pendingTimers;
    for (let again = 0; again < 3; again++) await round();
    expect(it.guests.size).toBe(0);
    expect(it.playground.standins!.watched.nodes.store.size).toBe(0);
    expect(it.azure.server.resources.vms()).toEqual([]);
    await it.advance(5000);
    expect(it.world.clock.pendingTimers).toBeLessThanOrEqual(timers);
  });
});
