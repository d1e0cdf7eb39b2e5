/**
 * Reads user data as the system of an image does: nodeadm on Amazon Linux 2023, bootstrap.sh on Amazon Linux 2, the settings of
 * Bottlerocket, PowerShell on Windows. Pure; throws what the console of a real machine shows where it cannot be read.
 */
import type { Taint } from '@chandler/kube';
import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import { partsOf } from './mime.ts';
import { BootstrapError, kubeletSettings, type NodeSettings, pairsOf } from './node-settings.ts';
import { flagsOf, shellWords } from './shell-words.ts';

export type System = 'al2023' | 'al2' | 'bottlerocket' | 'windows';

/** By the name of the image; an image of somebody's own counts as Amazon Linux 2023. */
export function systemOf(imageName: string): System {
  if (imageName.startsWith('bottlerocket')) return 'bottlerocket';
  if (imageName.startsWith('Windows')) return 'windows';
  return /^amazon-eks(?:-arm64|-gpu)?-node-1\./.test(imageName) ? 'al2' : 'al2023';
}

/** @throws {BootstrapError} when the machine cannot become a node. */
export function readUserData(system: System, text: string): NodeSettings {
  return READERS[system](text);
}

// ---------------------------------------------------------------------------------------------------

const READERS: Readonly<Record<System, (text: string) => NodeSettings>> = {
  al2023: readNodeConfigs,
  al2: readBootstrapScript,
  bottlerocket: readToml,
  windows: readPowerShell,
};

type Tree = { readonly [name: string]: unknown };

function readNodeConfigs(text: string): NodeSettings {
  const parts = partsOf(text).filter(({ type }) => type === 'application/node.eks.aws');
  if (parts.length === 0) {
    const script = partsOf(text).find(({ body }) => body.includes('/etc/eks/bootstrap.sh'));
    throw new BootstrapError(
      script === undefined
        ? 'nodeadm: failed to fetch config: could not find NodeConfig within UserData'
        : 'cloud-init: /var/lib/cloud/instance/scripts/part-001: line 1: /etc/eks/bootstrap.sh: No such file or directory',
    );
  }
  let config: Tree = {};
  for (const { body } of parts) config = merged(config, yamlObject(body));
  const { spec } = config as { spec?: Tree };
  const cluster = treeAt(spec, 'cluster');
  for (const [field, message] of REQUIRED)
    if (typeof cluster[field] !== 'string' || cluster[field] === '')
      throw new BootstrapError(`nodeadm: ${message}`);
  const kubelet = treeAt(spec, 'kubelet');
  // They become one variable of kubelet's unit, which systemd splits into words: quotes group and are dropped.
  const flags = flagsOf(shellWords(((kubelet['flags'] ?? []) as readonly string[]).join(' ')) ?? []);
  const settings = treeAt(kubelet, 'config');
  return {
    clusterName: String(cluster['name']),
    endpoint: String(cluster['apiServerEndpoint']),
    certificateAuthority: String(cluster['certificateAuthority']),
    labels: pairsOf(flags.get('node-labels')),
    taints: (settings['registerWithTaints'] ?? []) as readonly Taint[],
    maxPods: settings['maxPods'] === undefined ? undefined : Number(settings['maxPods']),
    kubeReserved: texts(settings['kubeReserved']),
    systemReserved: texts(settings['systemReserved']),
    evictionHard: texts(settings['evictionHard']),
  };
}

/** In the words of nodeadm. */
const REQUIRED: readonly (readonly [field: string, message: string])[] = [
  ['name', 'invalid configuration: Name is missing in cluster configuration'],
  ['apiServerEndpoint', 'invalid configuration: Apiserver endpoint is missing in cluster configuration'],
  [
    'certificateAuthority',
    'invalid configuration: Certificate authority is missing in cluster configuration',
  ],
  ['cidr', 'invalid configuration: CIDR is missing in cluster configuration'],
];

function readBootstrapScript(text: string): NodeSettings {
  const scripts = partsOf(text).filter(({ type }) => type === 'text/x-shellscript' || type === 'text/plain');
  for (const { body } of scripts) {
    const at = body.search(/^[^#\n]*\/etc\/eks\/bootstrap\.sh\s/m);
    if (at < 0) continue;
    const command = commandAt(body, at);
    const words = shellWords(command);
    if (words === undefined)
      throw new BootstrapError(
        "cloud-init: /var/lib/cloud/instance/scripts/part-001: unexpected EOF while looking for matching `''",
      );
    const own = words.slice(words.findIndex((word) => word.endsWith('/etc/eks/bootstrap.sh')) + 1);
    const clusterName = positional(own);
    if (clusterName === undefined) throw new BootstrapError('cloud-init: CLUSTER_NAME is not defined');
    const flags = flagsOf(own, true);
    const kubelet = flagsOf(shellWords(flags.get('kubelet-extra-args') ?? '') ?? []);
    return {
      clusterName,
      endpoint: flags.get('apiserver-endpoint') ?? '',
      certificateAuthority: flags.get('b64-cluster-ca') ?? '',
      ...kubeletSettings(kubelet),
    };
  }
  throw new BootstrapError('cloud-init: no script called /etc/eks/bootstrap.sh');
}

/** The word that is neither a flag nor its value. */
function positional(words: readonly string[]): string | undefined {
  for (let at = 0; at < words.length; at += 2) {
    if (!words[at]!.startsWith('--')) return words[at];
    if (words[at]!.includes('=')) at -= 1;
  }
  return undefined;
}

/** The command with its continued lines. */
function commandAt(script: string, at: number): string {
  const lines = script.slice(at).split('\n');
  const end = lines.findIndex((line) => !/\\\s*$/.test(line));
  return lines.slice(0, end < 0 ? lines.length : end + 1).join('\n');
}

function readToml(text: string): NodeSettings {
  let document: Tree;
  try {
    document = parseToml(text) as Tree;
  } catch (error) {
    throw new BootstrapError(
      `early-boot-config: Error parsing TOML user data: ${(error as Error).message.split('\n')[0]}`,
    );
  }
  const kubernetes = treeAt(treeAt(document, 'settings'), 'kubernetes');
  const text_ = (name: string) => (typeof kubernetes[name] === 'string' ? (kubernetes[name] as string) : '');
  for (const name of ['cluster-name', 'api-server', 'cluster-certificate'])
    if (text_(name) === '')
      throw new BootstrapError(
        `settings-committer: Failed to render template: settings.kubernetes.${name} is not set`,
      );
  return {
    clusterName: text_('cluster-name'),
    endpoint: text_('api-server'),
    certificateAuthority: text_('cluster-certificate'),
    labels: texts(kubernetes['node-labels']),
    taints: bottlerocketTaints(kubernetes['node-taints']),
    maxPods: kubernetes['max-pods'] === undefined ? undefined : Number(kubernetes['max-pods']),
    kubeReserved: texts(kubernetes['kube-reserved']),
    systemReserved: texts(kubernetes['system-reserved']),
    evictionHard: texts(kubernetes['eviction-hard']),
  };
}

/** `key = ["value:Effect"]`. */
function bottlerocketTaints(given: unknown): readonly Taint[] {
  return Object.entries((given ?? {}) as Record<string, readonly string[] | string>).flatMap(
    ([key, values]) =>
      [values].flat().map((each) => {
        const [value = '', effect = ''] = each.includes(':') ? each.split(':') : [each, ''];
        return { key, value, effect } as Taint;
      }),
  );
}

function readPowerShell(text: string): NodeSettings {
  const script = /<powershell>([\s\S]*?)<\/powershell>/i.exec(text)?.[1];
  if (script === undefined)
    throw new BootstrapError('EC2Launch: no <powershell> tag was found in the user data');
  if (!/EKSBootstrap/i.test(script))
    throw new BootstrapError('EC2Launch: the script ended, and Start-EKSBootstrap.ps1 was not called');
  const argument = (name: string) =>
    new RegExp(`-${name}\\s+(?:"([^"]*)"|'([^']*)'|(\\S+))`, 'i').exec(script)?.slice(1).find(Boolean) ?? '';
  const clusterName = argument('EKSClusterName');
  if (clusterName === '')
    throw new BootstrapError(
      'EC2Launch: Start-EKSBootstrap.ps1: Cannot process command because of one or more missing mandatory parameters: EKSClusterName.',
    );
  return {
    clusterName,
    endpoint: argument('APIServerEndpoint'),
    certificateAuthority: argument('Base64ClusterCA'),
    ...kubeletSettings(flagsOf(shellWords(argument('KubeletExtraArgs')) ?? [])),
  };
}

function yamlObject(text: string): Tree {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new BootstrapError(
      `nodeadm: error converting YAML to JSON: ${(error as Error).message.split('\n')[0]}`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BootstrapError('nodeadm: the NodeConfig is no object');
  const { apiVersion, kind } = value as Tree;
  if (apiVersion !== 'node.eks.aws/v1alpha1' || kind !== 'NodeConfig')
    throw new BootstrapError(
      `nodeadm: no kind "${String(kind)}" is registered for version "${String(apiVersion)}"`,
    );
  return value as Tree;
}

/** Later documents win; lists are replaced, but flags of the kubelet are appended. */
function merged(base: Tree, over: Tree): Tree {
  const result: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(over)) {
    const before = result[name];
    if (isTree(before) && isTree(value)) result[name] = merged(before, value);
    else if (name === 'flags' && Array.isArray(before) && Array.isArray(value))
      result[name] = [...before, ...value];
    else result[name] = value;
  }
  return result;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function treeAt(tree: Tree | undefined, name: string): Tree {
  const value = tree?.[name];
  return isTree(value) ? value : {};
}

function texts(value: unknown): Record<string, string> {
  return isTree(value)
    ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key, String(each)]))
    : {};
}
