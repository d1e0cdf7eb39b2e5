/**
 * What is known of the VPC CNI: its DaemonSet aws-node, of the cluster or of a manifest, or else the settings of the add-on vpc-cni in
 * Terraform.
 */
import type { Inputs, Manifest, Resource } from '../inputs/inputs.ts';
import type { Evidence } from '../model/finding.ts';
import { find, fromValue, type Path, type Tree, textAt, textOf } from '../model/tree.ts';
import { seenVariable, variableOf } from './live-objects.ts';

export function cniDaemonSet({ manifests }: Inputs): Manifest | undefined {
  return manifests.find(({ kind, name }) => kind === 'DaemonSet' && name === CNI);
}

/** A value of the settings of the add-on as evidence. Undefined: there is no add-on, or it does not say. */
export function addonSetting({ resources }: Inputs, ...path: Path): Evidence | undefined {
  const addon = resources.find(
    ({ type, values, source }) =>
      type === 'aws_eks_addon' && source !== 'live' && textAt(values, 'addon_name') === 'vpc-cni',
  );
  if (addon === undefined) return undefined;
  const found = find(settingsOf(addon), ...path);
  const value = textOf(found);
  if (found === undefined) return undefined;
  const what = `${addon.address}.configuration_values ${path.join('.')}`;
  const { source } = addon;
  return value === undefined
    ? { source, what, note: 'not known', unknown: true, at: found.at }
    : { source, what, value, at: found.at };
}

/** A variable of the CNI as evidence: absent is its default. Undefined: nothing says it. */
export function cniVariable(inputs: Inputs, name: string): Evidence | undefined {
  const daemonSet = cniDaemonSet(inputs);
  if (daemonSet === undefined) return addonSetting(inputs, 'env', name);
  const evidence = seenVariable(daemonSet, CNI, name);
  return variableOf(daemonSet, CNI, name)?.kind === 'unknown'
    ? { ...evidence, note: 'not known', unknown: true }
    : evidence;
}

// ---------------------------------------------------------------------------------------------------------------

const CNI = 'aws-node';

/** A text of JSON, also as a call of jsonencode. */
function settingsOf({ values }: Resource): Tree | undefined {
  const tree = find(values, 'configuration_values');
  if (tree?.kind === 'unknown' && tree.call?.name === 'jsonencode') return tree.call.args[0];
  const text = textOf(tree);
  if (tree === undefined || text === undefined) return tree;
  try {
    return fromValue(JSON.parse(text), tree.at);
  } catch {
    return undefined;
  }
}
