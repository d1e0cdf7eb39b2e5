import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import {
  aClaim,
  inventory,
  NOTHING,
  removeVm,
  settleMachine,
  setVmTags,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(options: VmCloudOptions = {}): Promise<VmCloud> {
  open = await vmCloud(options);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

describe('a launch', () => {
  test('creates one NIC, one VM and its extensions, in this order', async () => {
    const fixture = await azure({ mode: 'bootstrappingclient' });
    const { last } = await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    expect(inventory(fixture)).toEqual({
      vms: ['aks-a'],
      nics: ['aks-a'],
      disks: ['aks-a'],
      extensions: ['computeAksLinuxBilling', 'cse-agent-karpenter'],
    });
    const writes = fixture.server.resources.calls().filter((call) => call.method === 'PUT');
    expect(writes.map((call) => call.path.split('/').slice(-2).join('/'))).toEqual([
      'networkInterfaces/aks-a',
      'virtualMachines/aks-a',
      'extensions/cse-agent-karpenter',
      'extensions/computeAksLinuxBilling',
    ]);
    expect(last.instance).toMatchObject({
      name: 'aks-a',
      claimUid: 'uid-a',
      claimName: 'a',
      nodePool: 'general',
      instanceType: 'Standard_D4s_v5',
      capacityType: 'on-demand',
    });
    expect(fixture.cloud.launchesInFlight).toBe(0);
  });

  test('needs few calls', async () => {
    const fixture = await azure();
    await settleMachine(fixture, fixture.cloud, aClaim('warm'), fixture.nodeClass());
    const before = fixture.server.resources.totalCalls;
    await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    const calls = fixture.server.resources.calls().slice(before);
    const questions = calls.filter((call) => call.path.includes('perations/'));
    expect(
      calls.length - questions.length,
      calls.map((call) => `${call.method} ${call.path}`).join('\n'),
    ).toBeLessThanOrEqual(7);
  });

  test('[000-L5.1] records every stage once, in a log line and in the journey', async () => {
    const fixture = await azure();
    const { stages } = await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    const names = stages.filter((stage) => stage.outcome === 'ok').map((stage) => stage.name);
    expect(names).toEqual([
      'options',
      'nodeClass',
      'offering',
      'image',
      'bootstrap',
      'launchTemplate',
      'vmObject',
      'vmRequest',
      'vmOperation',
      'vmResult',
      'extension',
    ]);
    const logged = fixture.lines.filter((line) => line.fields['stage'] !== undefined);
    expect(logged.map((line) => line.fields['stage'])).toEqual(stages.map((stage) => stage.name));
    expect(logged.every((line) => line.fields['NodeClaim'] === 'a')).toBe(true);
  });

  test('keeps secrets out of stages and log', async () => {
    const fixture = await azure({ mode: 'bootstrappingclient' });
    const { stages } = await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    const output = JSON.stringify([stages, fixture.lines]);
    expect(output).not.toContain('0123456789abcdef');
    expect(output).not.toContain('provision_start');
  });

  test('with a pool gone from the load balancer looks for pools once more', async () => {
    const fixture = await azure();
    fixture.server.faults.add({ name: 'pool-missing', count: 1 });
    await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    const lists = fixture.server.resources.calls().filter((call) => call.path.endsWith('/loadBalancers'));
    expect(lists).toHaveLength(2);
  });

  test('of pods with addresses of their own asks for an address for each', async () => {
    const fixture = await azure({ env: { NETWORK_PLUGIN_MODE: '' } });
    await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass({ maxPods: 20 }));
    const [nic] = fixture.server.resources.nics();
    expect((nic!.properties['ipConfigurations'] as unknown[]).length).toBe(20);
  });

  test('that finds its NIC made for another size puts it again', async () => {
    const fixture = await azure();
    const claim = aClaim('a');
    const first = await fixture.cloud.create(
      { claim, nodeClass: fixture.nodeClass() as never },
      neverAborted(),
    );
    expect(first.state).toBe('waiting');
    await fixture.clock.advance(1000);
    const [nic] = fixture.server.resources.nics();
    fixture.server.context.store.put({
      ...nic!,
      properties: { ...nic!.properties, enableAcceleratedNetworking: false },
    });
    const { cloud } = fixture.startProcess();
    await settleMachine(fixture, cloud, claim, fixture.nodeClass());
    expect(fixture.server.resources.nics()[0]!.properties['enableAcceleratedNetworking']).toBe(true);
    expect(inventory(fixture).nics).toEqual(['aks-a']);
  });
});

describe('the owner of a VM', () => {
  test('the UID of the claim decides: another claim of the same name waits for the deletion', async () => {
    const fixture = await azure();
    const nodeClass = fixture.nodeClass();
    const first = aClaim('a', { uid: 'first' });
    const second = aClaim('a', { uid: 'second' });
    await settleMachine(fixture, fixture.cloud, first, nodeClass);
    const refused = fixture.cloud.create({ claim: second, nodeClass: nodeClass as never }, neverAborted());
    await expect(refused).rejects.toMatchObject({
      kind: 'NameTaken',
      message: expect.stringContaining('first'),
    });
    expect(await removeVm(fixture, fixture.cloud, second), 'the other claim deletes nothing').toBe(1);
    expect(inventory(fixture).vms).toEqual(['aks-a']);
    await fixture.cloud.delete(first, neverAborted());
    const step = await fixture.cloud.create({ claim: second, nodeClass: nodeClass as never }, neverAborted());
    expect(step.state, 'while it goes away').toBe('waiting');
    await removeVm(fixture, fixture.cloud, first);
    const { last } = await settleMachine(fixture, fixture.cloud, second, nodeClass);
    expect(last.instance.claimUid).toBe('second');
  });

  test('a VM without a UID is never taken over', async () => {
    const fixture = await azure();
    const nodeClass = fixture.nodeClass();
    await settleMachine(fixture, fixture.cloud, aClaim('a'), nodeClass);
    await setVmTags(fixture, ({ 'chandler.sh_claim-uid': _, ...tags }) => tags);
    const refused = fixture
      .startProcess()
      .cloud.create({ claim: aClaim('a'), nodeClass: nodeClass as never }, neverAborted());
    await expect(refused).rejects.toMatchObject({
      kind: 'NameTaken',
      message: expect.stringContaining('without a NodeClaim'),
    });
  });

  test('a VM that the claim names and that is gone is not made a second time', async () => {
    const fixture = await azure();
    const claim = aClaim('a');
    const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
    await removeVm(fixture, fixture.cloud, claim);
    const launched = { ...claim, status: { providerID: last.instance.providerID } };
    const again = fixture.cloud.create(
      { claim: launched, nodeClass: fixture.nodeClass() as never },
      neverAborted(),
    );
    await expect(again).rejects.toMatchObject({ kind: 'NotFound' });
    expect(inventory(fixture)).toEqual(NOTHING);
  });
});
