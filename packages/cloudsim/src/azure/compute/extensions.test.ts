import { describe, expect, test } from 'vitest';
import { COMPUTE, cseBody, type TestArm, testArm } from '../arm-server.fixture.ts';

const VM = `${COMPUTE}/virtualMachines/aks-a`;
const CSE = `${VM}/extensions/cse-agent-karpenter`;
const PREEMPTED = { status: 'Canceled', error: { code: 'OperationPreempted' } };
const stateOf = async ({ call }: TestArm, path: string) =>
  (await call('GET', path)).json['properties']!['provisioningState'];
const put = (azure: TestArm) => azure.call('PUT', CSE, cseBody(azure.server));
const view = async ({ call }: TestArm) =>
  (await call('GET', `${CSE}?$expand=instanceView`)).json['properties']!['instanceView']!;

async function launched(options: Parameters<typeof testArm>[0] = {}) {
  const azure = await testArm(options);
  await azure.launch('aks-a');
  return azure;
}

describe('an extension', () => {
  test('runs and succeeds, and never shows its protected settings', async () => {
    const azure = await launched();
    const called = await put(azure);
    expect([called.status, called.json['properties']!['provisioningState']]).toEqual([201, 'Creating']);
    await azure.advance(1000);
    expect((await azure.operation(called)).json['status']).toBe('Succeeded');
    expect((await view(azure))['statuses']![0]!['code']).toBe('ProvisioningState/succeeded');
    const got = await azure.call('GET', CSE);
    expect(got.text).not.toContain('commandToExecute');
    expect(got.json['properties']!['instanceView']).toBeUndefined();
    expect(azure.server.resources.extensions()).toHaveLength(1);
  });

  test('that fails reports it in its view and in its operation, with the exit code and the JSON of the node', async () => {
    const azure = await launched({ faults: ['cse=211'] });
    const called = await put(azure);
    await azure.advance(1000);
    const { json } = await azure.operation(called);
    expect([json['status'], json['error']!['code']]).toEqual(['Failed', 'VMExtensionProvisioningError']);
    const message = String(json['error']!['message']);
    expect(message).toContain(
      "VM has reported a failure when processing extension 'cse-agent-karpenter' (publisher 'Microsoft.Azure.Extensions' and type 'CustomScript'). Error message: 'Enable failed: failed to execute command: command terminated with exit status=211\n[stdout]\n{\"ExitCode\":\"211\"",
    );
    const [status] = (await view(azure))['statuses']!;
    expect([status!['code'], status!['level']]).toEqual(['ProvisioningState/failed/211', 'Error']);
    expect((await azure.call('GET', CSE)).json['properties']!['provisioningState']).toBe('Failed');
    const stdout = /\[stdout\]\n(.*)\n\[stderr\]/.exec(String(status!['message']))![1]!;
    expect(JSON.parse(stdout)).toMatchObject({ ExitCode: '211', Error: '' });
  });

  test('with long output keeps the tail, without the exit code', async () => {
    const azure = await launched({ faults: ['cse-truncated=50'] });
    await put(azure);
    await azure.advance(1000);
    const message = String((await view(azure))['statuses']![0]!['message']);
    expect(message).toContain('exit status=50');
    expect(message).not.toContain('"ExitCode"');
    expect(message).toContain('+ exit 50');
  });

  test('can time out', async () => {
    const azure = await launched({ faults: ['extension-timeout'] });
    const called = await put(azure);
    await azure.advance(1000);
    expect((await azure.operation(called)).json['error']!['code']).toBe('VMExtensionProvisioningTimeout');
  });

  test('a fault of the node script does not affect other extensions', async () => {
    const azure = await launched({ faults: ['cse=211'] });
    const path = `${COMPUTE}/virtualMachines/aks-a/extensions/computeAksLinuxBilling`;
    const called = await azure.call('PUT', path, cseBody(azure.server, 'Compute.AKS.Linux.Billing'));
    await azure.advance(1000);
    expect((await azure.operation(called)).json['status']).toBe('Succeeded');
  });

  test.each([
    ['by a PUT of its VM', false],
    ['as a fault', true],
  ])('that is preempted %s continues, and its operation is canceled', async (_, isFault) => {
    const azure = await launched(isFault ? { faults: ['preempted@count=1,operation=PUT extensions'] } : {});
    const called = await put(azure);
    if (isFault) await azure.advance(azure.server.context.latencies.extensionMs / 2);
    else await azure.vm('aks-a');
    expect((await azure.operation(called)).json).toMatchObject(PREEMPTED);
    expect(await stateOf(azure, CSE)).toBe('Creating');
    await azure.advance(1000);
    expect(await stateOf(azure, CSE)).toBe('Succeeded');
    expect(await stateOf(azure, VM)).toBe('Succeeded');
  });

  test('that is preempted and canceled stays so until it is put again', async () => {
    const azure = await launched({ faults: ['preempted=canceled@count=1,operation=PUT extensions'] });
    const called = await put(azure);
    await azure.advance(1000);
    expect((await azure.operation(called)).json).toMatchObject(PREEMPTED);
    expect(await stateOf(azure, CSE)).toBe('Canceled');
    await put(azure);
    await azure.advance(1000);
    expect(await stateOf(azure, CSE)).toBe('Succeeded');
  });

  test.each(['put again', 'deleted'])(
    'that fails shows its VM as failed, which runs, until it is %s',
    async (how) => {
      const azure = await launched({ faults: ['extension-fails@count=1'] });
      await put(azure);
      await azure.advance(1000);
      expect(await stateOf(azure, VM)).toBe('Failed');
      const shown = (await azure.call('GET', `${VM}/instanceView`)).json;
      expect(shown['statuses']!.map(({ code }) => code)).toEqual([
        'ProvisioningState/failed/VMExtensionProvisioningError',
        'PowerState/running',
      ]);
      expect(shown['vmAgent']!['statuses']![0]!['displayStatus']).toBe('Ready');
      await azure.vm('aks-a', { tags: { a: '1' } });
      await azure.advance(1000);
      expect(await stateOf(azure, VM), 'after an update').toBe('Failed');
      if (how === 'deleted') await azure.call('DELETE', CSE);
      else await put(azure);
      await azure.advance(1000);
      expect(await stateOf(azure, VM)).toBe('Succeeded');
    },
  );

  test('requires a running VM', async () => {
    const azure = await testArm();
    for (const refused of [await put(azure), await azure.call('GET', CSE)])
      expect([refused.status, refused.error.code]).toEqual([404, 'ParentResourceNotFound']);
    await azure.nic('aks-a');
    await azure.advance(100);
    await azure.vm('aks-a');
    const early = await put(azure);
    expect([early.status, early.error.code]).toEqual([409, 'OperationNotAllowed']);
    await azure.advance(1000);
    expect((await put(azure)).status).toBe(201);
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    expect((await put(azure)).error.code).toBe('Conflict');
  });

  test('that is put twice runs twice and is one resource; another of the same handler is rejected', async () => {
    const azure = await launched();
    await put(azure);
    await azure.advance(1000);
    expect((await put(azure)).status).toBe(200);
    await azure.advance(1000);
    const other = await azure.call('PUT', CSE.replace('cse-agent-karpenter', 'other'), cseBody(azure.server));
    expect(other.error.message).toContain('Multiple VMExtensions per handler not supported');
    expect(azure.server.resources.extensions()).toHaveLength(1);
  });

  test('accepts new tags without running again, is listed, and is deleted', async () => {
    const azure = await launched();
    await put(azure);
    await azure.advance(1000);
    expect((await azure.call('PATCH', CSE, { tags: { a: '1' } })).json['tags']).toEqual({ a: '1' });
    expect((await azure.call('PATCH', `${CSE}x`, { tags: {} })).error.code).toBe('ResourceNotFound');
    const list = await azure.call('GET', `${COMPUTE}/virtualMachines/aks-a/extensions`);
    expect(list.json['value']!.map((one) => String(one['name']))).toEqual(['cse-agent-karpenter']);
    await azure.call('DELETE', CSE);
    await azure.advance(1000);
    expect((await azure.call('GET', CSE)).status).toBe(404);
    expect((await azure.call('DELETE', CSE)).status).toBe(204);
  });

  test('without publisher or type is rejected', async () => {
    const azure = await launched();
    const refused = await azure.call('PUT', CSE, {
      location: 'eastus',
      properties: { type: 'CustomScript' },
    });
    expect([refused.error.code, refused.error.target]).toEqual(['InvalidParameter', 'publisher']);
  });
});

describe('boot diagnostics', () => {
  const path = `${COMPUTE}/virtualMachines/aks-a/retrieveBootDiagnosticsData`;

  test('return a signed address of the serial log that expires', async () => {
    const azure = await launched();
    azure.server.vms.appendSerialLog(`${azure.group}/${COMPUTE}/virtualMachines/aks-a`, 'cloud-init done\n');
    const called = await azure.call('POST', `${path}?sasUriExpirationTimeInMinutes=5`);
    const uri = String(called.json['serialConsoleLogBlobUri']);
    const read = async () => {
      const response = await azure.server.fetch(uri);
      return [response.status, await response.text()] as const;
    };
    expect(await read()).toEqual([200, 'cloud-init done\n']);
    expect((await azure.server.fetch(uri.replace('sig=', 'sig=A'))).status).toBe(403);
    await azure.advance(5 * 60_000);
    const [status, text] = await read();
    expect(status).toBe(403);
    expect(text).toContain('<Code>AuthenticationFailed</Code>');
  });

  test('are deleted with the VM', async () => {
    const azure = await launched();
    const uri = String((await azure.call('POST', path)).json['serialConsoleLogBlobUri']);
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    await azure.advance(1000);
    expect((await azure.server.fetch(uri)).status).toBe(404);
  });

  test('that are disabled are rejected', async () => {
    const azure = await testArm();
    await azure.launch('aks-a', { properties: { diagnosticsProfile: {} } });
    expect((await azure.call('POST', path)).error.code).toBe('OperationNotAllowed');
  });

  test('keep the end of a log that is too long', async () => {
    const azure = await launched();
    const id = `${azure.group}/${COMPUTE}/virtualMachines/aks-a`;
    azure.server.vms.appendSerialLog(id, 'x'.repeat(300_000));
    azure.server.vms.appendSerialLog(id, 'end');
    expect(azure.server.vms.serialLog(id)).toHaveLength(256 * 1024);
    expect(azure.server.vms.serialLog(id).endsWith('xend')).toBe(true);
  });
});
