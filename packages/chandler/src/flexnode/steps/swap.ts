/** Swap, which a kubelet does not want: what is on now, and what fstab would put on at the next start. */
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Leftover, StepContext } from '../step.ts';
import { lastLine, systemctl } from './services.ts';

const FSTAB = '/etc/fstab';
const ACTIVE_BEFORE = 'swap.active-before';
/** Precedes a line that we disabled, so that a reader of fstab knows who did it. */
export const SWAP_MARK = '#chandler-flexnode# ';

export async function isSwapOff(host: Host): Promise<boolean> {
  if ((await activeSwap(host)).length > 0) return false;
  const fstab = await readText(host, FSTAB);
  return fstab === undefined || withoutSwap(fstab) === fstab;
}

export async function switchSwapOff({ host, facts, say }: StepContext): Promise<void> {
  const active = await activeSwap(host);
  if (facts.get(ACTIVE_BEFORE) === undefined) await facts.set(ACTIVE_BEFORE, JSON.stringify(active));
  const fstab = await host.lstat(FSTAB);
  const text = (await readText(host, FSTAB)) ?? '';
  if (fstab !== undefined && withoutSwap(text) !== text) {
    say('disabling the swap entries of /etc/fstab');
    await host.writeFile(FSTAB, withoutSwap(text), { mode: fstab.mode });
    // systemd makes units of fstab's lines: the old ones would switch swap on again.
    await systemctl(host, 'daemon-reload');
  }
  if (active.length === 0) return;
  const result = await host.run({ argv: ['swapoff', '-a'], changes: true, timeoutMs: 600_000 });
  if (result.exitCode === 0) return;
  throw new FlexError({
    class: 'step',
    code: 'system.swap',
    message: `swapoff -a failed: ${lastLine(result.stderr) || `exit code ${result.exitCode}`}`,
    remedy: 'Free enough memory for the content of swap, then run bootstrap again.',
  });
}

/** By name, since fstab is put back only afterwards. */
export async function switchSwapOn({ host, facts }: StepContext): Promise<readonly Leftover[]> {
  const before = facts.get(ACTIVE_BEFORE);
  if (before === undefined) return [];
  const now = new Set(await activeSwap(host));
  const leftovers: Leftover[] = [];
  for (const path of JSON.parse(before) as readonly string[]) {
    if (now.has(path)) continue;
    const result = await host.run({ argv: ['swapon', path], changes: true });
    if (result.exitCode === 0) continue;
    leftovers.push({
      what: `swap ${path}`,
      why: `it could not be enabled again: ${lastLine(result.stderr)}`,
      finish: [`swapon ${path}`],
    });
  }
  return leftovers;
}

/** The same text with every line that mounts swap commented out. */
export function withoutSwap(fstab: string): string {
  return fstab
    .split('\n')
    .map((line) => (isSwapLine(line) ? `${SWAP_MARK}${line}` : line))
    .join('\n');
}

// ---------------------------------------------------------------------------------------------------

function isSwapLine(line: string): boolean {
  const trimmed = line.trim();
  return !trimmed.startsWith('#') && trimmed.split(/\s+/)[2] === 'swap';
}

async function activeSwap(host: Host): Promise<readonly string[]> {
  const text = (await readText(host, '/proc/swaps')) ?? '';
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split(/\s+/)[0]!)
    .filter((path) => path !== '')
    .map((path) =>
      path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8))),
    );
}

async function readText(host: Host, path: string): Promise<string | undefined> {
  const bytes = await host.readFile(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
