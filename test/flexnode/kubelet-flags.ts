/**
 * The paths that a kubelet on a folder machine uses: the flags of its unit, with the variables of the drop-ins and of the
 * environment file, over the defaults of the real one. Its certificate directory does not follow `--root-dir`, and the
 * directory of device plugins has no flag.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface KubeletFlags {
  readonly rootDir: string;
  readonly certDir: string;
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string | undefined;
}

export const DEVICE_PLUGINS = '/var/lib/kubelet/device-plugins';

export function kubeletFlags(root: string): KubeletFlags {
  const words = commandLine(root);
  const flag = (name: string) => {
    const at = words.findIndex((word) => word === `--${name}` || word.startsWith(`--${name}=`));
    if (at === -1) return undefined;
    return words[at]!.includes('=') ? words[at]!.slice(name.length + 3) : words[at + 1];
  };
  return {
    rootDir: flag('root-dir') ?? '/var/lib/kubelet',
    certDir: flag('cert-dir') ?? '/var/lib/kubelet/pki',
    kubeconfig: flag('kubeconfig') ?? '/var/lib/kubelet/kubeconfig',
    bootstrapKubeconfig: flag('bootstrap-kubeconfig'),
  };
}

// ---------------------------------------------------------------------------------------------------

const UNIT = '/etc/systemd/system/kubelet.service';

function commandLine(root: string): readonly string[] {
  const read = (path: string) => (existsSync(root + path) ? readFileSync(root + path, 'utf8') : '');
  const dropIns = existsSync(`${root}${UNIT}.d`) ? readdirSync(`${root}${UNIT}.d`).sort() : [];
  const unit = [UNIT, ...dropIns.map((name) => `${UNIT}.d/${name}`)].map(read).join('\n');
  const variables = new Map<string, string>();
  const learn = (text: string, pattern: RegExp) => {
    for (const [, name, value] of text.matchAll(pattern)) variables.set(name!, value!);
  };
  learn(unit, /^Environment=(\w+)="(.*)"$/gm);
  for (const [, path] of unit.matchAll(/^EnvironmentFile=(\S+)$/gm)) learn(read(path!), /^(\w+)="(.*)"$/gm);
  const start = /^ExecStart=((?:.*\\\n)*.*)$/m.exec(unit)?.[1] ?? '';
  return start
    .replaceAll('\\\n', ' ')
    .replace(/\$\{?(\w+)\}?/g, (_, name: string) => variables.get(name) ?? '')
    .replaceAll('%%', '%')
    .split(/\s+/)
    .filter((word) => word !== '');
}
