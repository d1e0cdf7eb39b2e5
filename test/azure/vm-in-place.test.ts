/** Updates in place whose operation does not end well, and VMs that had failed before. */
import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { isCloudError } from '../../packages/chandler/src/cloud/index.ts';
import { aClaim, type CloudProcess, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

interface Launched {
  readonly fixture: VmCloud;
  readonly claim: Stored<NodeClaim>;
}

async function launched(env: Readonly<Record<string, string>> = {}): Promise<Launched> {
  const fixture = await vmCloud({ env });
  open = fixture;
  const claim = aClaim('a');
  const { last } = await settleMachine(fixture, fixture.cloud, claim, fixture.nodeClass());
  const { providerID, annotations } = last.instance;
  const metadata = { ...claim.metadata, annotations: { ...annotations } };
  return { fixture, claim: { ...claim, metadata, status: { providerID } } };
}

/** Steps until it is done; with the errors on the way. */
async function updated(fixture: VmCloud, { cloud }: CloudProcess, claim: Stored<NodeClaim>) {
  const update = { claim, nodeClass: fixture.nodeClass({ tags: { team: 'payments' } }) };
  const errors: unknown[] = [];
  for (let steps = 1; steps < 20; steps++) {
    try {
      const done = await cloud.updateInPlace(update, neverAborted());
      if (done.state !== 'patched') return { done, errors };
    } catch (error) {
      errors.push(error);
    }
    await fixture.clock.advance(5000);
  }
  throw new Error('the update does not end');
}

const IDENTITY =
  '/subscriptions/12345678-1234-1234-1234-123456789012/resourceGroups/mine/providers/Microsoft.ManagedIdentity/userAssignedIdentities/late';

const patches = ({ server }: VmCloud) =>
  server.resources.calls().filter(({ method, path }) => method === 'PATCH' && isVm(path)).length;
const isVm = (url: string) => /\/virtualMachines\/[^/?]+(\?|$)/.test(url);
const replaced = ({ lines }: VmCloud) =>
  lines.filter(({ message }) => message === 'Azure replaces tags of a VM');

describe('an update in place that Azure accepts', () => {
  test.each([
    ['Canceled', 'OperationPreempted', 'OperationInterrupted'],
    ['Failed', 'InternalExecutionError', 'CloudUnreachable'],
  ])('and that ends as %s, %s, is sent again', async (status, code, reason) => {
    const { fixture, claim } = await launched();
    const [before] = fixture.server.resources.vms();
    let failing: string | undefined;
    const fetch: Fetch = async (input, init) => {
      const response = await fixture.fetch(input, init);
      if (failing === undefined && init?.method === 'PATCH' && isVm(String(input))) {
        failing = response.headers.get('azure-asyncoperation') ?? '';
      } else if (failing !== undefined && String(input) === failing) {
        failing = '';
        fixture.server.context.store.put(before!);
        return Response.json({ status, error: { code, message: 'no' } });
      }
      return response;
    };
    const { done, errors } = await updated(fixture, fixture.startProcess(fetch), claim);
    expect(done.state).toBe('checked');
    expect(errors).toMatchObject([{ reason, code }]);
    expect(patches(fixture)).toBe(2);
    expect(fixture.server.resources.vms()[0]!.tags).toMatchObject({ team: 'payments' });
    expect(replaced(fixture)).toEqual([]);
  });

  test.each([1, 3])('and that fails after %i polls without an answer is sent again', async (unanswered) => {
    const { fixture, claim } = await launched();
    const [before] = fixture.server.resources.vms();
    let operation: string | undefined;
    let polls = 0;
    const fetch: Fetch = async (input, init) => {
      const isPoll = operation !== undefined && String(input) === operation;
      if (isPoll && ++polls <= unanswered) return new Response('oops', { status: 500 });
      const response = await fixture.fetch(input, init);
      if (operation === undefined && init?.method === 'PATCH' && isVm(String(input))) {
        operation = response.headers.get('azure-asyncoperation') ?? '';
        fixture.server.context.store.put(before!);
      } else if (isPoll) {
        fixture.server.context.store.put(before!);
        return Response.json({ status: 'Failed', error: { code: 'InternalExecutionError', message: 'no' } });
      }
      return response;
    };
    const { done } = await updated(fixture, fixture.startProcess(fetch), claim);
    expect(done.state).toBe('checked');
    expect(patches(fixture)).toBe(2);
    expect(fixture.server.resources.vms()[0]!.tags).toMatchObject({ team: 'payments' });
    expect(replaced(fixture)).toEqual([]);
  });

  test.each([['Succeeded'], ['Failed']])(
    'ends for a VM that had failed before and whose tags a policy replaces (operation: %s)',
    async (status) => {
      const { fixture, claim } = await launched();
      fixture.server.faults.add('retag=team:central');
      const fetch: Fetch = async (input, init) => {
        const response = await fixture.fetch(input, init);
        const error = { code: 'VMExtensionProvisioningError', message: 'of an extension' };
        if (/\/operations\//.test(String(input)))
          return Response.json({ status, ...(status === 'Failed' ? { error } : {}) });
        if ((init?.method ?? 'GET') !== 'GET' || !isVm(String(input))) return response;
        const vm = (await response.json()) as { readonly properties: object };
        return Response.json({ ...vm, properties: { ...vm.properties, provisioningState: 'Failed' } });
      };
      const { done } = await updated(fixture, fixture.startProcess(fetch), claim);
      expect(done.state).toBe('checked');
      expect(patches(fixture)).toBe(1);
      expect(replaced(fixture)).toHaveLength(1);
    },
  );

  test('and that never adds the identity to a VM that had failed before is sent again after growing pauses, with the error', async () => {
    const { fixture, claim } = await launched({ NODE_IDENTITIES: IDENTITY });
    const error = { code: 'VMExtensionProvisioningError', message: 'of an extension' };
    const fetch: Fetch = async (input, init) => {
      const response = await fixture.fetch(input, init);
      if (/\/operations\//.test(String(input))) return Response.json({ status: 'Failed', error });
      if ((init?.method ?? 'GET') !== 'GET' || !isVm(String(input))) return response;
      const vm = (await response.json()) as { readonly properties: object };
      const { identity: _, ...others } = { identity: undefined, ...vm };
      return Response.json({ ...others, properties: { ...vm.properties, provisioningState: 'Failed' } });
    };
    const { cloud } = fixture.startProcess(fetch);
    const update = { claim, nodeClass: fixture.nodeClass({ tags: { team: 'payments' } }) };
    const pausesMs: number[] = [];
    for (let steps = 0; steps < 50 && pausesMs.length < 8; steps++) {
      const step = await cloud.updateInPlace(update, neverAborted()).catch((failure: unknown) => {
        if (!isCloudError(failure) || failure.advice.retry !== 'after') throw failure;
        expect(failure).toMatchObject({ code: error.code });
        pausesMs.push(failure.advice.ms);
        return { state: 'patched', retryAfterMs: failure.advice.ms };
      });
      if (!('retryAfterMs' in step)) throw new Error('the identity is missing');
      await fixture.clock.advance(step.retryAfterMs);
    }
    expect(patches(fixture)).toBe(8);
    expect(pausesMs).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 320_000, 600_000, 600_000]);
    const warned = fixture.lines.filter(({ message }) => message === 'update of a VM in place failed');
    expect(warned).toHaveLength(8);
  });
});
