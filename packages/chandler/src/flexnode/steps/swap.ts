/** Swap, which the kubelet rejects by default: disables what is enabled now and what would be enabled at the next boot. */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import { realPath } from '../host/real-path.ts';
import type { Facts, Leftover, StepContext } from '../step.ts';
import { lastLine, systemctl, unitState } from './services.ts';

const FSTAB = '/etc/fstab';
const ACTIVE_BEFORE = 'swap.active-before';
/** Precedes a line that we disabled, so that a reader of fstab knows who did it. */
export const SWAP_MARK = '#chandler-flexnode# ';

/** Units of swap are started through this target: swap units, zram-generator, swap partitions that systemd discovers. */
const SWAP_TARGET = '/etc/systemd/system/swap.target';
/** Services that enable compressed swap with a script of their own. */
const ZRAM_SERVICES = ['zramswap.service', 'zram-config.service'] as const;
const ZRAM_BEFORE = 'swap.zram-services-before';

/** With `failSwapOn: false` the kubelet runs with swap, and swap stays as it is. */
export function keepsSwap(config: FlexConfig): boolean {
  return config.node.kubelet.extraConfig['failSwapOn'] === false;
}

export async function isSwapOff({ host, facts }: Pick<StepContext, 'host' | 'facts'>): Promise<boolean> {
  if ((await activeSwap(host)).length > 0) return false;
  if (hadSwap(facts) && !(await isTargetMasked(host))) return false;
  const fstab = await readText(host, FSTAB);
  return fstab === undefined || withoutSwap(fstab) === fstab;
}

export async function switchSwapOff({ host, facts, say }: StepContext): Promise<void> {
  const active = await activeSwap(host);
  if (facts.get(ACTIVE_BEFORE) === undefined) await facts.set(ACTIVE_BEFORE, JSON.stringify(active));
  if (hadSwap(facts)) await keepOffAtBoot({ host, facts, say });
  // The mode of a link is that of no file.
  const fstab = await host.lstat(await realPath(host, FSTAB));
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
  const fstab = await readText(host, FSTAB);
  if (fstab !== undefined) await host.leave(FSTAB, withSwap(fstab));
  const before = facts.get(ACTIVE_BEFORE);
  if (before === undefined) return [];
  const services = JSON.parse(facts.get(ZRAM_BEFORE) ?? '[]') as readonly string[];
  for (const service of services) await systemctl(host, 'enable', '--now', service);
  await facts.delete(ZRAM_BEFORE);
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
  // Only what is still missing is left to the next undo.
  const missing = leftovers.map(({ what }) => what.replace(/^swap /, ''));
  if (missing.length === 0) await facts.delete(ACTIVE_BEFORE);
  else await facts.set(ACTIVE_BEFORE, JSON.stringify(missing));
  return leftovers;
}

/** The same text with every line that mounts swap commented out. */
export function withoutSwap(fstab: string): string {
  return fstab
    .split('\n')
    .map((line) => (isSwapLine(line) ? `${SWAP_MARK}${line}` : line))
    .join('\n');
}

/** The inverse, also for a text that has gained other lines since. */
export function withSwap(fstab: string): string {
  return fstab
    .split('\n')
    .map((line) => (line.startsWith(SWAP_MARK) ? line.slice(SWAP_MARK.length) : line))
    .join('\n');
}

// ---------------------------------------------------------------------------------------------------

function hadSwap(facts: Pick<Facts, 'get'>): boolean {
  return (facts.get(ACTIVE_BEFORE) ?? '[]') !== '[]';
}

async function isTargetMasked(host: Host): Promise<boolean> {
  const info = await host.lstat(SWAP_TARGET);
  return info?.kind === 'symlink' && info.target === '/dev/null';
}

/** fstab is not the only source of swap: zram, swap units and discovered partitions would be enabled at the next boot. */
async function keepOffAtBoot({
  host,
  facts,
  say,
}: Pick<StepContext, 'host' | 'facts' | 'say'>): Promise<void> {
  if (!(await isTargetMasked(host))) {
    say('masking swap.target');
    await host.symlink('/dev/null', SWAP_TARGET);
    await systemctl(host, 'daemon-reload');
  }
  const enabled: string[] = [];
  for (const service of ZRAM_SERVICES) if ((await unitState(host, service)).enabled) enabled.push(service);
  if (enabled.length === 0) return;
  if (facts.get(ZRAM_BEFORE) === undefined) await facts.set(ZRAM_BEFORE, JSON.stringify(enabled));
  for (const service of enabled) await systemctl(host, 'disable', '--now', service);
}

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
