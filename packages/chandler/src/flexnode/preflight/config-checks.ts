/** Checks values of the config that a node or cluster would reject: names, labels, taints, versions. */
import { labelName, labelValue, taint } from '../config/node-checks.ts';
import { serverVersionNow, skewProblem } from '../kubelet/server-version.ts';
import { parseVersion } from '../kubelet/version.ts';
import { type Check, error, type Inspection, ok, outputOf, warning } from './check.ts';
import type { Finding } from './report.ts';

export const CONFIG_CHECKS: readonly Check[] = [
  { name: 'node-name', look: nodeName },
  { name: 'node-labels', look: nodeLabels },
  { name: 'version-skew', neededBy: ['kubernetes', 'credentials'], look: versionSkew },
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
  const { version, unread } = known;
  if (parseVersion(version ?? '') === undefined)
    return [ok('skipped: the version of the API server is not known before the credentials step')];
  const skew = skewProblem(config, known);
  if (skew === undefined)
    return [ok(`kubelet ${config.kubernetes.version} is compatible with the API server ${version}`)];
  const remedy = `Set kubernetes.version to ${skew.oldest} or later, but not later than the API server.`;
  if (skew.problem === 'too-old')
    return [error(`kubelet ${config.kubernetes.version} is too old for the API server ${version}`, remedy)];
  const message = `kubelet ${config.kubernetes.version} is newer than the API server ${version}`;
  if (unread === undefined) return [error(message, remedy)];
  // Bootstrap reads the version from Azure before it replaces the programs.
  return [
    warning(
      `${message}, which an earlier run has recorded; the current version could not be read`,
      `${remedy} No action is required if the cluster has been upgraded since.`,
    ),
  ];
}
