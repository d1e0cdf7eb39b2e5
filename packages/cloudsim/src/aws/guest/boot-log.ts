/** Lines of the serial console of an instance, in the form of Amazon Linux. */
import type { System } from './user-data.ts';

export function kernelStart(system: System, instanceType: string): string {
  if (system === 'windows') return 'AMI Origin Name: Windows_Server\nWindows is Ready to use\n';
  return [
    '[    0.000000] Linux version 6.12.46-66.121.amzn2023 (mockbuild@ip-10-0-35-35) #1 SMP PREEMPT_DYNAMIC',
    `[    0.000000] DMI: Amazon EC2 ${instanceType}/, BIOS 1.0 10/16/2017`,
    '[    1.204853] nvme nvme0: pci function 0000:00:04.0',
    '[    2.011204] ena 0000:00:05.0: Elastic Network Adapter (ENA) found',
    '',
  ].join('\n');
}

export function cloudInit(
  seconds: number,
  stage: 'init-local' | 'init' | 'modules:final',
  nowMs: number,
): string {
  const at = new Date(nowMs).toUTCString().replace(' GMT', ' +0000');
  return `[${stamp(seconds)}] cloud-init[1563]: Cloud-init v. 22.2.2 running '${stage}' at ${at}. Up ${seconds.toFixed(2)} seconds.\n`;
}

export function line(seconds: number, program: string, text: string): string {
  return `[${stamp(seconds)}] ${program}[1618]: ${text}\n`;
}

export function login(system: System, nodeName: string): string {
  if (system === 'windows') return '';
  return `\nAmazon Linux 2023\nKernel 6.12.46-66.121.amzn2023 on an ${'x86_64'} (-)\n\n${nodeName.split('.')[0]} login: \n`;
}

export const NO_BOOT_DEVICE =
  'Booting from Hard Disk 0...\nBoot failed: not a bootable disk\n\nNo bootable device.\n';

// ---------------------------------------------------------------------------------------------------

function stamp(seconds: number): string {
  return seconds.toFixed(6).padStart(12);
}
