/**
 * The extensions of a VM as ARM wants them. The custom script is how nodes of the mode `bootstrappingclient`
 * get their configuration; the billing extension marks the VM as a node for AKS, in Azure's own clouds.
 */
import type { VirtualMachineExtension } from '@azure/arm-compute';
import type { Tags } from './tags.ts';
import type { ExtensionPlan } from './vm-plan.ts';

export const CUSTOM_SCRIPT_EXTENSION = 'cse-agent-karpenter';
export const BILLING_EXTENSION = 'computeAksLinuxBilling';

export function extensionName(plan: ExtensionPlan): string {
  return plan.kind === 'billing' ? BILLING_EXTENSION : CUSTOM_SCRIPT_EXTENSION;
}

export interface ExtensionPlace {
  readonly location: string;
  readonly tags: Tags;
}

export function extensionObject(plan: ExtensionPlan, place: ExtensionPlace): VirtualMachineExtension {
  const shared = {
    location: place.location,
    tags: { ...place.tags },
    autoUpgradeMinorVersion: true,
    settings: {},
  };
  if (plan.kind === 'billing') {
    return {
      ...shared,
      publisher: 'Microsoft.AKS',
      typePropertiesType: 'Compute.AKS.Linux.Billing',
      typeHandlerVersion: '1.0',
    };
  }
  return {
    ...shared,
    publisher: 'Microsoft.Azure.Extensions',
    typePropertiesType: 'CustomScript',
    typeHandlerVersion: '2.0',
    protectedSettings: { commandToExecute: plan.command },
  };
}
