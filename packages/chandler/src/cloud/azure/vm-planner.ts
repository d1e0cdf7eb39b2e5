/**
 * Plans the VM of a NodeClaim: readiness of the node class, offering, disk encryption set, custom data. Everything that is
 * decided before Azure is asked, each decision a stage of the journey. The objects of the requests are made in `vm/`.
 */
import type { Stored } from '@chandler/kube';
import type { AKSNodeClass, Condition } from '../../api/index.ts';
import { NO_INSTANCE_TYPES } from '../../causes/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { CloudError, type LaunchRequest } from '../index.ts';

import type { AzureCloudDeps, AzureOptions } from './azure-cloud-options.ts';
import { type ClusterFacts, ClusterFactsError } from './cluster/index.ts';
import { type DiskEncryptionChoice, resolveDiskEncryptionSet } from './disk-encryption/index.ts';
import type { FailedOffering } from './errors/index.ts';
import {
  type AzureInstanceType,
  type AzureOffering,
  launchTypes,
  rankOfferings,
} from './instance-types/index.ts';
import type { LaunchSteps } from './launch-steps.ts';
import { nodeCloud } from './launch-template/index.ts';
import { plannedValues } from './launch-values.ts';
import { usableImages, usableKubernetesVersion } from './node-class/index.ts';
import { type AzureStageTrace, diskEncryptionFact } from './stages.ts';
import { extensionPlans } from './vm/extension-plans.ts';
import type { FixedOffering } from './vm/launch-context.ts';
import type { PlannedVm } from './vm/launch-records.ts';
import { isManagedSubnet } from './vm/managed-subnet.ts';
import type { NetworkPlan } from './vm/vm-plan.ts';

/** @throws {CloudError} with the reason for the claim. */
export async function planVm(
  deps: AzureCloudDeps,
  steps: LaunchSteps,
  request: LaunchRequest,
  trace: AzureStageTrace,
  fixed?: FixedOffering,
): Promise<PlannedVm> {
  const nodeClass = request.nodeClass as Stored as Stored<AKSNodeClass>;
  const options = steps.options(request.claim);
  const cluster = clusterFacts(deps, trace);
  traceOptions(deps, options, trace);
  const diskEncryptionSet = usableClass(request, options, cluster, trace, steps);
  const { type, offering } = chooseOffering(deps, request, nodeClass, trace, fixed);
  const { bootstrapper } = deps;
  const template = await steps.buildLaunchTemplate({
    ...request,
    nodeClass,
    instanceType: type,
    offering,
    cluster,
    options: { ...options, armCloud: nodeCloud(options, deps.clients.environment) },
    bootstrapper,
    diskEncryptionSet,
    clock: deps.world.clock,
  });
  for (const stage of template.stages) trace.put(stage);
  const plan = steps.vmPlan({
    claim: request.claim,
    nodeClass,
    options,
    template,
    size: type.name,
    network: networkPlan(type, nodeClass, options, cluster),
    extensions: extensionPlans(template.cseCommand, deps.clients.environment),
  });
  const { uid, generation } = nodeClass.metadata;
  return {
    plan,
    offering: failedOffering(type, offering),
    nodeClass: { uid, generation },
    values: plannedValues({ request, options, cluster, type, plan }),
  };
}

export function diskEncryptionOf(
  nodeClass: AKSNodeClass,
  options: AzureOptions,
  cluster: Partial<ClusterFacts>,
  resolve: typeof resolveDiskEncryptionSet = resolveDiskEncryptionSet,
): DiskEncryptionChoice {
  return resolve({
    nodeClass,
    option: options.nodeOsdiskDiskencryptionsetId,
    cluster: cluster.diskEncryptionSetId,
  });
}

/** What there is to block when a VM of this size fails. */
export function failedOffering(
  type: Pick<AzureInstanceType, 'name' | 'sku'> & {
    readonly offerings: readonly { readonly zone: string }[];
  },
  offering: Pick<AzureOffering, 'zone' | 'capacityType'>,
): FailedOffering {
  return {
    instanceType: type.name,
    family: type.sku.family,
    vcpus: type.sku.vcpus,
    zone: offering.zone,
    capacityType: offering.capacityType,
    zones: [...new Set(type.offerings.map((each) => each.zone))],
  };
}

// ---------------------------------------------------------------------------------------------------

function clusterFacts(deps: AzureCloudDeps, trace: AzureStageTrace): ClusterFacts {
  try {
    return deps.cluster.facts();
  } catch (error) {
    if (!(error instanceof ClusterFactsError)) throw error;
    trace.add('options', 'failed', {}, error.message);
    throw new CloudError('CreateFailed', error.message, { reason: 'ClusterValuesUnknown', cause: error });
  }
}

function traceOptions(deps: AzureCloudDeps, options: AzureOptions, trace: AzureStageTrace): void {
  const { value, source } = options.nodeOsdiskDiskencryptionsetId;
  const set = value === undefined || value === '' ? 'none' : value;
  trace.add('options', 'ok', { mode: deps.bootstrapper.mode, diskEncryptionSet: { value: set, source } });
}

/** The rules of upstream's CloudProvider, in its order, each a reason of its own. */
function usableClass(
  request: LaunchRequest,
  options: AzureOptions,
  cluster: ClusterFacts,
  trace: AzureStageTrace,
  steps: LaunchSteps,
): Sourced<string> | undefined {
  const nodeClass = request.nodeClass as Stored as Stored<AKSNodeClass>;
  const name = nodeClass.metadata.name;
  const refuse = (error: CloudError) => {
    trace.add('nodeClass', 'failed', { name, reason: error.reason }, error.message);
    return error;
  };
  if (nodeClass.metadata.deletionTimestamp !== undefined) {
    throw refuse(new CloudError('InsufficientCapacity', `AKSNodeClass ${name} is being deleted`));
  }
  const ready = (nodeClass.status?.conditions as readonly Condition[] | undefined)?.find(
    (condition) => condition.type === 'Ready',
  );
  if (ready?.status === 'False') {
    throw refuse(
      new CloudError('NodeClassNotReady', `AKSNodeClass ${name}: ${ready.reason}: ${ready.message}`),
    );
  }
  if (ready?.status !== 'True') {
    const message = `AKSNodeClass ${name} has no known readiness: ${ready?.message ?? 'it has no status yet'}`;
    throw refuse(new CloudError('CreateFailed', message, { reason: 'NodeClassReadinessUnknown' }));
  }
  for (const part of [usableKubernetesVersion(nodeClass), usableImages(nodeClass)]) {
    if (!('notUsable' in part)) continue;
    const message = `AKSNodeClass ${name}: ${part.notUsable}`;
    throw refuse(new CloudError('CreateFailed', message, { reason: 'LaunchFailed' }));
  }
  const { chosen, malformed } = diskEncryptionOf(nodeClass, options, cluster, (sources) =>
    steps.resolveDiskEncryptionSet(sources, request.claim),
  );
  if (malformed !== undefined) {
    const message = `the ID of the disk encryption set ${malformed}`;
    throw refuse(new CloudError('CreateFailed', message, { reason: 'DiskEncryptionSetMalformed' }));
  }
  trace.add('nodeClass', 'ok', {
    name,
    generation: nodeClass.metadata.generation ?? 0,
    diskEncryptionSet: diskEncryptionFact(chosen),
  });
  return chosen;
}

function chooseOffering(
  deps: AzureCloudDeps,
  request: LaunchRequest,
  nodeClass: Stored<AKSNodeClass>,
  trace: AzureStageTrace,
  fixed: FixedOffering | undefined,
): { type: AzureInstanceType; offering: AzureOffering } {
  const types = launchTypes(deps.instanceTypes.forNodeClass(nodeClass), request);
  const chosen = fixed === undefined ? best(deps, request, types) : named(types, fixed);
  if (chosen === undefined) {
    const message =
      fixed === undefined
        ? `${NO_INSTANCE_TYPES}: no available offering meets the requirements of the NodeClaim`
        : `VM size ${fixed.size} is no longer available for AKSNodeClass ${nodeClass.metadata.name}`;
    trace.add('offering', 'failed', { looked: types.length }, message);
    throw new CloudError(fixed === undefined ? 'InsufficientCapacity' : 'CreateFailed', message);
  }
  const { type, offering } = chosen;
  trace.add('offering', 'ok', {
    size: type.name,
    zone: offering.zone,
    capacityType: offering.capacityType,
    price: offering.price,
  });
  return chosen;
}

function best(deps: AzureCloudDeps, { claim }: LaunchRequest, types: readonly AzureInstanceType[]) {
  const [first] = rankOfferings({
    types,
    requirements: claim.spec.requirements,
    requests: claim.spec.resources?.requests,
    claimName: claim.metadata.name,
    hasQuota: (family, vcpus, capacityType) => deps.quota.hasQuota(family, vcpus, capacityType),
  });
  return first;
}

function named(types: readonly AzureInstanceType[], fixed: FixedOffering) {
  const type = types.find((each) => each.name.toLowerCase() === fixed.size.toLowerCase());
  const offering = type?.offerings.find(
    (each) => each.zone === fixed.zone && each.capacityType === fixed.capacityType,
  );
  return type === undefined || offering === undefined ? undefined : { type, offering };
}

function networkPlan(
  type: AzureInstanceType,
  nodeClass: Stored<AKSNodeClass>,
  options: AzureOptions,
  cluster: ClusterFacts,
): NetworkPlan {
  const subnetId = nodeClass.spec?.vnetSubnetID ?? options.vnetSubnetId.value;
  const { plugin, pluginMode } = cluster.network;
  const podAddresses = plugin.value === 'azure' && pluginMode.value !== 'overlay';
  const group = cluster.networkSecurityGroup?.value.id;
  const needsGroup = !isManagedSubnet(subnetId, options.nodeResourceGroup.value);
  return {
    subnetId,
    acceleratedNetworking: type.sku.acceleratedNetworking,
    secondaryAddresses: podAddresses ? Math.max(0, Number(type.capacity['pods']) - 1) : 0,
    ...(needsGroup && group !== undefined ? { securityGroupId: group } : {}),
  };
}
