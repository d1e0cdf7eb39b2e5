/**
 * Everything that was decided about one machine before Azure is asked for it. The objects of the requests are made
 * from this alone.
 */
import type { AKSNodeClass, NodeClaim } from '../../../api/index.ts';

import type { LaunchTemplate } from '../launch-template/index.ts';
import type { AzureControllerValues } from '../options/options.ts';
import { machineName } from './names.ts';
import type { Tags } from './tags.ts';

export interface MachinePlan {
  /** Of VM, NIC and OS disk. */
  readonly name: string;
  readonly claimUid: string;
  readonly location: string;
  readonly tags: Tags;
  /** `Standard_D4s_v5`. */
  readonly size: string;
  /** `eastus-2`, or the regional zone. */
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot';
  readonly network: NetworkPlan;
  readonly image: ImagePlan;
  readonly osDisk: LaunchTemplate['osDisk'];
  /** Base64. */
  readonly customData: string;
  readonly adminUsername: string;
  readonly sshPublicKey: string;
  /** Resource ids of user-assigned identities. */
  readonly identities: readonly string[];
  readonly encryptionAtHost?: boolean;
  readonly trustedLaunch?: { readonly secureBoot: boolean; readonly vtpm: boolean };
  readonly ultraSsd: boolean;
  readonly bootDiagnostics: boolean;
  /** In the order in which they are put on. */
  readonly extensions: readonly ExtensionPlan[];
}

export interface NetworkPlan {
  readonly subnetId: string;
  readonly acceleratedNetworking: boolean;
  /** Addresses for pods beside the node's own; only without an overlay. */
  readonly secondaryAddresses: number;
  /** Only where AKS does not manage the subnet. */
  readonly securityGroupId?: string;
}

/** `communityGalleryImageId` starts with /CommunityGalleries/; anything else is the id of a gallery image. */
export interface ImagePlan {
  readonly id: string;
}

export type ExtensionPlan =
  | { readonly kind: 'customScript'; readonly command: string }
  | { readonly kind: 'billing' };

export interface MachinePlanRequest {
  readonly claim: NodeClaim;
  readonly nodeClass: AKSNodeClass;
  readonly options: Pick<
    AzureControllerValues,
    'location' | 'linuxAdminUsername' | 'sshPublicKey' | 'nodeIdentities' | 'bootDiagnostics'
  >;
  readonly template: LaunchTemplate;
  readonly size: string;
  readonly network: NetworkPlan;
  readonly extensions: readonly ExtensionPlan[];
}

export function machinePlan(request: MachinePlanRequest): MachinePlan {
  const { claim, nodeClass, options, template } = request;
  const security = nodeClass.spec?.security;
  const { secureBoot = false, vtpm = false } = security?.trustedLaunch ?? {};
  return {
    name: machineName(claim.metadata.name ?? ''),
    claimUid: claim.metadata.uid ?? '',
    location: options.location.value,
    tags: template.tags,
    size: request.size,
    zone: template.placement.zone,
    capacityType: template.placement.capacityType,
    network: request.network,
    image: { id: template.imageId },
    osDisk: template.osDisk,
    customData: template.customData,
    adminUsername: options.linuxAdminUsername.value,
    sshPublicKey: options.sshPublicKey.value,
    identities: options.nodeIdentities.value,
    ...(security?.encryptionAtHost === undefined ? {} : { encryptionAtHost: security.encryptionAtHost }),
    ...(secureBoot || vtpm ? { trustedLaunch: { secureBoot, vtpm } } : {}),
    ultraSsd: template.ultraSsd,
    bootDiagnostics: options.bootDiagnostics.value,
    extensions: request.extensions,
  };
}
