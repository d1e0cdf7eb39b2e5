/** A network interface whose PUT Azure accepts, and whose operation fails afterwards. */
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import { aClaim, inventory, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

async function azure(...faults: readonly string[]): Promise<VmCloud> {
  open = await vmCloud();
  for (const fault of faults) open.server.faults.add(fault);
  return open;
}

afterEach(async () => {
  await open?.close();
  open = undefined;
});

/** Steps until one throws. */
async function failure({ clock, cloud, nodeClass }: VmCloud): Promise<CloudError> {
  const claim = aClaim('a');
  for (let steps = 0; steps < 50; steps++) {
    try {
      const step = await cloud.create({ claim, nodeClass: nodeClass() }, neverAborted());
      await clock.advance(step.retryAfterMs ?? 1000);
    } catch (error) {
      return error as CloudError;
    }
  }
  throw new Error('no step failed');
}

const puts = ({ server }: VmCloud) =>
  server.resources
    .calls()
    .filter(({ method, path }) => method === 'PUT' && path.includes('/networkInterfaces/')).length;

describe('a network interface whose operation fails', () => {
  test('is put once more, and the launch goes on', async () => {
    const fixture = await azure('nic-fails@count=1');
    await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    expect(puts(fixture)).toBe(2);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], nics: ['aks-a'] });
  });

  test.each([
    ['InternalServerError', { kind: 'Unreachable', reason: 'CloudUnreachable' }],
    ['SubnetIsFull', { kind: 'CreateFailed', reason: 'SubnetFull' }],
    ['NeverSeenBefore', { kind: 'CreateFailed', reason: 'CreateInstanceFailed' }],
  ])('for the second time fails the launch with its reason: %s', async (code, expected) => {
    const fixture = await azure(`nic-fails=${code}`);
    const error = await failure(fixture);
    expect(error).toMatchObject({ ...expected, code });
    expect(error.message).toContain(`${code}: An error occurred.`);
    expect(error.stages?.at(-1)).toMatchObject({ name: 'networkInterface', outcome: 'failed' });
    expect(puts(fixture)).toBe(2);
  });

  test('is repaired by a later attempt, once Azure can', async () => {
    const fixture = await azure('nic-fails@count=2');
    await failure(fixture);
    await settleMachine(fixture, fixture.cloud, aClaim('a'), fixture.nodeClass());
    expect(puts(fixture)).toBe(3);
  });

  test('fails the launch also of a new process that finds it failed', async () => {
    const fixture = await azure('nic-fails');
    const { cloud, nodeClass, clock } = fixture;
    await cloud.create({ claim: aClaim('a'), nodeClass: nodeClass() }, neverAborted());
    await clock.advance(1000);
    const error = await failure({ ...fixture, ...fixture.startProcess() });
    expect(error).toMatchObject({ code: 'InternalServerError' });
    expect(puts(fixture)).toBe(2);
  });

  test('fails the launch with its state where the operation can no longer be read', async () => {
    const fixture = await azure('nic-fails');
    const { fetch } = fixture;
    const process = fixture.startProcess(async (input, init) =>
      /\/operations\//.test(String(input))
        ? Response.json({ error: { code: 'NotFound', message: 'gone' } }, { status: 404 })
        : fetch(input, init),
    );
    const error = await failure({ ...fixture, ...process });
    expect(error).toMatchObject({ kind: 'CreateFailed', code: 'NetworkInterfaceFailed' });
    expect(puts(fixture)).toBe(2);
  });
});
