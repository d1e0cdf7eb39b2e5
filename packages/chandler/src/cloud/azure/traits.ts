/** What is true of Azure before anything of it runs. */
import {
  AKS_NODE_CLASS_HASH_VERSION,
  AKS_NODE_CLASSES,
  type AKSNodeClass,
  AZURE_WELL_KNOWN_LABELS,
  AzureAnnotation,
  aksNodeClassHash,
} from '../../api/index.ts';
import type { CloudTraits, RepairPolicy } from '../index.ts';

/** Those of Karpenter's Azure provider; `Ready` is the fallback, as v1.15 asks for one. */
export const REPAIR_POLICIES: readonly RepairPolicy[] = [
  {
    conditionType: 'Ready',
    conditionStatus: 'False',
    tolerationMs: 10 * 60_000,
    action: 'ReplaceNode',
    fallback: true,
  },
  { conditionType: 'Ready', conditionStatus: 'Unknown', tolerationMs: 10 * 60_000, action: 'ReplaceNode' },
  {
    conditionType: 'kubernetes.azure.com/NodeHealthy',
    conditionStatus: 'False',
    tolerationMs: 0,
    action: 'ReplaceNode',
  },
  { conditionType: 'PreemptionScheduled', conditionStatus: 'True', tolerationMs: 0, action: 'ReplaceNode' },
];

/** Reason of errors about VMs that AKS made through its own API. */
export const MANAGED_BY_AKS = 'ManagedByAKS';

export const AZURE_TRAITS: CloudTraits = {
  name: 'azure',
  nodeClasses: [
    {
      ...AKS_NODE_CLASSES,
      hash: {
        hashKey: AzureAnnotation.nodeClassHash,
        versionKey: AzureAnnotation.nodeClassHashVersion,
        version: AKS_NODE_CLASS_HASH_VERSION,
        hash: (object) => aksNodeClassHash(object as AKSNodeClass),
      },
    },
  ],
  wellKnownLabels: [...AZURE_WELL_KNOWN_LABELS].sort(),
  repairPolicies: REPAIR_POLICIES,
  ownership: {
    providerIdPrefix: 'azure://',
    // AKS created the VM through its own API. Only AKS may terminate it, so the controller never starts its deletion.
    isManagedElsewhere: ({ metadata }) =>
      metadata.annotations?.[AzureAnnotation.aksMachineResourceId] !== undefined,
  },
  terminationAdvice: {
    ScopeLocked: 'remove the lock',
    AuthorizationFailed:
      'grant the identity of the controller permission to delete virtual machines in the resource group',
    TokenNotAccepted: 'fix the credentials of the controller',
    RequestDisallowedByPolicy: 'change the policy, or exempt the VM from it',
    [MANAGED_BY_AKS]: 'delete it in AKS (az aks nodepool delete-machines)',
    MachineElsewhere:
      'run the controller with these options, or delete the VM manually and remove the finalizer',
  },
};
