/**
 * For which clusters a check is: EKS, AKS, or any. An installation on one of them says nothing to the checks of the other, and they
 * are left out of the report, which says so once.
 */
import type { HelmRelease, Inputs, Manifest, ModuleCall, Resource } from '../inputs/inputs.ts';
import { find, itemsAt, textAt } from '../model/tree.ts';

export type Estate = 'EKS' | 'AKS';

/** Checks of NodePools, workloads and deliveries, which are the same on every cloud. The others of S and K are for EKS. */
const FOR_ANY: ReadonlySet<string> = new Set([
  'S-13',
  'S-21',
  'S-23',
  'S-24',
  'S-27',
  'S-28',
  'S-30',
  'S-41',
  'S-42',
  'S-43',
  'S-44',
  'S-61',
  'S-62',
  'S-66',
  'S-67',
  'S-70',
  'K-13',
  'K-14',
  'K-16',
  'K-17',
  'K-18',
  'K-19',
  'K-20',
  'K-21',
  'K-22',
  'K-23',
  'K-43',
  'K-44',
  'K-45',
  'K-46',
  'K-49',
  'K-50',
  'K-53',
  'K-57',
  'K-58',
  'K-62',
  'K-63',
  'K-64',
  'K-68',
  'K-81',
  'K-82',
  'K-83',
  'K-89',
  'K-90',
]);

/** Undefined: for any. */
export function estateOfCheck({ id }: { readonly id: string }): Estate | undefined {
  if (id.startsWith('A-')) return 'AKS';
  return FOR_ANY.has(id) ? undefined : 'EKS';
}

/** Clusters and what belongs to one of them decide; what else is of a cloud counts only without them. None: it is not known. */
export function estatesOf(inputs: Inputs): readonly Estate[] {
  const found = signs(inputs);
  const clusters = found.filter(({ isCluster }) => isCluster);
  const deciding = clusters.length > 0 ? clusters : found;
  return (['EKS', 'AKS'] as const).filter((estate) => deciding.some((sign) => sign.estate === estate));
}

// ---------------------------------------------------------------------------------------------------------------

interface Sign {
  readonly estate: Estate;
  readonly isCluster: boolean;
}

function signs(inputs: Inputs): readonly Sign[] {
  return [
    ...[...inputs.resources, ...inputs.removed].flatMap(ofResource),
    ...inputs.moduleCalls.flatMap(ofModule),
    ...inputs.manifests.flatMap(ofManifest),
    ...inputs.releases.flatMap(ofRelease),
  ];
}

function ofResource({ type, name, values }: Resource): readonly Sign[] {
  const provider = type === 'provider' ? name : type.split('_')[0];
  if (provider === 'aws') return [{ estate: 'EKS', isCluster: type.startsWith('aws_eks_') }];
  if (provider !== 'azurerm' && provider !== 'azapi') return [];
  const isCluster =
    type.startsWith('azurerm_kubernetes_') ||
    /Microsoft\.ContainerService\/managedClusters/i.test(textAt(values, 'type') ?? '');
  return [{ estate: 'AKS', isCluster }];
}

function ofModule({ moduleSource }: ModuleCall): readonly Sign[] {
  if (/terraform-aws-/i.test(moduleSource))
    return [{ estate: 'EKS', isCluster: /eks|karpenter/i.test(moduleSource) }];
  return /(^|\/)Azure\/|azurerm/.test(moduleSource)
    ? [{ estate: 'AKS', isCluster: /aks/i.test(moduleSource) }]
    : [];
}

function ofManifest({ kind, tree }: Manifest): readonly Sign[] {
  const group = textAt(tree, 'spec', 'template', 'spec', 'nodeClassRef', 'group');
  if (kind === 'EC2NodeClass' || kind === 'AWSNodeTemplate' || group === 'karpenter.k8s.aws')
    return [{ estate: 'EKS', isCluster: true }];
  return kind === 'AKSNodeClass' || group === 'karpenter.azure.com'
    ? [{ estate: 'AKS', isCluster: true }]
    : [];
}

function ofRelease({ values }: HelmRelease): readonly Sign[] {
  const annotation = (name: string) => find(values, 'serviceAccount', 'annotations', name) !== undefined;
  const endpoint = textAt(values, 'settings', 'clusterEndpoint') ?? '';
  const isEks =
    annotation('eks.amazonaws.com/role-arn') ||
    find(values, 'settings', 'interruptionQueue') !== undefined ||
    endpoint.includes('.eks.');
  const variables = itemsAt(values, 'controller', 'env').map((item) => textAt(item, 'name') ?? '');
  const isAks =
    annotation('azure.workload.identity/client-id') ||
    variables.some((name) => /^AZURE_|^VNET_SUBNET_ID$/.test(name)) ||
    endpoint.includes('.azmk8s.');
  return [
    ...(isEks ? [{ estate: 'EKS' as const, isCluster: true }] : []),
    ...(isAks ? [{ estate: 'AKS' as const, isCluster: true }] : []),
  ];
}
