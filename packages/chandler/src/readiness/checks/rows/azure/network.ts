/** Checks of AKS: the network options are those of the cluster, and nothing else makes nodes for the same pods. */
import { optionOf } from '../../../azure/helm-options.ts';
import type { AzureObject } from '../../../azure/objects.ts';
import { judgeScenes, type Scene } from '../../../azure/scenes.ts';
import type { HelmRelease } from '../../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../../model/finding.ts';
import { find, itemsAt, textAt, textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { fail, pass, skip, warn } from '../../judgements.ts';
import { INFRASTRUCTURE } from './compare.ts';

export const AKS_NETWORK_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-16',
    title: 'The network plugin and its mode are those of the AKS cluster',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Passes if NETWORK_PLUGIN (azure by default) and NETWORK_PLUGIN_MODE (overlay by default) are those of the cluster. Fails if one is another, or if the cluster has kubenet, which is not supported.',
    severity: 'critical',
    phase: 2,
    fix: 'Set NETWORK_PLUGIN and NETWORK_PLUGIN_MODE to those of the cluster (az aks show --query networkProfile); the mode is "" if the cluster has none.',
    docs: DOCS.azureNetwork,
    judge: (context) =>
      judgeScenes(context, (scene) => [
        ...setting(scene, PLUGIN),
        ...(textOf(scene.cluster?.field('networkPlugin')) === 'kubenet' ? [] : setting(scene, MODE)),
      ]),
  },
  {
    id: 'A-17',
    title: 'The network policy and data plane are those of the AKS cluster',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Passes if NETWORK_POLICY (none by default) and NETWORK_DATAPLANE (cilium by default) are those of the cluster. Fails if one is another, or if the cluster has Calico, which is not supported.',
    severity: 'high',
    phase: 2,
    fix: 'Set NETWORK_POLICY and NETWORK_DATAPLANE to those of the cluster (az aks show --query networkProfile).',
    docs: DOCS.azureNetwork,
    judge: (context) =>
      judgeScenes(context, (scene) => [
        ...setting(scene, POLICY),
        ...(textOf(scene.cluster?.field('networkPolicy')) === 'calico' ? [] : setting(scene, DATAPLANE)),
      ]),
  },
  {
    id: 'A-18',
    title: 'Node auto-provisioning of AKS is off',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Fails if node auto-provisioning of the cluster is on (mode Auto): it is Karpenter, run by AKS, and both would make nodes for the same NodePools. Passes if it is off.',
    severity: 'critical',
    phase: 1,
    fix: 'Turn it off (az aks update --node-provisioning-mode Manual), or do not install the chart.',
    docs: DOCS.azureNodeAutoprovision,
    judge: (context) =>
      judgeScenes(context, ({ cluster, releases }) => {
        if (cluster === undefined || releases.length === 0) return [];
        const mode = cluster.field('nodeProvisioning');
        const object = cluster.address;
        const evidence = [cluster.seen('nodeProvisioning'), ...releases.map(installed)];
        if (mode?.kind === 'unknown')
          return [skip('It is not known.', ['plan', 'state', 'cloud'], evidence, { object })];
        return textOf(mode)?.toLowerCase() === 'auto'
          ? [fail('AKS runs Karpenter in this cluster already.', evidence, { object })]
          : [pass('Node auto-provisioning is off.', evidence, { object })];
      }),
  },
  {
    id: 'A-19',
    title: 'The cluster autoscaler does not compete',
    inputs: [INFRASTRUCTURE],
    criterion:
      'Warns if a node pool is scaled by the cluster autoscaler: both then react to the same pending pods. Passes if none is.',
    severity: 'medium',
    phase: 1,
    fix: 'Turn off automatic scaling of the node pool, or keep workloads of NodePools away from it with a taint.',
    docs: DOCS.azureNodeAutoprovision,
    judge: (context) =>
      judgeScenes(context, ({ cluster, picture }) =>
        [...(cluster === undefined ? [] : [cluster]), ...picture.of('nodePool')].map(scaling),
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

interface Setting {
  readonly env: string;
  readonly field: string;
  readonly name: string;
  /** Of the controller. */
  readonly default: string;
  /** Of the cluster, where it says nothing; undefined where that is not known. */
  readonly unset?: string;
  readonly unsupported?: string;
}

const PLUGIN: Setting = {
  env: 'NETWORK_PLUGIN',
  field: 'networkPlugin',
  name: 'network plugin',
  default: 'azure',
  unsupported: 'kubenet',
};
const MODE: Setting = {
  env: 'NETWORK_PLUGIN_MODE',
  field: 'networkPluginMode',
  name: 'mode of the network plugin',
  default: 'overlay',
  unset: '',
};
const POLICY: Setting = {
  env: 'NETWORK_POLICY',
  field: 'networkPolicy',
  name: 'network policy',
  default: '',
  unset: '',
  unsupported: 'calico',
};
const DATAPLANE: Setting = {
  env: 'NETWORK_DATAPLANE',
  field: 'networkDataplane',
  name: 'data plane',
  default: 'cilium',
  unset: 'azure',
};

function setting({ cluster, releases }: Scene, row: Setting): readonly Judgement[] {
  if (cluster === undefined) return [];
  const tree = cluster.field(row.field);
  // Without a network profile, Azure chooses.
  const hasProfile = cluster.field('networkPlugin') !== undefined;
  const real = tree === undefined ? (hasProfile ? row.unset : undefined) : plain(textOf(tree));
  return releases.map((release) => {
    const option = optionOf(release, row.env);
    const evidence = [option.evidence, cluster.seen(row.field)];
    const object = `${release.origin}: ${row.name}`;
    if (real !== undefined && real === row.unsupported)
      return fail(`The cluster has ${real}, which is not supported.`, evidence, { object });
    const own = option.state === 'absent' ? absent(row, release, real) : plain(option.text);
    if (own === undefined || real === undefined)
      return skip(`The ${row.name} is not known.`, ['plan', 'state', 'cloud'], evidence, { object });
    return own === real
      ? pass(`Both have ${real === '' ? 'none' : real}.`, evidence, { object })
      : fail(`The cluster has ${shown(real)}, and the controller ${shown(own)}.`, evidence, { object });
  });
}

/** Chandler reads what is not set from the cluster. */
function absent(row: Setting, { chart }: HelmRelease, real: string | undefined): string | undefined {
  return chart?.split('/').at(-1) === 'chandler' ? real : row.default;
}

function plain(text: string | undefined): string | undefined {
  const own = text?.toLowerCase();
  return own === 'none' ? '' : own;
}

function shown(text: string): string {
  return text === '' ? 'none' : text;
}

function installed({ source, origin, at }: HelmRelease): Evidence {
  return { source, what: origin, at };
}

function scaling(pool: AzureObject): Judgement {
  const object = pool.address;
  const profiles = itemsAt(find(pool.values, 'body', 'properties', 'agentPoolProfiles'));
  const scaled = profiles.filter((each) => textAt(each, 'enableAutoScaling') === 'true');
  const tree = pool.field('autoScaling');
  const evidence = [pool.seen('autoScaling')];
  if (scaled.length > 0 || textOf(tree) === 'true')
    return warn('The cluster autoscaler scales it.', evidence, { object });
  return tree?.kind === 'unknown'
    ? skip('It is not known.', ['plan', 'state', 'cloud'], evidence, { object })
    : pass('The cluster autoscaler does not scale it.', evidence, { object });
}
