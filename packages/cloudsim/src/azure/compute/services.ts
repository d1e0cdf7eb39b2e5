/**
 * The interface of the compute provider to other providers (catalogue/, keys/): which sizes, images and disk encryption
 * sets exist, and whether there is quota. A missing service is skipped, and nothing is rejected because of it.
 */
import type { Principal } from '../wire/arm-request.ts';
import type { ArmError } from '../wire/errors.ts';

export interface Services {
  sizes?: SizeCatalogue;
  quota?: QuotaCounter;
  images?: ImageFinder;
  encryption?: EncryptionChecks;
}

export interface SizeCatalogue {
  /** Names are compared without regard to case; undefined: the region has no such size. */
  sizeOf(name: string, region: string): SizeFacts | undefined;
}

export interface SizeFacts {
  /** `Standard_D4s_v5`. */
  readonly name: string;
  /** `standardDSv5Family`. */
  readonly family: string;
  readonly vCpus: number;
  readonly memoryGiB: number;
  /** `['1', '2', '3']`; empty: regional only. */
  readonly zones: readonly string[];
  /** LowPriorityCapable. */
  readonly spot: boolean;
  readonly architecture: 'x64' | 'Arm64';
  readonly generations: readonly ('V1' | 'V2')[];
  readonly acceleratedNetworking: boolean;
  readonly encryptionAtHost: boolean;
  readonly trustedLaunch: boolean;
  readonly ultraSsd: boolean;
  readonly premiumIo: boolean;
  /** Space for an ephemeral OS disk by placement, in GB (10^9); empty: not supported. */
  readonly ephemeralGB: Readonly<Partial<Record<EphemeralPlacement, number>>>;
  /** The restriction of this subscription: the whole region, or these zones. */
  readonly restricted?: { readonly region?: boolean; readonly zones?: readonly string[] };
}

export type EphemeralPlacement = 'CacheDisk' | 'ResourceDisk' | 'NvmeDisk';

/** Cores that VMs use. */
export interface QuotaCounter {
  /** Uses the cores, or returns the error (status 409, `OperationNotAllowed`) when the quota does not suffice. */
  take(use: QuotaUse): ArmError | undefined;
  release(vmId: string): void;
}

export interface QuotaUse {
  readonly vmId: string;
  readonly region: string;
  readonly size: SizeFacts;
  readonly spot: boolean;
}

/** `properties.storageProfile.imageReference` as sent. */
export interface ImageReference {
  readonly id?: string;
  readonly communityGalleryImageId?: string;
  readonly sharedGalleryImageId?: string;
  readonly publisher?: string;
  readonly offer?: string;
  readonly sku?: string;
  readonly version?: string;
}

export interface ImageFinder {
  /** Undefined: the region does not have the image. */
  find(reference: ImageReference, region: string): ImageFacts | undefined;
}

export interface ImageFacts {
  readonly generation: 'V1' | 'V2';
  readonly architecture: 'x64' | 'Arm64';
  readonly osDiskSizeGB: number;
  readonly trustedLaunch?: boolean;
}

export interface EncryptionChecks {
  /** At the PUT: missing set, wrong region, no right to read it. Returned, not thrown. */
  checkSet(request: EncryptionCheck): ArmError | undefined;
  /** When the disk is created: the key may be disabled, deleted or not accessible. */
  checkKey(request: EncryptionCheck): ArmError | undefined;
}

export interface EncryptionCheck {
  readonly diskEncryptionSetId: string;
  readonly region: string;
  readonly principal: Principal | undefined;
}
