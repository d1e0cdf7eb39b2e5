/**
 * Everything that was decided about one VM before it is requested. The objects of the requests are made
 * from this alone.
 */
import type { LaunchTemplate } from '../launch-template/index.ts';
import type { Tags } from './tags.ts';

export interface VmPlan {
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
