/** The wishes of the config that a node or a cluster would refuse: names, labels, taints, versions. */
import { labelName, labelValue, taint } from '../config/node-checks.ts';
import { kubeletSkew, parseVersion } from '../kubelet/version.ts';
import { type Check, error, type Inspection, ok, outputOf, warning } from './check.ts';
import type { Finding } from './report.ts';

export const CONFIG_CHECKS: readonly Check[] = [
  { name: 'node-name', look: nodeName },
  { name: 'node-labels', look: nodeLabels },
  { name: 'version-skew', look: versionSkew },
];

// ---------------------------------------------------------------------------------------------------

async function nodeName(inspection: Inspection): Promise<readonly Finding[]> {
  const { nodeName: name } = inspection.config.agent;
  const target = name;
  if (!/^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/.test(name)) {
    return [
      error(
        'is not a name for a Node',
        'Set agent.nodeName: lower case letters, digits, dashes and dots.',
        target,
      ),
    ];
  }
  const hostname = (await outputOf(inspection, 'hostname'))?.trim() ?? '';
  if (hostname !== '' && hostname.toLowerCase() !== name) {
    return [ok(`the Node gets another name than the machine (${hostname})`, target)];
  }
  if (hostname !== hostname.toLowerCase()) {
    return [
      warning(
        'the host name has capital letters; the Node gets it in lower case',
        'Nothing to do, unless something looks for the Node under the other name.',
        target,
      ),
    ];
  }
  return [ok('is a name for a Node', target)];
}

async function nodeLabels({ config }: Inspection): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(config.node.labels)) {
    const trouble = labelName(key) ?? labelValue(value);
    if (trouble !== undefined) {
      findings.push(
        error(
          trouble.message,
          'Take it out of node.labels; an administrator can set it: kubectl label node',
          key,
        ),
      );
    }
  }
  for (const text of config.node.taints) {
    const trouble = taint(text);
    if (trouble !== undefined)
      findings.push(error(trouble.message, 'Write node.taints as key=value:Effect.', text));
  }
  return findings.length > 0 ? findings : [ok('labels and taints are such as a node may set')];
}

async function versionSkew({ config, facts }: Inspection): Promise<readonly Finding[]> {
  const kubelet = parseVersion(config.kubernetes.version);
  if (kubelet === undefined) {
    return [error('kubernetes.version is not a version', 'Write it as 1.32.7.', config.kubernetes.version)];
  }
  const known = facts.get('cluster.serverVersion');
  const server = parseVersion(known ?? '');
  if (server === undefined)
    return [ok('the version of the API server is not known before the credentials step')];
  const skew = kubeletSkew(kubelet, server);
  if (skew.ok) return [ok(`kubelet ${config.kubernetes.version} fits the API server ${known}`)];
  const what = skew.problem === 'newer-than-server' ? 'newer than' : 'too old for';
  return [
    error(
      `kubelet ${config.kubernetes.version} is ${what} the API server ${known}`,
      `Set kubernetes.version to ${skew.oldest} or later, up to the API server's.`,
    ),
  ];
}
