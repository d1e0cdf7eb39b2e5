import { HIDDEN } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { MAX_LINE_LENGTH } from '../quoted-line.ts';
import { BOOT_LINES } from './boot-lines.table.ts';
import { decisiveBootLine, quotedBootLine, quotingBootLine } from './decisive-boot-line.ts';

const KERNEL = '[    0.000000] Linux version 5.15.0-1101-azure (buildd@lcy02)\n';
const ROOT = '[    2.913371] EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.\n';
const RUNS =
  '[    5.1] systemd[1]: Reached target Local File Systems.\n[  OK  ] Reached target Network is Online.\n';
const DISK = '[    3.020118] Buffer I/O error on dev sda1, logical block 262144, async page read';
const READ_ONLY = '[  812.4] EXT4-fs (sda1): Remounting filesystem read-only';
const PANIC = '[    2.2] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)';
const JOB = '[     *] A start job is running for Wait for Network to be Configured (1min 12s / no limit)';

describe('the line of a serial log that shows why an operating system did not start', () => {
  test.each([
    ['an error of the OS disk', 'disk', `${KERNEL}${DISK}\n(initramfs) `, DISK],
    [
      'an error of it under another name',
      'disk',
      `${KERNEL}${ROOT.replace('sda', 'sdb')}${DISK.replace('sda', 'sdb')}\n`,
      DISK.replace('sda', 'sdb'),
    ],
    [
      'of an NVMe disk',
      'disk',
      `${KERNEL}[ 1.2] I/O error, dev nvme0n1, sector 2048 op 0x0:(READ)\n`,
      '[ 1.2] I/O error, dev nvme0n1, sector 2048 op 0x0:(READ)',
    ],
    [
      'a disk that becomes read-only after the boot',
      'readOnlyDisk',
      `${KERNEL}${ROOT}${RUNS}aks-x login: \n${READ_ONLY}\n`,
      READ_ONLY,
    ],
    [
      'a disk that becomes read-only, and a login prompt all the same',
      'readOnlyDisk',
      `${KERNEL}${ROOT}${READ_ONLY}\naks-x login: \n`,
      READ_ONLY,
    ],
    ['the disk before the panic that follows from it', 'disk', `${KERNEL}${DISK}\n${PANIC}\n`, DISK],
    ['a panic', 'noBoot', `${KERNEL}${PANIC}\n`, PANIC],
    ['a panic, the kernel being started again', 'noBoot', `${KERNEL}${PANIC}\n${KERNEL}`, PANIC],
    [
      'a root file system that does not appear',
      'noBoot',
      `${KERNEL}Gave up waiting for root file system device.  Common problems:\n`,
      'Gave up waiting for root file system device.  Common problems:',
    ],
    [
      'emergency mode',
      'noBoot',
      `${KERNEL}You are in emergency mode. After logging in, type "journalctl -xb"\n`,
      "You are in emergency mode. After logging in, type 'journalctl -xb'",
    ],
    [
      'the firmware',
      'firmware',
      'EFI SCSI Device... \r\nThe boot loader did not load an operating system.\r\n',
      'The boot loader did not load an operating system.',
    ],
    [
      'the firmware, after a restart',
      'firmware',
      `${KERNEL}${RUNS}aks-x login: \nNo bootable device.\r\n`,
      'No bootable device.',
    ],
    [
      'an initial file system that waits',
      'slowDisk',
      `${KERNEL}dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts\n`,
      'dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts',
    ],
    ['a job that does not end', 'hang', `${KERNEL}${JOB}\n\n`, JOB],
    [
      'a kubelet that cannot write',
      'kubeletDisk',
      `${KERNEL}${RUNS}kubelet[900]: E0101 failed to run: write /var/lib/kubelet/x: no space left on device\n`,
      'kubelet[900]: E0101 failed to run: write /var/lib/kubelet/x: no space left on device',
    ],
  ])('is found: %s', (_, kind, log, line) => {
    expect(decisiveBootLine(log)).toEqual({ kind, line });
  });

  test.each([
    ['nothing was printed', ''],
    ['a boot that goes well', `${KERNEL}${ROOT}${RUNS}[  OK  ] Started Kubernetes Kubelet.\naks-x login: `],
    [
      'an error of ACPI',
      `${KERNEL}[ 0.5] ACPI Error: AE_NOT_FOUND, While resolving a named reference package element\n`,
    ],
    [
      'messages of mounts',
      `${KERNEL}${ROOT}[ 4.2] EXT4-fs (sda1): re-mounted. Opts: discard,errors=remount-ro. Quota mode: none.\n`,
    ],
    [
      'the empty DVD drive',
      `${KERNEL}[ 8.7] Buffer I/O error on dev sr0, logical block 0, async page read\n[ 8.7] blk_update_request: I/O error, dev fd0, sector 0\n`,
    ],
    [
      'an error of a data disk',
      `${KERNEL}${ROOT}[ 9.1] blk_update_request: I/O error, dev sdc, sector 0\n[ 9.2] EXT4-fs error (device sdc): ext4_find_entry\n`,
    ],
    ['an error of the disk that was overcome', `${KERNEL}${DISK}\n${ROOT}${RUNS}`],
    [
      'the disk of an earlier boot',
      `${KERNEL}${DISK}\n${KERNEL}${ROOT}[    5.1] systemd[1]: Reached target Local File Systems.\n`,
    ],
    ['a panic of an earlier boot', `${KERNEL}${PANIC}\n${KERNEL}${ROOT}${RUNS}aks-x login: `],
    [
      'a panic of an earlier boot, before two restarts',
      `${KERNEL}${PANIC}\n${KERNEL}${ROOT}${RUNS}${KERNEL}`,
    ],
    ['a device that the firmware skipped', `Boot Failed. EFI SCSI Device.\r\n${KERNEL}`],
    [
      'an initramfs of the usual kind',
      `${KERNEL}[ 0.9] Initramfs unpacking failed: Decoding failed\n${ROOT}[    5.1] systemd[1]: Detected architecture x86-64.\n`,
    ],
    ['a job that has ended', `${KERNEL}${JOB}\n[  OK  ] Finished Wait for Network to be Configured.\n`],
    [
      'coloured lines of a boot that went on',
      `${KERNEL}${DISK}\n[\u001b[0;32m  OK  \u001b[0m] Reached target \u001b[0;1;39mNetwork is Online\u001b[0m.\n`,
    ],
    [
      'a kubelet that has registered since',
      `${KERNEL}kubelet[9]: failed to get rootfs info\nkubelet[9]: "Successfully registered node" node="aks-x"\n`,
    ],
    [
      'a volume of a driver',
      `${KERNEL}${RUNS}kubelet[9]: MountVolume failed /var/lib/kubelet/plugins/kubernetes.io/csi/x: input/output error\n`,
    ],
  ])('is not there: %s', (_, log) => {
    expect(decisiveBootLine(log)).toBeUndefined();
  });

  test('holds no secrets, control characters or more than 200 characters', () => {
    const long = `kubelet[9]: ${'x'.repeat(900)} token=abcdef.0123456789abcdef\u0007\u001b[31m https://a.example/b?sig=c2VjcmV0 \u0000: no space left on device ${'y'.repeat(900)}\n`;
    const { kind, line = '' } = decisiveBootLine(`${KERNEL}${long}`) ?? {};
    expect(kind).toBe('kubeletDisk');
    expect(line).toContain('no space left on device');
    expect(line).toContain(HIDDEN);
    expect(line.length).toBeLessThanOrEqual(MAX_LINE_LENGTH);
    expect(line).not.toMatch(/0123456789abcdef|c2VjcmV0|\p{Cc}/u);
  });

  test('is found at the end of a log of any size', () => {
    const noise = `${'[    9.9] audit: type=1400 apparmor="STATUS"\n'.repeat(20_000)}`;
    expect(decisiveBootLine(`${KERNEL}${noise}${PANIC}\n`)).toEqual({ kind: 'noBoot', line: PANIC });
  });
});

describe('a message that quotes it', () => {
  const happened = 'the operating system did not start';
  const said = `OSProvisioningTimedOut: OS Provisioning for VM 'aks-x' did not finish. Boot log: "x". `;

  test.each(Object.keys(BOOT_LINES) as (keyof typeof BOOT_LINES)[])('is read again: %s', (kind) => {
    const quoted = { kind, line: DISK, hasCustomerKey: false };
    const message = quotingBootLine(happened, quoted, said);
    expect(quotedBootLine(message)).toEqual({ quoted, rest: `${happened}: ${said}` });
  });

  test('says what the line shows, and quotes it before the words of the cloud', () => {
    const quoted = { kind: 'disk', line: DISK, hasCustomerKey: false } as const;
    expect(quotingBootLine(happened, quoted, said)).toBe(
      `the operating system did not start (disk error). Boot log: "${DISK}". ${said}`,
    );
  });

  test('says that the disk has a customer-managed key', () => {
    const quoted = { kind: 'disk', line: DISK, hasCustomerKey: true } as const;
    const message = quotingBootLine(happened, quoted, said);
    expect(message).toContain(' did not start (disk error, customer-managed key). Boot log: "');
    expect(quotedBootLine(message)?.quoted).toEqual(quoted);
    const panic = quotingBootLine(happened, { ...quoted, kind: 'noBoot' }, said);
    expect(panic).toContain(' did not start (boot failure). Boot log: "');
  });

  test.each([
    `${happened}: ${said}`,
    `${happened}: X (disk error). Boot log: "${DISK}". y`,
    `${happened} (another word). Boot log: "${DISK}". y`,
    '',
  ])('no other message has one: %s', (message) => {
    expect(quotedBootLine(message)).toBeUndefined();
  });
});
