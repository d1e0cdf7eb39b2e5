import type { Fault, FaultRegister } from '@chandler/cloudsim/azure/testing';
import { conditionOf, NODES } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { type VmTest, vmTest } from './vms.fixture.ts';

let it: VmTest;

afterEach(() => it?.stop());

async function vmWithFault(fault: string, golden = 'ubuntu-overlay-cilium'): Promise<VmTest> {
  it = await vmTest({}, { faults: [fault] });
  await it.launch('aks-a', it.script(golden));
  return it;
}

/** A register with this fault active, whether the table contains it or not. */
function always(name: string, value: string): Pick<FaultRegister, 'list' | 'trigger'> {
  const fault: Fault = { id: 'f1', struck: 1, name, value };
  return { list: () => [fault], trigger: (point) => (point === 'machine' ? fault : undefined) };
}

async function vmWithTriggered(name: string, value = '0', change = {}): Promise<VmTest> {
  it = await vmTest({ faultRegister: always(name, value) });
  await it.launch('aks-a', it.script('ubuntu-overlay-cilium'), change);
  return it;
}

async function instanceView() {
  const vm = await it.azure.call('GET', 'Microsoft.Compute/virtualMachines/aks-a?$expand=instanceView');
  return vm.json['properties']!;
}

describe('a VM with a fault', () => {
  test('cse: the exit code is on the console, and there is no node', async () => {
    await vmWithFault('cse=211');
    expect(it.exitCode('aks-a')).toBe('211');
    expect(it.serial('aks-a')).toMatch(/"Output": "[^"]*refresh token[^"]*\\n\+ exit 211"/);
    expect(it.serial('aks-a')).toContain('Failed running /var/lib/cloud/instance/scripts/part-001 [211]');
    expect(await it.node('aks-a')).toBeUndefined();
    expect(String((await instanceView())['provisioningState'])).toBe('Succeeded');
  });

  test('cse with count 1: the next VM is healthy', async () => {
    await vmWithFault('cse=50@count=1');
    await it.launch('aks-b', it.script('ubuntu-overlay-cilium'));
    expect([it.exitCode('aks-a'), it.exitCode('aks-b')]).toEqual(['50', '0']);
  });

  test.each([
    ['no-network', '51'],
    ['no-dns', '53'],
  ])('by %s: the script gives up with %s', async (fault, code) => {
    await vmWithFault(fault);
    expect(it.exitCode('aks-a')).toBe(code);
  });

  test('no-dns: the script gives up also where the endpoint of the API server is an address', async () => {
    it = await vmTest({}, { faults: ['no-dns'] });
    await it.launch('aks-a', it.script('ubuntu-overlay-cilium', { API_SERVER_NAME: '127.0.0.1' }));
    expect(it.exitCode('aks-a')).toBe('50');
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test('never-register: the script succeeds and no node registers', async () => {
    await vmWithFault('never-register');
    await it.advance(600_000);
    expect(it.exitCode('aks-a')).toBe('0');
    expect(await it.node('aks-a')).toBeUndefined();
  });

  test.each(['never-ready', 'not-ready'])('by %s: its node stays NotReady', async (name) => {
    await vmWithTriggered(name);
    await it.advance(600_000);
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')).toMatchObject({ status: 'False' });
  });

  test('slow-boot: it becomes ready late', async () => {
    await vmWithFault('slow-boot=60000');
    expect(await it.node('aks-a')).toBeUndefined();
    await it.advance(60_000);
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')?.status).toBe('True');
  });

  test('register-late: the script ends long before', async () => {
    await vmWithTriggered('register-late', '60000');
    expect(it.exitCode('aks-a')).toBe('0');
    expect(await it.node('aks-a')).toBeUndefined();
    await it.advance(60_000);
    expect(await it.node('aks-a')).toBeDefined();
  });

  test('register-twice: one VM has two nodes', async () => {
    await vmWithTriggered('register-twice');
    const { items } = await it.client.list(NODES);
    expect(items).toHaveLength(2);
    expect(new Set(items.map(({ spec }) => spec?.providerID)).size).toBe(1);
  });

  test('wrong-labels: the node lacks the label of its NodePool', async () => {
    await vmWithTriggered('wrong-labels');
    const labels = (await it.node('aks-a'))!.metadata.labels!;
    expect(labels['karpenter.sh/nodepool']).toBeUndefined();
    expect(labels['kubernetes.io/hostname']).toBe('aks-a');
  });

  test.each([
    ['boot-failure', 'did not load an operating system'],
    ['disk-error', 'I/O error, dev sda'],
  ])('by %s: Azure gives up in the end', async (fault, said) => {
    await vmWithFault(fault);
    expect(it.serial('aks-a')).toContain(said);
    expect(String((await instanceView())['provisioningState'])).toBe('Creating');
    await it.advance(60_000);
    expect(String((await instanceView())['provisioningState'])).toBe('Failed');
    expect(JSON.stringify(await instanceView())).toContain('OSProvisioningTimedOut');
  });

  test('boot-hang: the VM is running for Azure, and no node registers', async () => {
    await vmWithTriggered('boot-hang');
    await it.advance(600_000);
    expect(String((await instanceView())['provisioningState'])).toBe('Succeeded');
    expect(it.serial('aks-a')).toContain('cloud-final.service/start running');
    expect(it.exitCode('aks-a')).toBeUndefined();
  });

  test('kernel-panic: heartbeats stop and the node becomes Unknown', async () => {
    await vmWithFault('kernel-panic=20000');
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')?.status).toBe('True');
    await it.advance(100_000);
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')?.status).toBe('Unknown');
    expect(it.serial('aks-a')).toContain('Kernel panic');
    expect(JSON.stringify(await instanceView())).toContain('VM agent is unresponsive');
  });

  test('node-unhealthy: the node reports NotReady', async () => {
    await vmWithFault('node-unhealthy=20000');
    await it.advance(30_000);
    expect(conditionOf((await it.node('aks-a'))!, 'Ready')).toMatchObject({
      status: 'False',
      message: expect.stringContaining('PLEG'),
    });
  });

  test('spot-evict: the node gets a notice, the VM is deleted, then the node', async () => {
    await vmWithTriggered('spot-evict', '20000', { spot: true });
    await it.advance(20_000);
    expect(conditionOf((await it.node('aks-a'))!, 'PreemptionScheduled')?.status).toBe('True');
    await it.advance(6000);
    expect(it.azure.server.resources.vms()).toEqual([]);
    await it.advance(10_000);
    expect(await it.node('aks-a')).toBeUndefined();
    expect(it.guests.size).toBe(0);
  });
});
