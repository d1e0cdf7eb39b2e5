/** The lines of a VM's serial console, in the forms of kernel, cloud-init, kubelet and systemd. */

/** The console of a VM at one moment. */
export interface Tty {
  readonly sinceBootMs: number;
  readonly nowMs: number;
  readonly host: string;
}

export function kernelStart({ host }: Tty, size: string): string {
  return [
    '[    0.000000] Linux version 5.15.0-1089-azure (buildd@lcy02) #98-Ubuntu SMP',
    `[    0.000000] DMI: Microsoft Corporation Virtual Machine/Virtual Machine, BIOS Hyper-V UEFI Release v4.1 (${size})`,
    '[    0.412007] hv_vmbus: Vmbus version:5.3',
    '[    1.104418] EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none.',
    `[    2.018220] systemd[1]: Set hostname to <${host}>.`,
    '',
  ].join('\n');
}

export function kernelLine(tty: Tty, text: string): string {
  return `${stamp(tty)} ${text}\n`;
}

export function cloudInit(tty: Tty, stage: string): string {
  return kernelLine(
    tty,
    `cloud-init[${PIDS.cloudInit}]: Cloud-init v. 25.1.2-0ubuntu0~22.04.1 running '${stage}' at ${rfc(tty.nowMs)}. Up ${(tty.sinceBootMs / 1000).toFixed(2)} seconds.`,
  );
}

export function cloudInitLine(tty: Tty, text: string): string {
  return kernelLine(tty, `cloud-init[${PIDS.cloudInit}]: ${text}`);
}

/** As journald forwards it to the console. */
export function kubeletLine(tty: Tty, text: string): string {
  const date = new Date(tty.nowMs);
  const day = `${two(date.getUTCMonth() + 1)}${two(date.getUTCDate())}`;
  const time = date.toISOString().slice(11, 23);
  return kernelLine(
    tty,
    `kubelet[${PIDS.kubelet}]: E${day} ${time}000    ${PIDS.kubelet} run.go:72] "command failed" err="${text.replaceAll('"', '\\"')}"`,
  );
}

export function systemdLine(tty: Tty, text: string): string {
  return kernelLine(tty, `systemd[1]: ${text}`);
}

export function loginPrompt({ host }: Tty): string {
  return `\nUbuntu 22.04.5 LTS ${host} ttyS0\n\n${host} login: `;
}

// ---------------------------------------------------------------------------------------------------

const PIDS = { cloudInit: 1016, kubelet: 3127 };

function stamp({ sinceBootMs }: Tty): string {
  return `[${(sinceBootMs / 1000).toFixed(6).padStart(12)}]`;
}

function rfc(ms: number): string {
  return new Date(ms).toUTCString().replace('GMT', '+0000');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
