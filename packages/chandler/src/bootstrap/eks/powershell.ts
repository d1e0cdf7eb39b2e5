/** User data of Windows: one PowerShell block, with the user's own commands first. */
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import { kubeletArguments, kubeletValues, singleQuoted } from './kubelet-arguments.ts';
import type { NodeSettings } from './node-settings.ts';
import { type FormattedUserData, UserDataError } from './user-data.ts';

export function powershellUserData(settings: NodeSettings): FormattedUserData {
  const { clusterName, endpoint, caBundle, kubelet } = settings;
  const own = ownCommands(settings.userData);
  const dns = kubelet.get('clusterDNS') as Sourced<readonly string[]> | undefined;
  const [dnsIp] = dns?.value ?? [];
  const flags = kubeletArguments(settings);
  const values: RenderedVariable[] = [];
  if (own.commands !== '') {
    values.push({
      name: 'own commands',
      group: 'own user data',
      value: `${Buffer.byteLength(own.commands)} bytes`,
      source: settings.userData.source,
      path: settings.userData.path,
      default: '',
    });
  }
  const argument = (name: string, group: string, value: Sourced<string>): string => {
    values.push({ name, group, ...value, default: '' });
    return `${name} ${singleQuoted(value, name)}`;
  };
  const call = [
    '& $EKSBootstrapScriptFile',
    argument('-EKSClusterName', 'cluster', clusterName),
    argument('-APIServerEndpoint', 'cluster', endpoint),
    ...(caBundle.value === '' ? [] : [argument('-Base64ClusterCA', 'cluster', caBundle)]),
    `-KubeletExtraArgs '${flags.map(({ text }) => text).join(' ')}'`,
    ...(dnsIp === undefined ? [] : [argument('-DNSClusterIP', 'cluster', { ...dns!, value: dnsIp })]),
  ].join(' ');
  values.push(...kubeletValues(flags));
  const lines = [
    '<powershell>',
    ...(own.commands === '' ? [] : [own.commands]),
    '[string]$EKSBootstrapScriptFile = "$env:ProgramFiles\\Amazon\\EKS\\Start-EKSBootstrap.ps1"',
    call,
    '</powershell>',
    ...own.after,
  ];
  return { text: lines.join('\n'), values, warnings: [] };
}

// ---------------------------------------------------------------------------------------------------

interface OwnCommands {
  readonly commands: string;
  /** Other tags of EC2Launch, such as `<persist>`. */
  readonly after: readonly string[];
}

/** Commands, or one whole block with its tags: a block inside of a block would end the outer one. */
function ownCommands({ value, path }: Sourced<string>): OwnCommands {
  const text = value.replace(/\r\n/g, '\n');
  if (!/<\/?(powershell|script)>/i.test(text)) return { commands: text, after: [] };
  const block =
    /^\s*<powershell>\n?([\s\S]*?)\n?<\/powershell>\s*((?:<persist>\s*\w+\s*<\/persist>)?)\s*$/i.exec(text);
  if (block === null || /<\/?(powershell|script)>/i.test(block[1]!)) {
    throw new UserDataError(
      'malformedUserData',
      path,
      'give PowerShell commands, or one <powershell> block; other blocks cannot be combined with the bootstrap script',
    );
  }
  return { commands: block[1]!, after: block[2] === '' ? [] : [block[2]!] };
}
