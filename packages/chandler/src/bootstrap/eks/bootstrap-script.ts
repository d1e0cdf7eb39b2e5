/** User data of AL2: a MIME message with the user's parts, then a script that calls bootstrap.sh of the image. */
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import { kubeletArguments, kubeletValues, singleQuoted } from './kubelet-arguments.ts';
import { partOf, SHELL_SCRIPT, writeMime } from './mime.ts';
import { isIpv6, type NodeSettings } from './node-settings.ts';
import type { FormattedUserData } from './user-data.ts';
import { userParts } from './user-parts.ts';

export function bootstrapScriptUserData(settings: NodeSettings): FormattedUserData {
  const own = userParts(settings.userData, 'bootstrapScript');
  const { clusterName, endpoint, caBundle, kubelet, instanceStorePolicy } = settings;
  const dns = kubelet.get('clusterDNS') as Sourced<readonly string[]> | undefined;
  const [dnsIp] = dns?.value ?? [];
  const maxPods = kubelet.get('maxPods');
  const flags = kubeletArguments(settings);
  const values: RenderedVariable[] = [];
  // bootstrap.sh reads an argument and its value as two words; with an equals sign it would not see the value.
  const argument = (name: string, group: string, value: Sourced<string>): string => {
    values.push({ name, group, ...value, default: '' });
    return `${name} ${CONSTANTS.has(name) ? value.value : singleQuoted(value, name)}`;
  };
  values.push({ name: 'cluster name', group: 'cluster', ...clusterName, default: '' });
  const lines = [
    [
      `/etc/eks/bootstrap.sh ${singleQuoted(clusterName, 'cluster name')}`,
      argument('--apiserver-endpoint', 'cluster', endpoint),
      ...(caBundle.value === '' ? [] : [argument('--b64-cluster-ca', 'cluster', caBundle)]),
    ].join(' '),
    ...(isIpv6(settings) ? [argument('--ip-family', 'cluster', { ...dns!, value: 'ipv6' })] : []),
    ...(dnsIp === undefined ? [] : [argument('--dns-cluster-ip', 'cluster', { ...dns!, value: dnsIp })]),
    ...(maxPods === undefined ? [] : [argument('--use-max-pods', 'kubelet', { ...maxPods, value: 'false' })]),
    `--kubelet-extra-args '${flags.map(({ text }) => text).join(' ')}'`,
    ...(instanceStorePolicy.value === ''
      ? []
      : [argument('--local-disks', 'storage', { ...instanceStorePolicy, value: 'raid0' })]),
  ];
  values.push(...kubeletValues(flags));
  const script = [
    '#!/bin/bash -xe',
    'exec > >(tee /var/log/user-data.log|logger -t user-data -s 2>/dev/console) 2>&1',
    lines.join(' \\\n'),
  ].join('\n');
  return {
    text: writeMime([...own.parts, partOf(SHELL_SCRIPT, script)]),
    values: [...own.values, ...values],
    warnings: own.warnings,
  };
}

// ---------------------------------------------------------------------------------------------------

/** Arguments whose values are written in this file. */
const CONSTANTS: ReadonlySet<string> = new Set(['--ip-family', '--use-max-pods', '--local-disks']);
