import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { kindOf, named } from '../contract/drive.ts';
import { aClaim, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let fixture: VmCloud;
afterEach(() => fixture.close());

async function launched(name: string) {
  fixture = await vmCloud({ https: true });
  const claim = aClaim(name);
  const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
  return named(claim, last.instance);
}
const restarts = () =>
  fixture.server.resources
    .calls()
    .filter(({ method, path }) => method === 'POST' && path.endsWith('/restart'))
    .map(({ path }) => path.split('/').at(-2));

describe('a reboot of a VM', () => {
  test('is one restart over the wire, however often the same operation is asked for', async () => {
    const claim = await launched('a');
    await fixture.cloud.reboot(claim, 'operation-1', neverAborted());
    await fixture.cloud.reboot(claim, 'operation-1', neverAborted());
    expect(restarts()).toEqual(['aks-a']);
    await fixture.clock.advance(60_000);
    await fixture.cloud.reboot(claim, 'operation-2', neverAborted());
    expect(restarts()).toEqual(['aks-a', 'aks-a']);
  });

  test('does not reach the VM of another claim of the same name', async () => {
    const claim = await launched('a');
    const other = { ...claim, metadata: { ...claim.metadata, uid: 'uid-other' } };
    expect(await kindOf(fixture.cloud.reboot(other, 'operation-1', neverAborted()))).toBe('NotFound');
    expect(restarts()).toEqual([]);
  });

  test('of a VM that does not exist says so', async () => {
    const claim = await launched('a');
    const gone = { ...claim, metadata: { ...claim.metadata, name: 'b' }, status: {} };
    expect(await kindOf(fixture.cloud.reboot(gone, 'operation-1', neverAborted()))).toBe('NotFound');
  });

  test('that the identity may not request is reported as Unauthorized, and works when it may', async () => {
    const claim = await launched('a');
    fixture.server.faults.add({ name: 'forbidden', operation: 'POST virtualMachines' });
    expect(await kindOf(fixture.cloud.reboot(claim, 'operation-1', neverAborted()))).toBe('Unauthorized');
    fixture.server.faults.clear();
    await fixture.cloud.reboot(claim, 'operation-1', neverAborted());
    expect(restarts()).toHaveLength(2);
  });
});
