/**
 * NodePools, node classes and pods of manifests in the form that the planner reads. Only what scheduling looks at is taken, and only
 * where it has the right shape; where a part is not known or malformed, there is no object.
 */
import { isQuantity, type Taint, type Toleration, type TopologySpreadConstraint } from '@chandler/kube';
import type { EC2NodeClass } from '../../api/index.ts';
import type { LabelRequirement, Pod, PodSpec, PoolInput } from '../../scheduling/index.ts';
import type { Manifest } from '../inputs/inputs.ts';
import {
  find,
  hasUnknown,
  itemsAt,
  type Path,
  type Tree,
  textAt,
  textOf,
  textsAt,
  toValue,
} from '../model/tree.ts';

export type PlainPool = PoolInput['nodePool'];

const TEMPLATE = ['spec', 'template'] as const;

/** Undefined: a value of it is not known, or the API server rejects it. */
export function plainPool({ name, tree }: Manifest): PlainPool | undefined {
  const template = find(tree, ...TEMPLATE);
  if (template?.kind !== 'map' || hasUnknown(template) || hasUnknown(find(tree, 'spec', 'limits')))
    return undefined;
  const requirements = itemsAt(template, 'spec', 'requirements').map(requirementOf);
  const taints = taintsAt(template, 'spec', 'taints');
  if (!requirements.every((each) => each !== undefined) || taints === undefined) return undefined;
  const weight = Number(textAt(tree, 'spec', 'weight') ?? '0');
  const limits = quantitiesAt(tree, 'spec', 'limits');
  const reference = textsAt(template, 'spec', 'nodeClassRef');
  return {
    metadata: { name },
    spec: {
      template: {
        metadata: { labels: textsAt(template, 'metadata', 'labels') },
        spec: {
          nodeClassRef: {
            group: reference['group'] ?? '',
            kind: reference['kind'] ?? '',
            name: reference['name'] ?? '',
          },
          requirements: requirements as PlainPool['spec']['template']['spec']['requirements'],
          taints: [...taints] as PlainPool['spec']['template']['spec']['taints'] & {},
        },
      },
      ...(Number.isInteger(weight) && weight > 0 ? { weight } : {}),
      ...(Object.keys(limits).length === 0 ? {} : { limits }),
    },
  };
}

/** What instance types depend on: family, maximum number of pods and disks. */
export function plainClass({ name, tree }: Manifest): EC2NodeClass {
  const family = textAt(tree, 'spec', 'amiFamily');
  const maxPods = Number(textAt(tree, 'spec', 'kubelet', 'maxPods'));
  const aliases = itemsAt(tree, 'spec', 'amiSelectorTerms').flatMap((term) => textAt(term, 'alias') ?? []);
  const disks = itemsAt(tree, 'spec', 'blockDeviceMappings').flatMap((mapping) => {
    const [deviceName, volumeSize] = [textAt(mapping, 'deviceName'), textAt(mapping, 'ebs', 'volumeSize')];
    const rootVolume = textAt(mapping, 'rootVolume') === 'true';
    return deviceName === undefined || !isQuantity(volumeSize)
      ? []
      : [{ deviceName, ebs: { volumeSize: volumeSize! }, ...(rootVolume ? { rootVolume } : {}) }];
  });
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: aliases.map((alias) => ({ alias })),
      ...(family === undefined ? {} : { amiFamily: family }),
      ...(Number.isInteger(maxPods) && maxPods > 0 ? { kubelet: { maxPods } } : {}),
      ...(disks.length === 0 ? {} : { blockDeviceMappings: disks }),
    },
  } as EC2NodeClass;
}

/** The parts of a pod that say which nodes it may run on. Undefined: one of them is not known, or malformed. */
export function plainPodSpec(tree: Tree, template: Path): PodSpec | undefined {
  const spec = find(tree, ...template, 'spec');
  if (spec?.kind !== 'map' || DECIDING.some((field) => hasUnknown(find(spec, field)))) return undefined;
  const tolerations = itemsAt(spec, 'tolerations');
  const terms = termsOf(spec);
  const spread = itemsAt(spec, 'topologySpreadConstraints');
  if (terms === undefined || [...tolerations, ...spread].some(({ kind }) => kind !== 'map')) return undefined;
  const containers = (list: string) =>
    itemsAt(spec, list).map((container, index) => ({
      name: textAt(container, 'name') ?? String(index),
      resources: {
        requests: {
          ...quantitiesAt(container, 'resources', 'limits'),
          ...quantitiesAt(container, 'resources', 'requests'),
        },
      },
    }));
  return {
    containers: containers('containers'),
    initContainers: containers('initContainers'),
    nodeSelector: textsAt(spec, 'nodeSelector'),
    tolerations: tolerations.map((each) => textsAt(each) as unknown as Toleration),
    ...(terms.length === 0
      ? {}
      : {
          affinity: {
            nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
          },
        }),
    ...(spread.length === 0
      ? {}
      : { topologySpreadConstraints: spread.map((each) => toValue(each) as TopologySpreadConstraint) }),
  };
}

/** A pod that fits every node, whatever its taints. */
export function smallPod(name: string, spec: Partial<PodSpec> = {}): Pod {
  return {
    metadata: { name, namespace: 'default' },
    spec: { containers: [{ name: 'small' }], tolerations: [{ operator: 'Exists' }], ...spec },
  };
}

// ---------------------------------------------------------------------------------------------------------------

const DECIDING = [
  'nodeSelector',
  'affinity',
  'tolerations',
  'containers',
  'initContainers',
  'topologySpreadConstraints',
];

function requirementOf(tree: Tree): LabelRequirement | undefined {
  const [key, operator] = [textAt(tree, 'key'), textAt(tree, 'operator')];
  if (key === undefined || operator === undefined) return undefined;
  const minValues = Number(textAt(tree, 'minValues'));
  return {
    key,
    operator,
    values: itemsAt(tree, 'values').flatMap((item) => textOf(item) ?? []),
    ...(Number.isInteger(minValues) ? { minValues } : {}),
  };
}

function taintsAt(tree: Tree, ...path: Path): readonly Taint[] | undefined {
  const taints = itemsAt(tree, ...path).map((item) => textsAt(item));
  return taints.every(({ key, effect }) => key !== undefined && effect !== undefined)
    ? (taints as unknown as readonly Taint[])
    : undefined;
}

function quantitiesAt(tree: Tree, ...path: Path): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(textsAt(tree, ...path)).filter(([, text]) => isQuantity(text)));
}

/** Required terms of node affinity. */
function termsOf(spec: Tree) {
  const terms = itemsAt(
    spec,
    'affinity',
    'nodeAffinity',
    'requiredDuringSchedulingIgnoredDuringExecution',
    'nodeSelectorTerms',
  ).map((term) => itemsAt(term, 'matchExpressions').map(requirementOf));
  if (!terms.every((term) => term.every((each) => each !== undefined))) return undefined;
  return terms.map((matchExpressions) => ({
    matchExpressions: matchExpressions as { key: string; operator: string; values: string[] }[],
  }));
}
