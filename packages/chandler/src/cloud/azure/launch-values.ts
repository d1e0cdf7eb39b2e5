/**
 * What is recorded on a NodeClaim about its VM: records for drift, the hash of the node class, the instance type. For a VM that
 * this process planned they come from the plan, whatever has changed since: a record of a later moment hides drift.
 */
import type { KubeObject } from '@chandler/kube';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  type AKSNodeClass,
  AzureAnnotation,
  aksNodeClassHash,
  KarpenterLabel,
} from '../../api/index.ts';
import type { Instance, LaunchRequest } from '../index.ts';

import type { AzureCloudDeps, AzureOptions } from './azure-cloud-options.ts';
import type { ClusterFacts } from './cluster/index.ts';
import { launchRecords } from './drift/index.ts';
import { type AzureInstanceType, launchTypes } from './instance-types/index.ts';
import { nodeVersion } from './launch-template/index.ts';
import { type InPlaceGoal, inPlaceAnnotations } from './vm/in-place.ts';
import { toInstance } from './vm/instance.ts';
import type { LaunchValues } from './vm/launch-records.ts';
import { sharedTags } from './vm/tags.ts';
import type { VmFacts } from './vm/vm-facts.ts';
import type { VmPlan } from './vm/vm-plan.ts';

export interface PlannedWith {
  readonly request: LaunchRequest;
  readonly options: AzureOptions;
  readonly cluster: ClusterFacts;
  readonly type: AzureInstanceType;
  readonly plan: VmPlan;
}

export function plannedValues({ request, options, cluster, type, plan }: PlannedWith): LaunchValues {
  const nodeClass = asNodeClass(request.nodeClass);
  const kubernetesVersion = nodeVersion({ nodeClass, cluster });
  const diskEncryptionSetID = plan.osDisk.diskEncryptionSet?.value;
  return {
    type,
    annotations: annotationsOf(request, options, diskEncryptionSetID, { ...cluster, kubernetesVersion }),
  };
}

export function launchedInstance(
  deps: AzureCloudDeps,
  request: LaunchRequest,
  machine: VmFacts,
  planned: LaunchValues | undefined,
): Instance {
  const { type, annotations } = planned ?? foundValues(deps, request, machine);
  return toInstance(machine, { ...(type === undefined ? {} : { type }), claim: request.claim, annotations });
}

export function inPlaceGoal(
  options: AzureOptions,
  { claim, nodeClass, nodePool }: LaunchRequest,
): InPlaceGoal {
  return {
    identities: options.nodeIdentities.value,
    tags: sharedTags({
      clusterName: options.clusterName.value,
      additionalTags: options.additionalTags.value,
      nodeClassTags: asNodeClass(nodeClass).spec?.tags ?? {},
      nodePool: nodePool?.metadata.name ?? claim.metadata.labels?.[KarpenterLabel.nodePool],
    }),
  };
}

export function asNodeClass(nodeClass: KubeObject): AKSNodeClass {
  return nodeClass as KubeObject as AKSNodeClass;
}

// ---------------------------------------------------------------------------------------------------

/**
 * For a VM of an earlier process. Its plan is gone, so these are the values of now, without the Kubernetes version: the
 * adoption records what its kubelet reports.
 */
function foundValues(
  deps: AzureCloudDeps,
  request: LaunchRequest,
  machine: VmFacts,
): Pick<LaunchValues, 'annotations'> & { readonly type?: AzureInstanceType } {
  const types = deps.instanceTypes.loaded
    ? deps.instanceTypes.forNodeClass(asNodeClass(request.nodeClass))
    : [];
  const ofSize = types.filter((each) => each.name.toLowerCase() === machine.size.toLowerCase());
  const [type] = launchTypes(ofSize, request);
  const { kubernetesVersion: _, ...cluster } = deps.cluster.current().facts;
  const annotations = annotationsOf(request, deps.options(), machine.diskEncryptionSetId, cluster);
  return { ...(type === undefined ? {} : { type }), annotations };
}

function annotationsOf(
  request: LaunchRequest,
  options: AzureOptions,
  diskEncryptionSetID: string | undefined,
  cluster: Partial<ClusterFacts>,
): Readonly<Record<string, string>> {
  return {
    [AzureAnnotation.nodeClassHash]: aksNodeClassHash(asNodeClass(request.nodeClass)),
    [AzureAnnotation.nodeClassHashVersion]: AKS_NODE_CLASS_HASH_VERSION,
    ...launchRecords({ diskEncryptionSetID, cluster }),
    ...inPlaceAnnotations(inPlaceGoal(options, request)),
  };
}
