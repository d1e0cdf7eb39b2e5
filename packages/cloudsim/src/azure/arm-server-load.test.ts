import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { COMPUTE, NETWORK, nicBody, type TestArm, testArm, vmBody } from './arm-server.fixture.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function createAll(azure: TestArm, names: readonly string[]): Promise<void> {
  const { server, call } = azure;
  const token = server.token();
  await Promise.all(
    names.map((name) =>
      call('PUT', `${NETWORK}/networkInterfaces/${name}`, nicBody(server, name), { token }),
    ),
  );
  await azure.advance(100);
  const puts = await Promise.all(
    names.map((name) => call('PUT', `${COMPUTE}/virtualMachines/${name}`, vmBody(server, name), { token })),
  );
  expect(puts.every((put) => put.status === 201)).toBe(true);
  await azure.advance(1000);
}

async function deleteAll(azure: TestArm, names: readonly string[]): Promise<void> {
  const token = azure.server.token();
  await Promise.all(
    names.map((name) =>
      azure.call('DELETE', `${COMPUTE}/virtualMachines/${name}?forceDeletion=true`, undefined, { token }),
    ),
  );
  await azure.advance(1000);
}

const some = (count: number, from: string) => Array.from({ length: count }, (_, at) => `aks-${from}-${at}`);

describe('many VMs', () => {
  test('1,000 concurrent creates all succeed, each with an address of its own', async () => {
    const azure = await testArm();
    await createAll(azure, some(1000, 'many'));
    const { vms, nics, disks } = azure.server.resources;
    expect(vms().filter((vm) => vm.properties.provisioningState === 'Succeeded')).toHaveLength(1000);
    expect(disks()).toHaveLength(1000);
    const addresses = nics().map(
      (nic) => JSON.stringify(nic.properties['ipConfigurations']).match(/10\.224\.\d+\.\d+/)![0],
    );
    expect(new Set(addresses).size).toBe(1000);
  });

  test('memory stays flat over thousands of create and delete cycles', async () => {
    const azure = await testArm({ callLogLimit: 1000 });
    const before = azure.server.context.store.size;
    const heapAfter = async (round: string) => {
      for (let batch = 0; batch < 10; batch++) {
        const names = some(100, `${round}-${batch}`);
        await createAll(azure, names);
        await deleteAll(azure, names);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed / 1e6;
    };
    await heapAfter('warm');
    await heapAfter('full');
    const first = await heapAfter('a');
    const second = await heapAfter('b');
    expect(second - first).toBeLessThan(8);
    expect(azure.server.context.store.size).toBe(before);
    expect(azure.server.context.schedule.waiting).toBe(0);
  });
});
