/**
 * Two kernel modules and the kernel settings, now and at every boot. Whether they are in force is seen
 * from what they do, not from a list of modules, since a kernel may have them built in.
 */
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { StepContext } from '../step.ts';
import type { WantedFile } from './programs.ts';
import { lastLine } from './services.ts';

/** The first three are the document's; a kubelet with `protectKernelDefaults` does not start without the other six. */
export const SYSCTLS: Readonly<Record<string, string>> = {
  'net.bridge.bridge-nf-call-iptables': '1',
  'net.bridge.bridge-nf-call-ip6tables': '1',
  'net.ipv4.ip_forward': '1',
  'vm.overcommit_memory': '1',
  'vm.panic_on_oom': '0',
  'kernel.panic': '10',
  'kernel.panic_on_oops': '1',
  'kernel.keys.root_maxkeys': '1000000',
  'kernel.keys.root_maxbytes': '25000000',
};

export const MODULES = ['overlay', 'br_netfilter'] as const;
export type KernelModule = (typeof MODULES)[number];

export const KERNEL_FILES: readonly WantedFile[] = [
  {
    path: '/etc/modules-load.d/chandler-flexnode.conf',
    content: `# Written by chandler flexnode: kernel modules for containers.\n${MODULES.join('\n')}\n`,
    mode: 0o644,
  },
  {
    path: '/etc/sysctl.d/999-sysctl-aks.conf',
    content: `# Written by chandler flexnode: kernel settings for kubelet and pod networks.\n${Object.entries(
      SYSCTLS,
    )
      .map(([key, value]) => `${key} = ${value}\n`)
      .join('')}`,
    mode: 0o644,
  },
];

/** `undefined`: this machine does not say. */
export async function isLoaded(host: Host, module: KernelModule): Promise<boolean | undefined> {
  const filesystems = await readText(host, '/proc/filesystems');
  if (filesystems === undefined) return undefined;
  if (module === 'overlay') return /\boverlay$/m.test(filesystems);
  return (await host.lstat('/proc/sys/net/bridge/bridge-nf-call-iptables')) !== undefined;
}

export async function loadModule({ host, facts }: StepContext, module: KernelModule): Promise<void> {
  const loaded = await isLoaded(host, module);
  const fact = `modules.${module}.loaded-before`;
  if (facts.get(fact) === undefined) await facts.set(fact, String(loaded === true));
  if (loaded === true) return;
  const result = await host.run({ argv: ['modprobe', module], changes: true });
  if (result.exitCode === 0) return;
  throw new FlexError({
    class: 'step',
    code: 'system.module',
    where: module,
    message: `the kernel module ${module} cannot be loaded: ${lastLine(result.stderr) || `exit code ${result.exitCode}`}`,
    remedy: "Install the kernel's extra modules (`apt-get install linux-modules-extra-$(uname -r)`).",
  });
}

/** In use by others it stays, and goes with the next start of the machine. */
export async function unloadModule({ host, facts }: StepContext, module: KernelModule): Promise<void> {
  if (facts.get(`modules.${module}.loaded-before`) !== 'false') return;
  await host.run({ argv: ['modprobe', '-r', module], changes: true });
  await facts.delete(`modules.${module}.loaded-before`);
}

/** Keys with a wrong current value. Keys that this kernel does not have are ignored. */
export async function wrongSettings(host: Host): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const [key, wanted] of Object.entries(SYSCTLS)) {
    const now = await settingNow(host, key);
    if (now !== undefined && now !== wanted) wrong.push(key);
  }
  return wrong;
}

export async function applySettings({ host, facts }: StepContext, file: string): Promise<void> {
  for (const key of await wrongSettings(host)) {
    if (facts.get(`sysctl.${key}.before`) === undefined) {
      await facts.set(`sysctl.${key}.before`, (await settingNow(host, key))!);
    }
  }
  // Only our own file: what others wrote in theirs is not ours to apply, or to fail on.
  const result = await host.run({ argv: ['sysctl', '-p', file], changes: true });
  const wrong = await wrongSettings(host);
  if (
    result.exitCode === 0 ||
    (wrong.length === 0 && (await readText(host, '/proc/filesystems')) !== undefined)
  )
    return;
  throw new FlexError({
    class: 'step',
    code: 'system.sysctl',
    where: file,
    message: `sysctl could not set ${wrong.join(', ') || 'the settings'}: ${lastLine(result.stderr)}`,
    remedy: `Run \`sysctl -p ${file}\` to see the key that fails.`,
  });
}

export async function putSettingsBack({ host, facts }: StepContext): Promise<void> {
  for (const key of Object.keys(SYSCTLS)) {
    const before = facts.get(`sysctl.${key}.before`);
    if (before === undefined) continue;
    await host.run({ argv: ['sysctl', '-w', `${key}=${before}`], changes: true });
    // Only once: a second undo must not change what the owner has set since.
    await facts.delete(`sysctl.${key}.before`);
  }
}

// ---------------------------------------------------------------------------------------------------

async function settingNow(host: Host, key: string): Promise<string | undefined> {
  return (await readText(host, `/proc/sys/${key.replaceAll('.', '/')}`))?.trim();
}

async function readText(host: Host, path: string): Promise<string | undefined> {
  const bytes = await host.readFile(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
