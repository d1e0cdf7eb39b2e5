import { describe, expect, test } from 'vitest';
import { COMPUTE, cseBody, testArm } from '../arm-server.fixture.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import type { ExtensionOutcome, VmFacts } from './vm-hooks.ts';

describe('the hooks of VMs', () => {
  test('are called when a VM starts, runs and is deleted, with the properties of the VM', async () => {
    const azure = await testArm();
    const calls: string[] = [];
    const facts: VmFacts[] = [];
    azure.server.addHooks({
      provision: (vm, done) => {
        calls.push('provision');
        facts.push(vm);
        done();
      },
      vmRunning: () => void calls.push('running'),
      vmGone: () => void calls.push('gone'),
    });
    await azure.launch('aks-a', { spot: true, zone: '2' });
    await azure.call('DELETE', `${COMPUTE}/virtualMachines/aks-a`);
    expect(calls).toEqual(['provision', 'running', 'gone']);
    expect(facts[0]).toMatchObject({
      name: 'aks-a',
      zone: '2',
      size: 'Standard_D4s_v5',
      spot: true,
      computerName: 'aks-a',
      customData: '#!/bin/bash\necho hello',
      privateIpAddress: '10.224.0.4',
    });
  });

  test('decide when the VM is ready, and whether it failed', async () => {
    const azure = await testArm();
    let done: (error?: ArmErrorBody) => void = () => undefined;
    azure.server.addHooks({
      provision: (_vm, end) => {
        done = end;
      },
    });
    const put = await azure.launch('aks-a');
    await azure.advance(3_000_000);
    expect((await azure.operation(put)).json['status']).toBe('InProgress');
    done({ code: 'OSProvisioningTimedOut', message: 'it did not come up' });
    done();
    expect((await azure.operation(put)).json['error']!['code']).toBe('OSProvisioningTimedOut');
    expect(azure.server.resources.vms()[0]!.properties.provisioningState).toBe('Failed');
  });

  test('run the extensions', async () => {
    const azure = await testArm();
    let finish: (outcome: ExtensionOutcome) => void = () => undefined;
    azure.server.addHooks({
      runExtension: (vm, extension, done) => {
        expect([vm.name, extension.protectedSettings['commandToExecute']]).toEqual([
          'aks-a',
          'bash /opt/azure/cse.sh',
        ]);
        finish = done;
      },
    });
    await azure.launch('aks-a');
    const put = await azure.call(
      'PUT',
      `${COMPUTE}/virtualMachines/aks-a/extensions/cse`,
      cseBody(azure.server),
    );
    await azure.advance(60_000);
    expect((await azure.operation(put)).json['status']).toBe('InProgress');
    finish({ exitCode: 50, stdout: 'no way out', stderr: 'oh' });
    expect(String((await azure.operation(put)).json['error']!['message'])).toContain(
      'exit status=50\n[stdout]\nno way out\n[stderr]\noh',
    );
  });

  test('report the agent, the operating system and the power state', async () => {
    const azure = await testArm();
    await azure.launch('aks-a');
    const id = azure.server.resources.vms()[0]!.id;
    azure.server.vms.setInstanceView(id, {
      power: 'stopped',
      osName: 'ubuntu',
      osVersion: '22.04',
      agent: {
        version: '2.9',
        status: { code: 'ProvisioningState/Unavailable', level: 'Warning', displayStatus: 'Not Ready' },
      },
    });
    const view = (await azure.call('GET', `${COMPUTE}/virtualMachines/aks-a/instanceView`)).json;
    expect(view).toMatchObject({ osName: 'ubuntu', osVersion: '22.04', vmAgent: { vmAgentVersion: '2.9' } });
    expect(view['statuses']!.at(-1)!['code']).toBe('PowerState/stopped');
    expect(azure.server.vms.powerOf(id)).toBe('stopped');
  });

  test('may throw without affecting the server', async () => {
    const azure = await testArm();
    const remove = azure.server.addHooks({
      vmRunning: () => {
        throw new Error('a broken guest');
      },
    });
    const put = await azure.launch('aks-a');
    expect((await azure.operation(put)).json['status']).toBe('Succeeded');
    expect(azure.world.lines.map((line) => line.message)).toEqual(['a VM hook failed']);
    remove();
    await azure.launch('aks-b');
    expect(azure.world.lines).toHaveLength(1);
  });
});
