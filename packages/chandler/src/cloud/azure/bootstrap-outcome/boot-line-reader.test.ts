/** The boot log of a VM whose operating system did not start, read on the wire after Azure has given up. */
import { neverAborted } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError } from '../../../arm/index.ts';

import { classify } from '../errors/index.ts';
import { extensionAnswer, json, readerOn, refusal, SECRET } from './wire.fixture.ts';

const DISK = '[    3.020118] Buffer I/O error on dev sda1, logical block 262144, async page read';
const DISK_LOG = `[    0.000000] Linux version 5.15\n${DISK}\nGave up waiting for root file system device.\n`;
const TIMED_OUT = new ArmError({ code: 'OSProvisioningTimedOut', message: 'it did not come up' });
const ERROR = classify(TIMED_OUT, { accepted: true }).error;

describe.each(['aksscriptless', 'bootstrappingclient'] as const)(
  'a VM whose operating system did not start (%s)',
  (mode) => {
    test('shows in its boot log why', async () => {
      const { reader, wire, launched } = readerOn(mode);
      wire.log = () => new Response(DISK_LOG);
      expect(await reader.evidenceOf(launched('a'), ERROR, neverAborted())).toEqual({
        bootLine: { kind: 'disk', line: DISK },
      });
    });

    test('is read once: the VM is deleted when the failure is reported', async () => {
      const { reader, wire, launched, calls } = readerOn(mode);
      wire.log = () => new Response(DISK_LOG);
      const first = await reader.evidenceOf(launched('a'), ERROR, neverAborted());
      const count = calls.length;
      wire.address = () => refusal(404, 'ResourceNotFound');
      expect(await reader.evidenceOf(launched('a'), ERROR, neverAborted())).toEqual(first);
      expect(await reader.afterFailure(launched('a'), ERROR, neverAborted())).toBeUndefined();
      expect(calls).toHaveLength(count);
      expect(calls.filter(({ what }) => what === 'address' || what === 'log')).toHaveLength(2);
    });

    test.each([
      ['a log that decides nothing', () => new Response('[    0.000000] Linux version 5.15\n')],
      ['no log', () => new Response('', { status: 404 })],
      ['a log that cannot be downloaded', () => new Response('', { status: 500 })],
      [
        'an error of a data disk',
        () => new Response('[ 9.1] Buffer I/O error on dev sdc, logical block 0\n'),
      ],
    ])('is not explained by %s', async (_, log) => {
      const { reader, wire, launched } = readerOn(mode);
      wire.log = log;
      expect(await reader.evidenceOf(launched('a'), ERROR, neverAborted())).toEqual({});
    });

    test.each([
      ['is missing', () => refusal(403, 'AuthorizationFailed')],
      ['is not needed, as boot diagnostics are off', () => refusal(409, 'OperationNotAllowed')],
    ])('is not explained where the permission %s', async (_, address) => {
      const { reader, wire, launched, world } = readerOn(mode);
      wire.address = address;
      expect(await reader.evidenceOf(launched('a'), ERROR, neverAborted())).toEqual({});
      expect(world.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    });

    test('tells no secret', async () => {
      const { reader, wire, launched, world } = readerOn(mode);
      wire.log = () =>
        new Response(
          `kubelet[9]: token=abcdef.0123456789abcdef https://a.example/b?sig=${SECRET} read-only file system\n`,
        );
      const found = await reader.evidenceOf(launched('a'), ERROR, neverAborted());
      expect(found.bootLine?.kind).toBe('kubeletDisk');
      const everything = JSON.stringify([found, world.lines]);
      expect(everything).not.toContain('0123456789abcdef');
      expect(everything).not.toContain(SECRET);
    });

    test('whose provisioning script failed is explained by that', async () => {
      const { reader, wire, launched } = readerOn(mode);
      const line = 'cloud-init[9]: {"ExitCode": "50", "Output": "+ exit 50", "Error": ""}';
      wire.log = () => new Response(`${DISK_LOG}${line}\n`);
      const found = await reader.evidenceOf(launched('a'), ERROR, neverAborted());
      expect(found).toMatchObject({ failure: { code: 50 } });
      expect(found.bootLine).toBeUndefined();
    });
  },
);

test('a VM of which an extension failed is not explained by its disk', async () => {
  const { reader, wire, launched } = readerOn('bootstrappingclient');
  wire.extension.set('aks-a', extensionAnswer('Succeeded'));
  wire.log = () => new Response(DISK_LOG);
  const failed = new ArmError({ code: 'VMExtensionProvisioningError', message: 'another extension' });
  const { error } = classify(failed, { accepted: true });
  expect(await reader.evidenceOf(launched('a'), error, neverAborted())).toEqual({});
});

test('an answer that is none throws nothing', async () => {
  const { reader, wire, launched } = readerOn('aksscriptless');
  wire.address = () => json({ serialConsoleLogBlobUri: 'no address' });
  expect(await reader.evidenceOf(launched('a'), ERROR, neverAborted())).toEqual({});
});
