/** Checks values of the config that a node or cluster would reject: names, labels, taints, versions. */
import { labelName, labelValue, taint } from '../config/node-checks.ts';
import { serverVersionNow } from '../kubelet/server-version.ts';
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
        'is not a valid Node name',
        'Set agent.nodeName to a name of lower case letters, digits, dashes and dots.',
        target,
      ),
    ];
  }
  const hostname = (await outputOf(inspection, 'hostname'))?.trim() ?? '';
  if (hostname !== '' && hostname.toLowerCase() !== name) {
    return [ok(`the name of the Node differs from the host name (${hostname})`, target)];
  }
  if (hostname !== hostname.toLowerCase()) {
    return [
      warning(
        'the host name has upper case letters; the name of the Node is in lower case',
        'No action is required unless other tools expect the host name as the name of the Node.',
        target,
      ),
    ];
  }
  return [ok('is a valid Node name', target)];
}

async function nodeLabels({ config }: Inspection): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const [key, value] of Object.entries(config.node.labels)) {
    const failure = labelName(key) ?? labelValue(value);
    if (failure !== undefined) {
      findings.push(
        error(
          failure.message,
          'Remove it from node.labels. An administrator can set it: kubectl label node',
          key,
        ),
      );
    }
  }
  for (const text of config.node.taints) {
    const failure = taint(text);
    if (failure !== undefined)
      findings.push(error(failure.message, 'Use the format key=value:Effect in node.taints.', text));
  }
  return findings.length > 0 ? findings : [ok('the node is allowed to set its labels and taints')];
}

async function versionSkew(inspection: Inspection): Promise<readonly Finding[]> {
  const { config } = inspection;
  const kubelet = parseVersion(config.kubernetes.version);
  if (kubelet === undefined) {
    return [error('kubernetes.version is invalid', 'Use the format 1.32.7.', config.kubernetes.version)];
  }
  const known = await serverVersionNow(inspection);
  const server = parseVersion(known ?? '');
  if (server === undefined)
    return [ok('skipped: the version of the API server is not known before the credentials step')];
  const skew = kubeletSkew(kubelet, server);
  if (skew.ok) return [ok(`kubelet ${config.kubernetes.version} is compatible with the API server ${known}`)];
  const what = skew.problem === 'newer-than-server' ? 'newer than' : 'too old for';
  return [
    error(
      `kubelet ${config.kubernetes.version} is ${what} the API server ${known}`,
      `Set kubernetes.version to ${skew.oldest} or later, but not later than the API server.`,
    ),
  ];
}
