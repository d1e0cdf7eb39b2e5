import { neverAborted } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';
import { CloudError } from '../../index.ts';

import { SERIAL_TAIL_BYTES } from './index.ts';
import { readerOn, refusal, SECRET } from './wire.fixture.ts';

const line = (code: number) =>
  `[   60.123456] cloud-init[1016]: { "ExitCode": "${code}", "Output": "+ exit ${code}", "Error": "" }\n`;
const console215 = `[    0.000000] Linux version 5.15\n${line(215)}[   61.0] cloud-init[1016]: [WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [215]\n`;

/** In chunks, as a server sends it. */
function streamed(chunks: number, bytes: number, end: string): Response {
  let sent = 0;
  const filler = new TextEncoder().encode('x'.repeat(bytes - 1).concat('\n'));
  return new Response(
    new ReadableStream({
      pull(controller) {
        if (sent++ < chunks) controller.enqueue(filler);
        else {
          controller.enqueue(new TextEncoder().encode(end));
          controller.close();
        }
      },
    }),
  );
}

describe('a VM whose script is run by cloud-init', () => {
  test('is not looked at while its node is not late', async () => {
    const { ask, launched, calls } = readerOn('aksscriptless');
    await ask([launched('a')], 15_000);
    expect(calls).toEqual([]);
  });

  test('says on its console with which code the script ended', async () => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    wire.log = () => new Response(console215);
    const outcomes = await ask([launched('a')], 30_000);
    expect(outcomes.get('uid-a')).toMatchObject({
      state: 'failed',
      failure: { code: 215, constant: 'ERR_DNS_HEALTH_FAIL', readFrom: 'serialLog' },
    });
  });

  test('uses the warning of cloud-init when there is no status', async () => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    wire.log = () =>
      new Response(
        'cloud-init[9]: [WARNING]: Failed running /var/lib/cloud/instance/scripts/part-001 [50]\n',
      );
    expect((await ask([launched('a')], 30_000)).get('uid-a')).toMatchObject({ failure: { code: 50 } });
  });

  test('is not failed by what another extension prints, and its own code is found beside that', async () => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    const foreign =
      "ExtHandler [Microsoft.Azure.Monitor.AzureMonitorLinuxAgent] Enable failed: failed to execute command: command terminated with exit status=51\n[stdout]\n+ exit 51\n[stderr]\n(publisher 'Microsoft.Azure.Monitor' and type 'AzureMonitorLinuxAgent')\n";
    wire.log = (name) => new Response(name === 'aks-a' ? foreign : `${foreign}${console215}${foreign}`);
    const outcomes = await ask([launched('a'), launched('b')], 90_000);
    expect(outcomes.get('uid-a')).toBeUndefined();
    expect(outcomes.get('uid-b')).toMatchObject({ failure: { code: 215 } });
  });

  test.each([
    ['nothing', ''],
    ['an extension with an exit code of its own', 'waagent: Enable failed with exit code 51\n'],
    ['a state of an extension', 'ExtHandler ProvisioningState/failed/51 VMExtensionProvisioningError\n'],
    ['an extension that timed out', 'Provisioning of VM extension guest-config has timed out.\n'],
    ['the output of a program for Windows', 'ExitCode: |5|, Output: |WINDOWS_CSE_ERROR|, Error: ||\n'],
    ['the exit code of another program', '{"name": "backup", "ExitCode": "51"}\n'],
    ['a program that lost its output', '[stdout]\n+ exit 51\n[stderr]\n'],
    ['a machine that still boots', '[    0.000000] Linux version 5.15\n'],
    ['a script that went well', line(0)],
    ['noise', '\u0000\uffff{"ExitCode": '],
  ])('says nothing yet: %s', async (_, text) => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    wire.log = () => new Response(text);
    expect((await ask([launched('a')], 90_000)).size).toBe(0);
  });

  test('reads the address of the log once, and the log repeatedly', async () => {
    const { ask, wire, launched, calls } = readerOn('aksscriptless');
    wire.log = () => new Response('[    0.000000] Linux version 5.15\n');
    await ask([launched('a')], 10 * 60_000);
    const count = (what: string) => calls.filter((call) => call.what === what).length;
    expect(count('address')).toBe(1);
    expect(count('log')).toBeGreaterThan(20);
    expect(count('log')).toBeLessThan(40);
    expect(calls[0]!.url).toContain('sasUriExpirationTimeInMinutes=60');
  });

  test('gets a new address when the old one is not good any more', async () => {
    const { ask, wire, launched, calls } = readerOn('aksscriptless');
    wire.log = (_, signature) =>
      signature === `${SECRET}1` ? new Response('<Error/>', { status: 403 }) : new Response(console215);
    expect((await ask([launched('a')], 5 * 60_000, (uids) => uids.length > 0)).size).toBe(1);
    expect(calls.filter(({ what }) => what === 'address')).toHaveLength(2);
  });

  test('that has no boot diagnostics is asked seldom, and it is said once', async () => {
    const { ask, wire, launched, calls, world } = readerOn('aksscriptless');
    wire.address = () => refusal(409, 'OperationNotAllowed');
    await ask([launched('a')], 9 * 60_000);
    expect(calls.length).toBeLessThan(7);
    expect(world.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
  });

  test('the right that is missing is named', async () => {
    const { ask, wire, launched, world } = readerOn('aksscriptless');
    wire.address = () => refusal(403, 'AuthorizationFailed');
    await ask([launched('a')], 60_000);
    expect(world.lines.find(({ level }) => level === 'warn')?.fields['permission']).toBe(
      'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action',
    );
  });

  test('storage that refuses a signed address is no missing right, and is asked again with a new one soon', async () => {
    const { ask, wire, launched, world } = readerOn('aksscriptless');
    wire.log = (_, signature) =>
      signature === `${SECRET}1` ? new Response('<Error/>', { status: 403 }) : new Response(console215);
    expect((await ask([launched('a')], 45_000)).size).toBe(1);
    const said = world.lines.filter(({ level }) => level === 'warn');
    expect(said.map(({ fields }) => fields['permission'])).toEqual([undefined]);
  });

  test('a huge log uses no more memory than its end', async () => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    wire.log = () => streamed(20, SERIAL_TAIL_BYTES / 2, console215);
    expect((await ask([launched('a')], 30_000)).get('uid-a')).toMatchObject({ failure: { code: 215 } });
  });

  test('an endless log is given up', async () => {
    const { ask, wire, launched } = readerOn('aksscriptless');
    wire.log = () => streamed(Number.POSITIVE_INFINITY, 4 * 1024 * 1024, '');
    expect((await ask([launched('a')], 30_000)).size).toBe(0);
  });

  test('the signed address is in no log line, whatever goes wrong with it', async () => {
    const { ask, wire, launched, world, calls } = readerOn('aksscriptless');
    const bad = [
      () => {
        throw new TypeError(`Failed to parse URL from https://logs.example/?sig=${SECRET}`, {
          cause: new Error('Invalid URL'),
        });
      },
      () => new Response('', { status: 403 }),
      () => new Response(`<Error>?sig=${SECRET}</Error>`, { status: 500 }),
    ];
    wire.log = () => bad[calls.length % bad.length]!();
    await ask([launched('a'), launched('b'), launched('c')], 30 * 60_000);
    expect(world.lines.filter(({ level }) => level === 'warn').length).toBeGreaterThan(0);
    expect(JSON.stringify(world.lines)).not.toContain(SECRET);
  });

  test('an operating system that did not come up in time: the console is read then', async () => {
    const { reader, wire, launched } = readerOn('aksscriptless');
    wire.log = () => new Response(console215);
    const cause = new ArmError({ code: 'OSProvisioningTimedOut', message: 'it did not come up' });
    const error = new CloudError('CreateFailed', 'x', {
      reason: 'OSProvisioningFailed',
      cause,
      instanceFailed: true,
    });
    expect(await reader.afterFailure(launched('a'), error, neverAborted())).toMatchObject({
      code: 215,
      readFrom: 'serialLog',
    });
    wire.log = () => new Response('Gave up waiting for root file system device.');
    expect(await reader.afterFailure(launched('b'), error, neverAborted())).toBeUndefined();
  });
});

describe('a thousand late nodes', () => {
  test.each([
    ['leave most writes of Azure to a launch that is in progress', 1, 2.2],
    ['leave nearly all of them to many launches, which wait for each other already', 200, 0.7],
  ])('%s', async (_, launches, mostPerSecond) => {
    const { ask, wire, launched, calls } = readerOn('aksscriptless', launches);
    wire.log = () => new Response('[    0.000000] Linux version 5.15\n');
    const claims = Array.from({ length: 1000 }, (_, index) => launched(`n${index}`, 60_000));
    await ask(claims, 60_000);
    const addresses = calls.filter(({ what }) => what === 'address').length;
    expect(addresses).toBeGreaterThan(10);
    expect(addresses / 60).toBeLessThanOrEqual(mostPerSecond);
    expect(calls.length / 60).toBeLessThanOrEqual(20);
  });

  test('are all read within three minutes when nothing is launching', async () => {
    const { ask, wire, launched, calls } = readerOn('aksscriptless', 0);
    wire.log = () => new Response(line(50));
    const claims = Array.from({ length: 1000 }, (_, index) => launched(`n${index}`, 60_000));
    const outcomes = await ask(claims, 180_000);
    expect(outcomes.size).toBe(1000);
    expect(calls.length / 180).toBeLessThanOrEqual(20);
  });
});
