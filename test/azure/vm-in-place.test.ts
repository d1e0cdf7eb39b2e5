/** Updates in place whose operation does not end well, and VMs that had failed before. */
import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { aClaim, type CloudProcess, settleMachine, type VmCloud, vmCloud } from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function launched(): Promise<{ readonly fixture: VmCloud; readonly claim: Stored<NodeClaim> }> {
  const fixture = await vmCloud();
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
});
