/** Other clients write a VM while it is launched: disks are attached, AKS and policies put extensions of their own. */
import type { Fetch, Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import type { CloudError, LaunchStep } from '../../packages/chandler/src/cloud/index.ts';
import {
  aClaim,
  type CloudProcess,
  inventory,
  type VmCloud,
  type VmCloudOptions,
  vmCloud,
} from './vm-cloud.fixture.ts';

let open: VmCloud | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function azure(faults: readonly string[] = [], options: VmCloudOptions = {}): Promise<VmCloud> {
  open = await vmCloud(options);
  for (const fault of faults) open.server.faults.add(fault);
  return open;
}

type Settled = Extract<LaunchStep, { state: 'launched' }>;

/** Steps with what the claim knows by then, until the VM is settled or `until` holds. */
async function launch(
  fixture: VmCloud,
  { cloud }: Pick<CloudProcess, 'cloud'> = fixture,
  until: () => boolean = () => false,
  claim: Stored<NodeClaim> = aClaim('a'),
): Promise<{ readonly step: Settled; readonly known: Stored<NodeClaim> }> {
  let known = claim;
  for (let steps = 0; steps < 100; steps++) {
    const step = await cloud.create({ claim: known, nodeClass: fixture.nodeClass() }, neverAborted());
    if (step.state === 'launched') {
      known = { ...known, status: { ...known.status, providerID: step.instance.providerID } };
      if (step.settled || until()) return { step, known };
    }
    await fixture.clock.advance(step.retryAfterMs ?? 1000);
  }
  throw new Error('the VM does not settle');
}

const isExtension = (path: string) => path.includes('/extensions/');
const calls = ({ server }: VmCloud, method: string, matches: (path: string) => boolean = () => true) =>
  server.resources.calls().filter((call) => call.method === method && matches(call.path));
const SLOW = { server: { latencies: { extensionMs: 30_000 } } };
const BILLING = 'computeAksLinuxBilling';

/** As another client. */
async function put({ server }: VmCloud, path: string, body: unknown): Promise<void> {
  const response = await server.fetch(`${server.url}${path}?api-version=2025-04-01`, {
    method: 'PUT',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { authorization: `Bearer ${server.token()}`, 'content-type': 'application/json' },
  });
  expect(response.status).toBeLessThan(300);
}

const othersExtension = (fixture: VmCloud) =>
  put(fixture, `${fixture.server.resources.vms()[0]!.id}/extensions/AKSLinuxExtension`, {
    location: fixture.server.settings.region,
    properties: { publisher: 'Microsoft.AKS', type: 'AKSNode', typeHandlerVersion: '1.0', settings: {} },
  });

describe('a VM that another client writes during its launch', () => {
  test.each([
    ['its creation', 'preempted@operation=PUT virtualMachines', 1],
    ['its extension, which continues', 'preempted@operation=PUT extensions', 1],
    ['its extension, which is canceled', 'preempted=canceled@count=1,operation=PUT extensions', 2],
  ])('is kept when this ends the operation of %s', async (_, fault, puts) => {
    const fixture = await azure([fault]);
    const { step } = await launch(fixture);
    expect(step.instance.name).toBe('aks-a');
    expect(calls(fixture, 'PUT', isExtension)).toHaveLength(puts);
    expect(calls(fixture, 'DELETE')).toEqual([]);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], extensions: [BILLING] });
  });

  test('is kept: the write ends the operation of its extension', async () => {
    const fixture = await azure([], SLOW);
    let vm = '';
    const fetch: Fetch = async (input, init) => {
      const isPut = init?.method === 'PUT';
      if (isPut && /\/virtualMachines\/[^/?]+\?/.test(String(input))) vm = String(init?.body);
      const response = await fixture.fetch(input, init);
      if (isPut && isExtension(String(input))) {
        const body = JSON.parse(vm) as { readonly tags: object };
        await put(fixture, fixture.server.resources.vms()[0]!.id, {
          ...body,
          tags: { ...body.tags, a: '1' },
        });
      }
      return response;
    };
    await launch(fixture, fixture.startProcess(fetch));
    expect(calls(fixture, 'DELETE')).toEqual([]);
    expect(fixture.server.resources.vms()[0]).toMatchObject({ tags: { a: '1' } });
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], extensions: [BILLING] });
  });

  test('is kept also by a new process that finds the extension canceled', async () => {
    const fixture = await azure(['preempted=canceled@count=1,operation=PUT extensions']);
    const sent = () => calls(fixture, 'PUT', isExtension).length > 0;
    const { known } = await launch(fixture, fixture, sent);
    await fixture.clock.advance(60_000);
    await launch(fixture, fixture.startProcess(), undefined, known);
    expect(calls(fixture, 'PUT', isExtension)).toHaveLength(2);
    expect(calls(fixture, 'DELETE')).toEqual([]);
  });

  test.each([
    ['429', 429, 'TooManyRequests'],
    ['409', 409, 'Conflict'],
  ])(
    'is kept when its extension failed silently and the second PUT is refused with %s',
    async (_, status, code) => {
      const fixture = await azure(['preempted=canceled@count=1,operation=PUT extensions']);
      let puts = 0;
      const refusing: Fetch = async (input, init) => {
        if (!isExtension(String(input))) return fixture.fetch(input, init);
        if (init?.method === 'PUT' && ++puts === 2)
          return Response.json({ error: { code, message: 'another operation is in progress' } }, { status });
        const response = await fixture.fetch(input, init);
        const body = await response.text();
        const shown = init?.method === 'PUT' ? body : body.replace('"Canceled"', '"Failed"');
        return new Response(shown, response);
      };
      const process = fixture.startProcess(refusing);
      const made = () => puts > 0;
      const { known } = await launch(fixture, process, made);
      const retried = () => launch(fixture, process, undefined, known);
      await retried().catch((error: CloudError) => {
        expect(error).toMatchObject({ code, instanceFailed: false });
        return retried();
      });
      expect(puts).toBe(3);
      expect(calls(fixture, 'DELETE')).toEqual([]);
      expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'], extensions: [BILLING] });
    },
  );

  test('fails when its extension is canceled again and again', async () => {
    const fixture = await azure(['preempted=canceled@operation=PUT extensions']);
    const error = await launch(fixture).catch((thrown: CloudError) => thrown);
    expect(error).toMatchObject({ reason: 'OperationInterrupted', instanceFailed: true });
    expect(calls(fixture, 'PUT', isExtension)).toHaveLength(4);
  });

  test('fails when the script that was preempted has failed', async () => {
    const fixture = await azure(['cse=50@count=1'], { ...SLOW, mode: 'bootstrappingclient' });
    let isSent = false;
    const preempting: Fetch = async (input, init) => {
      const response = await fixture.fetch(input, init);
      if (
        isSent &&
        /\/operations\//.test(String(input)) &&
        (await response.clone().text()).includes('Failed')
      )
        return Response.json({ status: 'Canceled', error: { code: 'OperationPreempted', message: 'no' } });
      isSent ||= init?.method === 'PUT' && isExtension(String(input));
      return response;
    };
    const error = await launch(fixture, fixture.startProcess(preempting)).catch(
      (thrown: CloudError) => thrown,
    );
    expect(error).toMatchObject({ code: 'VMExtensionProvisioningError', instanceFailed: true });
    expect(calls(fixture, 'PUT', isExtension)).toHaveLength(1);
  });
});

describe('a VM with a failed extension of another client', () => {
  const sent = (fixture: VmCloud) => () => calls(fixture, 'PUT', isExtension).length > 0;

  test.each(['this process', 'a new process'])('settles: %s', async (which) => {
    const fixture = await azure(['extension-fails@resource=AKSLinuxExtension'], SLOW);
    const { known } = await launch(fixture, fixture, sent(fixture));
    await othersExtension(fixture);
    await fixture.clock.advance(60_000);
    expect(fixture.server.resources.vms()[0]!.properties).toMatchObject({ provisioningState: 'Failed' });
    const process = which === 'a new process' ? fixture.startProcess() : fixture;
    await launch(fixture, process, undefined, known);
    expect(calls(fixture, 'DELETE')).toEqual([]);
    expect(inventory(fixture)).toMatchObject({ vms: ['aks-a'] });
  });

  test('gets the extension that is missing', async () => {
    const fixture = await azure(['extension-fails@resource=AKSLinuxExtension']);
    const made = () => fixture.server.resources.vms().length > 0;
    const { known } = await launch(fixture, fixture, made);
    await fixture.clock.advance(60_000);
    await othersExtension(fixture);
    await fixture.clock.advance(60_000);
    await launch(fixture, fixture.startProcess(), undefined, known);
    expect([...inventory(fixture).extensions].sort()).toEqual(['AKSLinuxExtension', BILLING]);
  });

  test('fails with the reason of its own failed extension', async () => {
    const fixture = await azure(['extension-timeout'], SLOW);
    const error = await launch(fixture).catch((thrown: CloudError) => thrown);
    expect(error).toMatchObject({ reason: 'ExtensionFailed', code: 'VMExtensionProvisioningTimeout' });
    expect((error as CloudError).stages?.at(-1)).toMatchObject({ name: 'extension', outcome: 'failed' });
  });
});

test('a registered node whose VM fails after it was made is not launched again', async () => {
  const fixture = await azure([], SLOW);
  const sent = () => calls(fixture, 'PUT', isExtension).length > 0;
  const { known } = await launch(fixture, fixture, sent);
  await fixture.clock.advance(60_000);
  const failing: Fetch = async (input, init) => {
    const response = await fixture.fetch(input, init);
    if (!/\/virtualMachines\/[^/?]+\?/.test(String(input))) return response;
    const vm = (await response.json()) as { readonly properties: object };
    const statuses = [{ code: 'ProvisioningState/failed/AttachDiskWhileBeingDetached', level: 'Error' }];
    const failed = { provisioningState: 'Failed', instanceView: { statuses } };
    return Response.json({ ...vm, properties: { ...vm.properties, ...failed } });
  };
  const registered: Stored<NodeClaim> = {
    ...known,
    status: {
      ...known.status,
      conditions: [
        {
          type: 'Registered',
          status: 'True',
          reason: 'Registered',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  };
  await launch(fixture, fixture.startProcess(failing), undefined, registered);
  expect(calls(fixture, 'DELETE')).toEqual([]);
});
