/** What evidence reads from Azure, as an interface: `azure-reader.ts` implements it over the SDK clients. */
import type { InstanceViewStatus, VirtualMachine } from '@azure/arm-compute';
import { parseResourceId, resourceName } from '../../../arm/index.ts';
import type { LookupResult } from '../../../causes/index.ts';

import type { Evidence as SetEvidence } from '../disk-encryption/evidence/gather.ts';

export interface AzureReader {
  vm(at: VmLocation): Promise<LookupResult<VirtualMachine>>;
  /** The end of its serial log. */
  serialLog(at: VmLocation): Promise<LookupResult<string>>;
  cluster(at: ClusterLocation): Promise<LookupResult<SeenCluster>>;
  /** The cluster whose nodes are in a resource group, where its name is not known. */
  clusterOfNodes(at: Omit<VmLocation, 'name'>): Promise<LookupResult<SeenCluster>>;
  /** What can be found out about a disk encryption set for these nodes. */
  set(id: string, nodes: NodesLocation): Promise<SetEvidence>;
}

/** Undefined where it is not known: then nothing is compared with it. */
export interface NodesLocation {
  readonly location: string | undefined;
  readonly subscriptionId: string | undefined;
}

export interface VmLocation {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

export interface ClusterLocation {
  readonly subscription: string;
  readonly resourceGroup: string;
  readonly name: string;
}

export interface SeenCluster {
  readonly name: string;
  readonly diskEncryptionSetId: string | undefined;
  readonly privateCluster: boolean | undefined;
  readonly authorizedIpRanges: readonly string[];
  readonly apiServerHost: string | undefined;
  readonly powerState: string | undefined;
}

/** The location of the VM of a provider ID; undefined for what is no VM of Azure. */
export function vmLocation(providerId: string): VmLocation | undefined {
  if (!providerId.startsWith('azure://')) return undefined;
  const parsed = parseResourceId(providerId.slice('azure://'.length), 'Microsoft.Compute/virtualMachines');
  if ('problem' in parsed) return undefined;
  const { subscriptionId: subscription, resourceGroup } = parsed.id;
  return { subscription, resourceGroup, name: resourceName(parsed.id) };
}

/** `running` of `PowerState/running`. */
export function stateIn(
  statuses: readonly InstanceViewStatus[] | undefined,
  prefix: string,
): string | undefined {
  const status = statuses?.find(({ code }) => code?.toLowerCase().startsWith(`${prefix.toLowerCase()}/`));
  return status?.code?.slice(prefix.length + 1);
}
