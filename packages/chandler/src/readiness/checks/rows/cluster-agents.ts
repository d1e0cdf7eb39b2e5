/** Checks of agents that nodes of a live cluster need: the CNI, device plugins, drivers of volumes, Pod Identity. */
import type { Manifest } from '../../inputs/inputs.ts';
import type { Judgement } from '../../model/finding.ts';
import { find, itemsAt, leaves, textAt, textOf } from '../../model/tree.ts';
import type { CheckContext, CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import {
  each,
  fail,
  nodePools,
  objectOf,
  ofValues,
  pass,
  requiredValues,
  seen,
  warn,
} from '../judgements.ts';
import { liveObject, liveObjects, none, seenVariable, variableOf } from '../live-objects.ts';
import { workloadsOf } from '../workloads.ts';

const DAEMON_SETS_CALL = 'GET /apis/apps/v1/daemonsets';

export const CLUSTER_AGENT_CHECKS: readonly CheckRow[] = [
  {
    id: 'K-55',
    title: 'Custom networking of the CNI is known to the controller',
    inputs: ['cluster', 'values'],
    reads: ['DaemonSet'],
    criterion:
      'Warns if AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG of aws-node is true and settings.reservedENIs is 0 or absent: nodes then have fewer addresses than the controller assumes.',
    severity: 'high',
    phase: 3,
    fix: 'Set settings.reservedENIs to "1".',
    docs: DOCS.settings,
    judge: ({ inputs }) => {
      const cni = liveObject(inputs, 'DaemonSet', 'aws-node', 'kube-system');
      if (cni === undefined) return [];
      const variable = seenVariable(cni, 'aws-node', CUSTOM_NETWORK);
      const isCustom = textOf(variableOf(cni, 'aws-node', CUSTOM_NETWORK)) === 'true';
      return each(inputs.releases, (release) => {
        const evidence = [variable, seen(ofValues(release), 'settings', 'reservedENIs')];
        const reserved = textAt(release.values, 'settings', 'reservedENIs') ?? '0';
        const extra = { object: release.origin };
        return isCustom && Number(reserved) === 0
          ? warn('The CNI uses custom networking, and no interface is reserved.', evidence, extra)
          : pass('Reserved interfaces fit the CNI.', evidence, extra);
      });
    },
  },
  {
    id: 'K-56',
    title: 'Security groups for pods are enabled where pods request them',
    inputs: ['cluster'],
    reads: ['DaemonSet', 'Deployment', 'StatefulSet'],
    criterion:
      'Fails if a workload requests vpc.amazonaws.com/pod-eni and ENABLE_POD_ENI of aws-node is not true.',
    severity: 'high',
    phase: 4,
    fix: 'Set ENABLE_POD_ENI to true in the DaemonSet aws-node, or remove the request.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const cni = liveObject(inputs, 'DaemonSet', 'aws-node', 'kube-system');
      if (cni === undefined) return [];
      const requesting = workloadsOf(inputs).filter(({ manifest }) =>
        requests(manifest, 'vpc.amazonaws.com/pod-eni'),
      );
      const variable = seenVariable(cni, 'aws-node', 'ENABLE_POD_ENI');
      const isOn = textOf(variableOf(cni, 'aws-node', 'ENABLE_POD_ENI')) === 'true';
      if (requesting.length === 0) return [pass('No workload requests it.', [variable])];
      return each(requesting, ({ manifest }) => {
        const evidence = [variable, seen(manifest, 'metadata', 'name')];
        const extra = { object: objectOf(manifest) };
        return isOn
          ? pass('The CNI provides it.', evidence, extra)
          : fail('The CNI does not provide vpc.amazonaws.com/pod-eni.', evidence, extra);
      });
    },
  },
  {
    id: 'K-57',
    title: 'Pools with GPUs have a device plugin',
    inputs: ['cluster', 'nodePools'],
    reads: ['DaemonSet'],
    criterion:
      'Fails if a NodePool requires instances with GPUs and no DaemonSet is a device plugin: their nodes never become initialized.',
    severity: 'high',
    phase: 4,
    fix: 'Install the device plugin of the manufacturer, for example the NVIDIA device plugin.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const plugin = liveObjects(inputs, 'DaemonSet').find(({ name, tree }) =>
        DEVICE_PLUGIN.test(`${name} ${imageText(tree)}`),
      );
      return each(nodePools(inputs).filter(wantsGpu), (pool) => {
        const extra = { object: objectOf(pool) };
        const own = seen(pool, 'metadata', 'name');
        return plugin === undefined
          ? fail(
              'It requires GPUs, and no device plugin was found.',
              [own, none('device plugin', DAEMON_SETS_CALL)],
              extra,
            )
          : pass(
              `DaemonSet ${plugin.name} is a device plugin.`,
              [own, seen(plugin, 'metadata', 'name')],
              extra,
            );
      });
    },
  },
  {
    id: 'K-58',
    title: 'Startup taints are removed by somebody',
    inputs: ['cluster', 'nodePools'],
    reads: ['DaemonSet'],
    criterion:
      'Warns if a NodePool has a startup taint that no DaemonSet tolerates by its key: nothing on the node can remove it, and the node never becomes initialized.',
    severity: 'high',
    phase: 4,
    fix: 'Install the agent that removes the taint, or remove the startup taint.',
    docs: DOCS.nodePools,
    judge: ({ inputs }) => {
      const daemons = liveObjects(inputs, 'DaemonSet');
      return each(nodePools(inputs), (pool) =>
        each(itemsAt(pool.tree, 'spec', 'template', 'spec', 'startupTaints'), (taint) => {
          const key = textAt(taint, 'key') ?? '';
          const own = { source: pool.source, what: 'startupTaints key', value: key, at: taint.at };
          const agent = daemons.find((daemon) => removes(daemon, key));
          const extra = { object: objectOf(pool) };
          return agent === undefined
            ? warn(
                `No DaemonSet tolerates ${key} by its name.`,
                [own, none(`toleration of ${key}`, DAEMON_SETS_CALL)],
                extra,
              )
            : pass(
                `DaemonSet ${agent.name} tolerates ${key}.`,
                [own, seen(agent, 'metadata', 'name')],
                extra,
              );
        }),
      );
    },
  },
  {
    id: 'K-59',
    title: 'Nodes wait for agents that must be there first',
    inputs: ['cluster', 'nodePools'],
    reads: ['DaemonSet'],
    criterion:
      'Warns if Cilium or the EBS CSI driver runs in the cluster and a NodePool lacks the startup taint that keeps pods off a node until it is ready.',
    severity: 'medium',
    phase: 4,
    fix: 'Add the startup taint to the NodePool: node.cilium.io/agent-not-ready, ebs.csi.aws.com/agent-not-ready (NoExecute).',
    docs: 'https://karpenter.sh/docs/faq/',
    judge: ({ inputs }) => {
      const agents = AGENTS.flatMap((row) => {
        const daemon = liveObjects(inputs, 'DaemonSet').find(({ name }) => name === row.daemonSet);
        return daemon === undefined ? [] : [{ ...row, daemon }];
      });
      return each(agents, ({ daemon, taint }) =>
        each(nodePools(inputs), (pool) => {
          const taints = itemsAt(pool.tree, 'spec', 'template', 'spec', 'startupTaints');
          const evidence = [
            seen(daemon, 'metadata', 'name'),
            seen(pool, 'spec', 'template', 'spec', 'startupTaints'),
          ];
          const extra = { object: objectOf(pool) };
          return taints.some((each) => textAt(each, 'key') === taint)
            ? pass(`It has the startup taint ${taint}.`, evidence, extra)
            : warn(`It lacks the startup taint ${taint}, which ${daemon.name} removes.`, evidence, extra);
        }),
      );
    },
  },
  {
    id: 'K-63',
    title: 'Volumes are in zones that a NodePool can use',
    inputs: ['cluster', 'nodePools'],
    reads: ['PersistentVolume'],
    criterion:
      'Fails if a bound volume is in a zone that the requirements of every NodePool exclude, so that its pod can get no node.',
    severity: 'high',
    phase: 4,
    fix: 'Allow the zone in a NodePool, or move the volume.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) => {
      const pools = nodePools(inputs);
      const limits = pools.map((pool) => requiredValues(pool, ZONE));
      const allowed = limits.some((zones) => zones === undefined)
        ? undefined
        : new Set(limits.flatMap((zones) => zones ?? []));
      const volumes = liveObjects(inputs, 'PersistentVolume').flatMap((volume) => {
        const zones = zonesOf(volume);
        return zones.length === 0 || textAt(volume.tree, 'status', 'phase') !== 'Bound'
          ? []
          : [{ volume, zones }];
      });
      if (pools.length === 0) return [];
      return each(volumes, ({ volume, zones }) => {
        const evidence = [
          { source: volume.source, what: 'zone', value: zones.join(', '), at: volume.at },
          ...pools.map((pool) => seen(pool, 'metadata', 'name')),
        ];
        const extra = { object: objectOf(volume) };
        return allowed === undefined || zones.some((zone) => allowed.has(zone))
          ? pass('A NodePool can launch nodes in its zone.', evidence, extra)
          : fail(`No NodePool allows ${zones.join(' or ')}.`, evidence, extra);
      });
    },
  },
  {
    id: 'K-64',
    title: 'Volumes are provisioned by CSI drivers',
    inputs: ['cluster'],
    reads: ['StorageClass'],
    criterion:
      'Warns if a StorageClass has a provisioner that is built into Kubernetes: its limits per node are not known.',
    severity: 'medium',
    phase: 4,
    fix: 'Use a StorageClass of the CSI driver, for example ebs.csi.aws.com.',
    docs: DOCS.troubleshooting,
    judge: ({ inputs }) =>
      each(liveObjects(inputs, 'StorageClass'), (storage) => {
        const provisioner = textAt(storage.tree, 'provisioner') ?? '';
        const evidence = [seen(storage, 'provisioner')];
        const extra = { object: objectOf(storage) };
        return provisioner.startsWith('kubernetes.io/') && provisioner !== 'kubernetes.io/no-provisioner'
          ? warn(`${provisioner} is built into Kubernetes.`, evidence, extra)
          : pass(`Its provisioner is ${provisioner}.`, evidence, extra);
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** K-39 in a cluster: the agent is a DaemonSet. */
export function agentRuns({ inputs }: CheckContext): readonly Judgement[] {
  const associations = inputs.resources.filter(({ type }) => type === 'aws_eks_pod_identity_association');
  const agent = liveObject(inputs, 'DaemonSet', 'eks-pod-identity-agent', 'kube-system');
  return each(associations, ({ source, address, at }) => {
    const own = { source, what: `${address}.service_account`, at };
    return agent === undefined
      ? fail(
          'The association has no effect without the agent.',
          [own, none('DaemonSet/eks-pod-identity-agent', DAEMON_SETS_CALL)],
          { object: address },
        )
      : pass('The agent runs on the nodes.', [own, seen(agent, 'status', 'numberReady')], {
          object: address,
        });
  });
}

const CUSTOM_NETWORK = 'AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG';
const ZONE = 'topology.kubernetes.io/zone';
const DEVICE_PLUGIN = /device-plugin|gpu-operator|nvidia|neuron/i;
const AGENTS = [
  { daemonSet: 'cilium', taint: 'node.cilium.io/agent-not-ready' },
  { daemonSet: 'ebs-csi-node', taint: 'ebs.csi.aws.com/agent-not-ready' },
] as const;

function imageText(tree: Manifest['tree']): string {
  return itemsAt(tree, 'spec', 'template', 'spec', 'containers')
    .map((container) => textAt(container, 'image') ?? '')
    .join(' ');
}

function requests(manifest: Manifest, resource: string): boolean {
  for (const { path } of leaves(find(manifest.tree, 'spec')))
    if (path.includes('resources') && path.at(-1) === resource) return true;
  return false;
}

/** By requirements that only instances with GPUs meet. */
function wantsGpu(pool: Manifest): boolean {
  const keys = itemsAt(pool.tree, 'spec', 'template', 'spec', 'requirements').flatMap((each) =>
    textAt(each, 'operator') === 'DoesNotExist' ? [] : (textAt(each, 'key') ?? []),
  );
  if (keys.some((key) => /instance-gpu-|sku-gpu-/.test(key))) return true;
  const families = requiredValues(pool, 'karpenter.k8s.aws/instance-category') ?? [];
  return families.length > 0 && families.every((family) => family === 'g' || family === 'p');
}

/** Agents that tolerate every taint are known by their name; others tolerate theirs by its key. */
function removes(daemon: Manifest, key: string): boolean {
  return (
    AGENTS.some(({ daemonSet, taint }) => taint === key && daemonSet === daemon.name) ||
    itemsAt(daemon.tree, 'spec', 'template', 'spec', 'tolerations').some(
      (each) => textAt(each, 'key') === key,
    )
  );
}

function zonesOf({ tree }: Manifest): readonly string[] {
  return itemsAt(tree, 'spec', 'nodeAffinity', 'required', 'nodeSelectorTerms').flatMap((term) =>
    itemsAt(term, 'matchExpressions')
      .filter((each) => /(^|\/)zone$/.test(textAt(each, 'key') ?? ''))
      .flatMap((each) => itemsAt(each, 'values').flatMap((value) => textOf(value) ?? [])),
  );
}
