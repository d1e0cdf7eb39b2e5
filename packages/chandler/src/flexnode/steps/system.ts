/**
 * Step 4: swap off, kernel modules and settings, and a resolv.conf that pods can use. Every file that it changes is put
 * back by the record; what is not a file (swap that was on, values that were set) is put back here.
 */
import type { Host } from '../host/host.ts';
import type { Step } from '../step.ts';
import {
  applySettings,
  isLoaded,
  KERNEL_FILES,
  loadModule,
  MODULES,
  putSettingsBack,
  SYSCTLS,
  unloadModule,
  wrongSettings,
} from './kernel.ts';
import { isAsWanted } from './programs.ts';
import { isSwapOff, keepsSwap, switchSwapOff, switchSwapOn } from './swap.ts';

export const system: Step = {
  id: 'system',
  name: 'SystemConfigured',
  title: 'Configure swap, kernel and DNS',
  phase: 'installation',

  inputs: ({ config }) => ({
    sysctls: SYSCTLS,
    modules: MODULES,
    files: KERNEL_FILES,
    ...(keepsSwap(config) ? { keepsSwap: true } : {}),
  }),

  async validate() {},

  async isCompleted({ host, config, facts }) {
    for (const file of KERNEL_FILES) if (!(await isAsWanted(host, file))) return false;
    for (const module of MODULES) if ((await isLoaded(host, module)) === false) return false;
    if ((await wrongSettings(host)).length > 0) return false;
    if (!keepsSwap(config) && !(await isSwapOff({ host, facts }))) return false;
    return !(await hasStubResolver(host));
  },

  async execute(context) {
    const { host } = context;
    if (!keepsSwap(context.config)) await switchSwapOff(context);
    // Modules first: two of the settings exist only with them.
    for (const module of MODULES) await loadModule(context, module);
    for (const { path, content, mode } of KERNEL_FILES) await host.writeFile(path, content, { mode });
    await applySettings(context, KERNEL_FILES[1]!.path);
    if (await hasStubResolver(host)) {
      context.say('linking /etc/resolv.conf to the upstream DNS servers');
      await host.symlink(RESOLVED, RESOLV_CONF);
    }
  },

  async undo(context) {
    await putSettingsBack(context);
    for (const module of MODULES) await unloadModule(context, module);
    return await switchSwapOn(context);
  },
};

// ---------------------------------------------------------------------------------------------------

const RESOLV_CONF = '/etc/resolv.conf';
/** What systemd-resolved itself asks, without its own stub. */
const RESOLVED = '/run/systemd/resolve/resolv.conf';

/** A name server on 127.0.0.53 is this machine's own: in a pod that address is the pod. */
async function hasStubResolver(host: Host): Promise<boolean> {
  if ((await host.lstat(RESOLVED)) === undefined) return false;
  const bytes = await host.readFile(RESOLV_CONF);
  return bytes !== undefined && /^\s*nameserver\s+127\.0\.0\.53\b/m.test(new TextDecoder().decode(bytes));
}
