import { describe, expect, test } from 'vitest';
import {
  aClaim,
  aJoiningClaim,
  aNode,
  aVm,
  cloudError,
  condition,
  DES,
  question,
  serialLog,
} from '../../causes/testing.ts';

import { broken, findings } from './verdict.fixture.ts';

const DISK = '[    3.020118] Buffer I/O error on dev sda1, logical block 262144, async page read';

function failed(kind: string, line: string, hasCustomerKey = false) {
  return cloudError('OSProvisioningFailed', { bootLine: { kind, line, hasCustomerKey } });
}

describe('an operating system that did not start, by the line that the controller quoted', () => {
  test.each([
    ['[000-L5.2]', 'L5.2', failed('disk', DISK)],
    ['[000-L5.2]', 'L5.2', failed('kubeletDisk', 'kubelet[9]: no space left on device')],
    ['[000-L5.3]', 'L5.3', failed('disk', DISK, true)],
    ['[000-L5.1]', 'L5.1', failed('noBoot', 'Kernel panic - not syncing')],
    ['[000-L5.1]', 'L5.1', failed('firmware', 'No bootable device.')],
    ['[000-L5.1]', 'L5.1', failed('slowDisk', 'dracut-initqueue timeout')],
    ['[000-L5.1]', 'boot.hangs', failed('hang', 'A start job is running for x')],
  ])('%s is %s, and nothing else', (_, id, error) => {
    expect(broken(error)).toEqual([id]);
    expect(findings(error)[0]?.summary).toContain(error.bootLine?.line);
  });

  test('[000-L5.1] without a quote Azure alone is quoted', () => {
    expect(findings(cloudError('OSProvisioningFailed'))[0]).toMatchObject({
      id: 'L5.1',
      summary: expect.stringContaining('Azure said OSProvisioningFailed'),
    });
  });

  test('[000-L5.2] the disk set of another VM does not change what is said of this one', () => {
    const next = aJoiningClaim(1, { name: 'default-next', recordedDiskEncryptionSet: DES });
    expect(broken(next, failed('disk', DISK))).toEqual(['L5.2']);
  });

  test('a node that is not Ready is not explained by a VM that failed before it', () => {
    const node = aNode({ conditions: [condition('Ready', 'False', 'KubeletNotReady', 'x')] });
    const asked = { ...question(false), subject: 'node/aks-default-x7k2p' };
    for (const hasKey of [false, true])
      expect(broken(asked, aClaim(), node, failed('disk', DISK, hasKey))).not.toContain(
        hasKey ? 'L5.3' : 'L5.2',
      );
  });
});

describe('the serial log of a VM that has not joined', () => {
  test.each([
    `${DISK.replace('sda1', 'sda')}\nx login: `,
    `[ 0.0] Linux version 5.15\n${DISK}\n[  OK  ] Reached target Multi-User System.\n`,
  ])('[000-L5.2] shows no failing disk if the boot went on: %s', (text) => {
    expect(broken(aJoiningClaim(), aVm(), serialLog(text))).not.toContain('L5.2');
  });

  test('[000-L5.1] shows a root file system that does not appear', () => {
    const log = serialLog('[ 0.0] Linux version 5.15\nGave up waiting for root file system device.\n');
    expect(broken(aJoiningClaim(), aVm(), log)).toEqual(['L5.1']);
  });

  test('[000-L5.2] shows a failing NVMe disk', () => {
    const log = serialLog('[ 1.2] I/O error, dev nvme0n1, sector 2048 op 0x0:(READ)\n');
    expect(broken(aJoiningClaim(), aVm(), log)).toEqual(['L5.2']);
  });
});
