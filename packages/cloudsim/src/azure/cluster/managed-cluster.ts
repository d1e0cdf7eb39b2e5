/**
 * The AKS cluster as ARM shows it, limited to the fields that controllers read. Its nodes, networks and identities are
 * separate resources. An existing cluster takes a PUT, which changes properties, and a PATCH, which changes tags only, as
 * AKS does; new clusters are not created.
 */

import { isObject, type Json, objectAt, requireBody, requireText } from '../store/body.ts';
import type { ArmResource } from '../store/resource.ts';
import { formatResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import {
  armError,
  badRequest,
  operationNotAllowed,
  propertyChangeNotAllowed,
  resourceNotFound,
} from '../wire/errors.ts';
import { started } from '../wire/operations.ts';

export const CLUSTER_TYPE = 'Microsoft.ContainerService/managedClusters';

export interface ManagedClusterOptions {
  /** Default 1.34.2. */
  readonly kubernetesVersion?: string;
  /** Host name of the API server. Default: a name of the form that AKS generates. */
  readonly fqdn?: string;
  /** Default: none. */
  readonly diskEncryptionSetID?: string;
  /** Overrides the default: Azure CNI overlay with Cilium. */
  readonly networkProfile?: Readonly<Record<string, unknown>>;
  readonly kubeletIdentity?: {
    readonly resourceId: string;
    readonly clientId: string;
    readonly objectId: string;
  };
  /** Its OIDC issuer, as soon as that is enabled. Default: an address of AKS's form. */
  readonly oidcIssuerUrl?: string;
  /** OIDC issuer and workload identity are enabled. Default true. */
  readonly workloadIdentity?: boolean;
}

/** The identity of kubelets, unless the options say another. */
export const KUBELET = {
  clientId: '00000000-0000-4000-8000-0000000000e1',
  objectId: '00000000-0000-4000-8000-0000000000e2',
};

const VERSIONS = [
  '2025-09-01',
  '2025-10-02-preview',
  '2026-01-02-preview',
  '2026-02-01',
  '2026-04-02-preview',
  '2026-05-02-preview',
  '2026-06-01',
];

export function managedClusterRoutes(
  context: ArmContext,
  options: Pick<ManagedClusterOptions, 'oidcIssuerUrl'> = {},
): readonly ArmRoute[] {
  const group = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${CLUSTER_TYPE}`;
  const list = (request: ArmRequest) => {
    const { sub, rg } = request.params as { sub: string; rg?: string };
    if (rg !== undefined) context.store.requireResourceGroup(sub, rg);
    const where = { subscriptionId: sub, ...(rg === undefined ? {} : { resourceGroup: rg }) };
    return ok({ value: context.store.list(CLUSTER_TYPE, where) });
  };
  const found = (request: ArmRequest): ArmResource => {
    const { sub, rg, name } = request.params as { sub: string; rg: string; name: string };
    context.store.requireResourceGroup(sub, rg);
    const cluster = context.store.get(clusterId(sub, rg, name));
    if (cluster === undefined) throw resourceNotFound(CLUSTER_TYPE, name, rg);
    return cluster;
  };
  return [
    {
      method: 'GET',
      pattern: `${group}/{name}`,
      apiVersions: VERSIONS,
      handle: (request) => ok(found(request)),
    },
    {
      method: 'PUT',
      pattern: `${group}/{name}`,
      apiVersions: VERSIONS,
      handle: (request) => putCluster(context, request, found(request), issuerUrl(context, options)),
    },
    {
      method: 'PATCH',
      pattern: `${group}/{name}`,
      apiVersions: VERSIONS,
      handle(request) {
        const tags = objectAt(requireBody(request.body), 'tags');
        return update(context, request, {
          ...found(request),
          ...(tags === undefined ? {} : { tags: tags as Record<string, string> }),
        });
      },
    },
    { method: 'GET', pattern: group, apiVersions: VERSIONS, handle: list },
    {
      method: 'GET',
      pattern: `/subscriptions/{sub}/providers/${CLUSTER_TYPE}`,
      apiVersions: VERSIONS,
      handle: list,
    },
  ];
}

export function clusterId(subscriptionId: string, resourceGroup: string, name: string): string {
  return formatResourceId({ subscriptionId, resourceGroup, type: CLUSTER_TYPE, names: [name] });
}

export function newManagedCluster(context: ArmContext, options: ManagedClusterOptions = {}): ArmResource {
  const { subscriptionId, clusterResourceGroup, clusterName, nodeResourceGroup, region, tenantId } =
    context.settings;
  const version = options.kubernetesVersion ?? '1.34.2';
  const enabled = options.workloadIdentity ?? true;
  const fqdn =
    options.fqdn ?? `${clusterName.toLowerCase()}-dns-${context.settings.clusterId}.hcp.${region}.azmk8s.io`;
  return {
    id: clusterId(subscriptionId, clusterResourceGroup, clusterName),
    name: clusterName,
    type: CLUSTER_TYPE,
    location: region,
    tags: {},
    kind: 'Base',
    sku: { name: 'Base', tier: 'Standard' },
    identity: { type: 'SystemAssigned', principalId: CLUSTER_IDENTITY, tenantId },
    properties: {
      provisioningState: 'Succeeded',
      powerState: { code: 'Running' },
      kubernetesVersion: version.split('.').slice(0, 2).join('.'),
      currentKubernetesVersion: version,
      dnsPrefix: `${clusterName}-dns`,
      fqdn,
      azurePortalFQDN: fqdn.replace('.hcp.', '.portal.hcp.'),
      enableRBAC: true,
      supportPlan: 'KubernetesOfficial',
      nodeResourceGroup,
      agentPoolProfiles: [SYSTEM_POOL],
      linuxProfile: { adminUsername: 'azureuser', ssh: { publicKeys: [] } },
      servicePrincipalProfile: { clientId: 'msi' },
      networkProfile: { ...NETWORK_PROFILE, ...options.networkProfile },
      identityProfile:
        options.kubeletIdentity === undefined ? {} : { kubeletidentity: options.kubeletIdentity },
      securityProfile: enabled ? { workloadIdentity: { enabled } } : {},
      oidcIssuerProfile: { enabled, ...(enabled ? { issuerURL: issuerUrl(context, options) } : {}) },
      nodeProvisioningProfile: { mode: 'Manual', defaultNodePools: 'None' },
      disableLocalAccounts: false,
      ...(options.diskEncryptionSetID === undefined
        ? {}
        : { diskEncryptionSetID: options.diskEncryptionSetID }),
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** What AKS decides when a cluster is created. */
const FIXED = ['diskEncryptionSetID', 'nodeResourceGroup', 'dnsPrefix', 'fqdn'];

function issuerUrl(
  { settings: { region, tenantId } }: ArmContext,
  { oidcIssuerUrl }: Pick<ManagedClusterOptions, 'oidcIssuerUrl'>,
): string {
  return oidcIssuerUrl ?? `https://${region}.oic.prod-aks.azure.com/${tenantId}/`;
}

function putCluster(
  context: ArmContext,
  request: ArmRequest,
  cluster: ArmResource,
  issuerURL: string,
): ArmAnswer {
  const body = requireBody(request.body);
  const location = requireText(body, 'location').toLowerCase().replaceAll(' ', '');
  if (location !== cluster.location) throw propertyChangeNotAllowed('location');
  const properties = objectAt(body, 'properties') ?? {};
  for (const name of FIXED) {
    const [before, after] = [cluster.properties[name], properties[name]];
    if (after !== undefined && String(after).toLowerCase() !== String(before ?? '').toLowerCase())
      throw propertyChangeNotAllowed(`properties.${name}`);
  }
  const tags = objectAt(body, 'tags') as Record<string, string> | undefined;
  return update(context, request, {
    ...cluster,
    ...(tags === undefined ? {} : { tags }),
    properties: withIssuer(cluster.properties, merged(cluster.properties, properties), issuerURL),
  });
}

/** AKS gives the issuer its address, and never takes it away. */
function withIssuer(before: Json, after: Json, issuerURL: string): Json {
  const isEnabled = (of: Json) => objectAt(of, 'oidcIssuerProfile')?.['enabled'] === true;
  if (isEnabled(before) && !isEnabled(after))
    throw armError(400, 'OIDCIssuerFeatureCannotBeDisabled', 'OIDC issuer feature cannot be disabled.');
  const workload = objectAt(objectAt(after, 'securityProfile'), 'workloadIdentity');
  if (workload?.['enabled'] === true && !isEnabled(after))
    throw badRequest(
      'Workload identity needs the OIDC issuer: properties.oidcIssuerProfile.enabled must be true.',
    );
  return isEnabled(after) ? { ...after, oidcIssuerProfile: { enabled: true, issuerURL } } : after;
}

/** Objects are merged, other values replaced: AKS keeps what a request leaves out. */
function merged(before: Readonly<Record<string, unknown>>, after: Readonly<Record<string, unknown>>) {
  const result: Record<string, unknown> = { ...before };
  for (const [name, value] of Object.entries(after)) {
    const old = before[name];
    result[name] = isObject(old) && isObject(value) ? merged(old, value) : value;
  }
  return result;
}

function update(context: ArmContext, request: ArmRequest, cluster: ArmResource): ArmAnswer {
  const { store, operations, schedule, latencies, settings } = context;
  if (store.get(cluster.id)?.properties['provisioningState'] === 'Updating')
    throw operationNotAllowed('another operation (Updating) is in progress on the managed cluster');
  const put = (provisioningState: string) =>
    store.put({ ...cluster, properties: { ...cluster.properties, provisioningState } });
  const operation = operations.start({
    provider: 'Microsoft.ContainerService',
    location: settings.region,
    subscriptionId: settings.subscriptionId,
    expectedMs: latencies.otherMs,
  });
  schedule.after(latencies.otherMs, () => {
    put('Succeeded');
    operations.succeed(operation.id);
  });
  return started(request, operation, 200, put('Updating'));
}

const CLUSTER_IDENTITY = '00000000-0000-4000-8000-0000000000d1';

const NETWORK_PROFILE = {
  networkPlugin: 'azure',
  networkPluginMode: 'overlay',
  networkPolicy: 'cilium',
  networkDataplane: 'cilium',
  loadBalancerSku: 'standard',
  outboundType: 'loadBalancer',
  podCidr: '10.244.0.0/16',
  serviceCidr: '10.0.0.0/16',
  dnsServiceIP: '10.0.0.10',
  podCidrs: ['10.244.0.0/16'],
  serviceCidrs: ['10.0.0.0/16'],
  ipFamilies: ['IPv4'],
};

const SYSTEM_POOL = {
  name: 'system',
  mode: 'System',
  count: 3,
  vmSize: 'Standard_D4s_v5',
  osType: 'Linux',
  osSKU: 'Ubuntu',
  type: 'VirtualMachineScaleSets',
  provisioningState: 'Succeeded',
  nodeTaints: ['CriticalAddonsOnly=true:NoSchedule'],
};
