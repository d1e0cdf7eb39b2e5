/**
 * Which VM a claim names, and that it can be reached: one of another resource group or subscription would seem not to
 * exist, and a VM of its name here is another one.
 */
import type { Stored } from '@chandler/kube';
import { AzureAnnotation, type NodeClaim } from '../../../api/index.ts';
import { sameResource } from '../../../arm/index.ts';
import { CloudError } from '../../index.ts';

import { MANAGED_BY_AKS } from '../traits.ts';
import type { DeleteTarget } from './deleter.ts';
import { vmNameOf, vmOfProviderId } from './names.ts';
import type { VmApi } from './vm-api.ts';

/** @throws {CloudError} when AKS manages the VM, or when it is in another resource group. */
export function ownTarget(claim: Stored<NodeClaim>, api: VmPlace): DeleteTarget {
  const { uid = '', name } = claim.metadata;
  if (isOfAks(claim)) throw managedByAks(`of claim ${name}`);
  return { name: targetName(claim), claimUid: uid, ownVmId: namedVm(claim, api)?.id };
}

/** The VM that the claim's status names. @throws {CloudError} when it is in another resource group. */
export function namedVm({ metadata, status }: Stored<NodeClaim>, api: VmPlace): NamedVm | undefined {
  return vmHere(`claim ${metadata.name}`, status?.providerID ?? '', api);
}

/**
 * The VM of a provider ID; undefined for what is not a virtual machine of Azure. The error is temporary: a claim must
 * survive that the controller runs with wrong options.
 * @throws {CloudError} when it is in another resource group.
 */
export function vmHere(who: string, providerID: string, api: VmPlace): NamedVm | undefined {
  const named = vmOfProviderId(providerID);
  if (named === undefined) return undefined;
  const id = providerID.slice('azure://'.length);
  if (sameResource(id, api.vmId(named.name))) return { id, name: named.name };
  const message = `${who} names ${id}, which is not in resource group ${api.resourceGroup} of the configured subscription; node-resource-group and azure-subscription-id must have the values with which it was launched`;
  throw new CloudError('CreateFailed', message, {
    reason: 'MachineElsewhere',
    advice: { retry: 'backoff' },
  });
}

export interface NamedVm {
  readonly id: string;
  readonly name: string;
}

export type VmPlace = Pick<VmApi, 'vmId' | 'resourceGroup'>;

/** The VM that the claim names, wherever it is; else the one it would have. */
export function targetName({ metadata, status }: Stored<NodeClaim>): string {
  return vmOfProviderId(status?.providerID ?? '')?.name ?? vmNameOf(metadata.name);
}

/** AKS made its VM through its own API, in upstream's name: such a VM is neither judged nor touched. */
export function isOfAks({ metadata }: Pick<NodeClaim, 'metadata'>): boolean {
  return metadata.annotations?.[AzureAnnotation.aksMachineResourceId] !== undefined;
}

export function managedByAks(machine: string): CloudError {
  const message = `VM ${machine} was created by the AKS machine API and is not managed by this controller`;
  return new CloudError('ManagedElsewhere', message, { reason: MANAGED_BY_AKS });
}
