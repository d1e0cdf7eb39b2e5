import { neverAborted } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { CloudError } from '../../index.ts';

import { extensionAnswer, failedExtension, json, readerOn, refusal, SECRET } from './wire.fixture.ts';

const failed = (claim: string) => (uids: readonly string[]) => uids.includes(`uid-${claim}`);

function armFailure(message: string, code = 'VMExtensionProvisioningError', reason = 'ExtensionFailed') {
  const cause = new ArmError({ code, message });
  return new CloudError('CreateFailed', `an extension failed: ${message}`.slice(0, 100), {
    reason,
    cause,
    instanceFailed: true,
  });
}

describe('a VM with a custom script extension', () => {
  test('its instance view is read, by the name of the extension and not by its type', async () => {
    const { reader, wire, launched, calls } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', failedExtension(50));
    const outcome = (await reader.look([launched('a', 60_000)], neverAborted())).get('uid-a');
    expect(outcome).toMatchObject({
      state: 'failed',
      failure: { code: 50, constant: 'ERR_OUTBOUND_CONN_FAIL', readFrom: 'extension', deterministic: true },
    });
    expect(calls).toHaveLength(1);
    expect(calls[0]!.url).toMatch(
      /\/virtualMachines\/aks-a\/extensions\/cse-agent-karpenter\?.*expand=instanceView/,
    );
  });

  test.each([
    [
      'has succeeded',
      extensionAnswer('Succeeded', 'ProvisioningState/succeeded', 'Enable succeeded: '),
      'succeeded',
    ],
    ['is running', extensionAnswer('Creating', 'ProvisioningState/transitioning'), undefined],
    ['is not there yet', undefined, undefined],
    [
      'has failed for the agent and not yet for Azure',
      extensionAnswer('Creating', 'ProvisioningState/failed/51', 'command terminated with exit status=51'),
      'failed',
    ],
    ['has failed and reports nothing, which the launch judges', extensionAnswer('Failed'), undefined],
    ['was canceled by a write of another client', extensionAnswer('Canceled'), undefined],
    [
      'was canceled after it had failed',
      extensionAnswer('Canceled', 'ProvisioningState/failed/51', 'command terminated with exit status=51'),
      'failed',
    ],
  ])('one that %s', async (_, answer, state) => {
    const { reader, wire, launched } = readerOn('bootstrappingclient');
    if (answer !== undefined) wire.extension.set('aks-a', answer);
    expect((await reader.look([launched('a', 60_000)], neverAborted())).get('uid-a')?.state).toBe(state);
  });

  test('is asked less and less often, and never less than every half minute', async () => {
    const { ask, wire, launched, calls } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', extensionAnswer('Creating'));
    await ask([launched('a')], 10 * 60_000);
    const times = calls.map(({ atMs }) => atMs);
    const pauses = times.slice(1).map((atMs, index) => atMs - times[index]!);
    expect(times[0]).toBe(10_000);
    expect(pauses.slice(0, 3)).toEqual([5_000, 5_000, 10_000]);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(25_000);
    expect(times.length).toBeLessThan(40);
  });

  test('keeps an outcome until the NodeClaim is forgotten', async () => {
    const { reader, wire, launched, calls } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', failedExtension(50));
    const claim = launched('a', 60_000);
    await reader.look([claim], neverAborted());
    expect((await reader.look([claim], neverAborted())).has('uid-a')).toBe(true);
    expect(calls).toHaveLength(1);
    expect((await reader.look([], neverAborted())).size).toBe(0);
  });
});

describe('a thousand VMs', () => {
  const names = Array.from({ length: 1000 }, (_, index) => `n${String(index).padStart(4, '0')}`);

  test('are asked about within 20 calls a second, and one that fails is known after half a minute', async () => {
    const { ask, wire, clock, launched, calls } = readerOn('bootstrappingclient');
    const claims = names.map((name) => launched(name, 60_000));
    for (const name of names) wire.extension.set(`aks-${name}`, extensionAnswer('Creating'));
    await ask(claims, 60_000);
    wire.extension.set('aks-n0777', failedExtension(51));
    const id =
      '/subscriptions/s/resourceGroups/MC_nodes/providers/Microsoft.Compute/virtualMachines/AKS-n0777/extensions/cse-agent-karpenter';
    wire.graph = () => json({ totalRecords: 1, count: 1, resultTruncated: 'false', data: [{ id }] });
    const knownMs = clock.monotonic();
    await ask(claims, 120_000, failed('n0777'));
    expect(clock.monotonic() - knownMs).toBeLessThanOrEqual(30_000);
    const seconds = new Map<number, number>();
    for (const { atMs } of calls)
      seconds.set(Math.floor(atMs / 1000), (seconds.get(Math.floor(atMs / 1000)) ?? 0) + 1);
    expect(Math.max(...seconds.values())).toBeLessThanOrEqual(20);
  });

  test('each has its turn, also when Resource Graph may not be asked', async () => {
    const { ask, wire, launched, calls, world } = readerOn('bootstrappingclient');
    wire.graph = () => refusal(403, 'AuthorizationFailed');
    for (const name of names) wire.extension.set(`aks-${name}`, extensionAnswer('Creating'));
    wire.extension.set('aks-n0999', failedExtension(51));
    const outcomes = await ask(
      names.map((name) => launched(name, 60_000)),
      3 * 60_000,
      failed('n0999'),
    );
    expect(outcomes.has('uid-n0999')).toBe(true);
    expect(new Set(calls.filter(({ what }) => what === 'extension').map(({ vm }) => vm)).size).toBe(1000);
    const said = world.lines.filter(({ message }) => message.includes('could not be read'));
    expect(said.map(({ fields }) => fields['permission'])).toEqual([
      'Microsoft.ResourceGraph/resources/read',
    ]);
  });
});

describe('when reads fail', () => {
  test('without the right to read it says which one is missing, once, and asks seldom', async () => {
    const { ask, wire, launched, calls, world } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', () => refusal(403, 'AuthorizationFailed'));
    await ask([launched('a')], 9 * 60_000);
    const said = world.lines.filter(({ level }) => level === 'warn');
    expect(said.map(({ fields }) => fields['permission'])).toEqual([
      'Microsoft.Compute/virtualMachines/extensions/read',
    ]);
    expect(calls.length).toBeLessThan(7);
  });

  test('the right that is missing is that of the call that was refused, each said once', async () => {
    const { ask, wire, launched, world } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', () => refusal(403, 'AuthorizationFailed'));
    wire.extension.set('aks-b', extensionAnswer('Failed', 'ProvisioningState/failed', 'no exit code'));
    wire.address = () => refusal(403, 'AuthorizationFailed');
    await ask([launched('a'), launched('b')], 60_000);
    const said = world.lines.filter(({ level }) => level === 'warn');
    expect(said.map(({ fields }) => fields['permission']).sort()).toEqual([
      'Microsoft.Compute/virtualMachines/extensions/read',
      'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action',
    ]);
  });

  test('an answer 429 is waited out', async () => {
    const { ask, wire, launched, calls } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', () => refusal(429, 'TooManyRequests', { 'retry-after': '90' }));
    await ask([launched('a', 60_000)], 80_000);
    expect(calls).toHaveLength(1);
  });

  test('garbage and silence are no outcome', async () => {
    const { ask, wire, launched } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', () => new Response('<html>'));
    wire.extension.set('aks-b', () =>
      Promise.reject(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
    );
    wire.extension.set('aks-c', () => refusal(500, 'InternalServerError'));
    const outcomes = await ask(
      ['a', 'b', 'c'].map((name) => launched(name)),
      2 * 60_000,
    );
    expect(outcomes.size).toBe(0);
  });
});

describe('after Azure has said that a VM failed', () => {
  const wrapped = (message: string, name = 'cse-agent-karpenter', type = 'CustomScript') =>
    `VM has reported a failure when processing extension '${name}' (publisher 'Microsoft.Azure.Extensions' and type '${type}'). Error message: '${message}'.`;

  test('the instance view goes before the error of the operation, which may be cut', async () => {
    const { reader, wire, launched } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', failedExtension(211, '+ oras login\noras: command not found\n+ exit 211'));
    const error = armFailure(
      wrapped('Enable failed: failed to execute command: command terminated with exit status=1'),
    );
    const failure = await reader.afterFailure(launched('a'), error, neverAborted());
    expect(failure).toMatchObject({ code: 211, readFrom: 'extension', deterministic: true });
    expect(failure?.message).toContain('Actual cause: the oras binary is missing');
  });

  test('the error of the operation is used when there is no other evidence, wherever in it the code is', async () => {
    const { reader, wire, launched } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', () => refusal(404, 'ResourceNotFound'));
    const error = armFailure(`${'-'.repeat(2000)}${wrapped('command terminated with exit status=50')}`);
    expect(await reader.afterFailure(launched('a'), error, neverAborted())).toMatchObject({
      code: 50,
      readFrom: 'operation',
    });
  });

  test.each(['Creating', 'Failed'])(
    'a VM agent that reports nothing leaves the bootstrap without an exit code: extension %s',
    async (state) => {
      const { reader, wire, launched } = readerOn('bootstrappingclient');
      wire.extension.set('aks-a', extensionAnswer(state));
      const error = armFailure(
        "VM 'aks-a' has not reported status for VM agent or extensions.",
        'VMAgentStatusCommunicationError',
      );
      const failure = await reader.afterFailure(launched('a'), error, neverAborted());
      expect(failure).toMatchObject({ code: undefined, readFrom: 'operation' });
      expect(failure?.message).toContain('the VM agent has not reported any status');
    },
  );

  test('another extension that failed is not the bootstrap', async () => {
    const { reader, wire, launched } = readerOn('bootstrappingclient');
    wire.extension.set('aks-a', extensionAnswer('Succeeded'));
    const error = armFailure(wrapped('Enable failed', 'computeAksLinuxBilling', 'Compute.AKS.Linux.Billing'));
    expect(await reader.afterFailure(launched('a'), error, neverAborted())).toBeUndefined();
  });

  test('a VM that was never created is not the bootstrap either, and Azure is not called', async () => {
    const { reader, launched, calls } = readerOn('bootstrappingclient');
    const error = armFailure('no room', 'AllocationFailed', 'AllocationFailure');
    expect(await reader.afterFailure(launched('a'), error, neverAborted())).toBeUndefined();
    expect(calls).toEqual([]);
  });

  test('an extension that timed out without output: the serial console is read', async () => {
    const { reader, wire, launched } = readerOn('bootstrappingclient');
    wire.extension.set(
      'aks-a',
      extensionAnswer('Failed', 'ProvisioningState/failed/-1', 'Enable in progress'),
    );
    wire.log = () =>
      new Response(
        '[  60.1] cloud-init[9]: {"ExitCode": "124", "Output": "+ systemctl restart kubelet", "Error": ""}\n',
      );
    const error = armFailure(
      'Provisioning of VM extension cse-agent-karpenter has timed out.',
      'VMExtensionProvisioningTimeout',
    );
    expect(await reader.afterFailure(launched('a'), error, neverAborted())).toMatchObject({
      code: 124,
      readFrom: 'serialLog',
    });
  });

  test('secrets of the output are in nothing that comes out', async () => {
    const { reader, wire, launched, world } = readerOn('bootstrappingclient');
    const output = `+ TLS_BOOTSTRAP_TOKEN=abcdef.0123456789abcdef curl 'https://x.blob/y?sig=${SECRET}'\n+ exit 50`;
    wire.extension.set('aks-a', failedExtension(50, output, `Authorization: Bearer ${SECRET}`));
    const failure = await reader.afterFailure(launched('a'), armFailure(wrapped(output)), neverAborted());
    const everything = JSON.stringify([failure, world.lines]);
    expect(failure?.code).toBe(50);
    expect(everything).not.toContain('0123456789abcdef');
    expect(everything).not.toContain(SECRET);
  });
});
