/** Resources of an account as they are kept: the shapes of the API, and what the API does not show. */
import type {
  CapacityReservation,
  Image,
  Instance,
  InstanceStatusEvent,
  LaunchTemplate,
  PlacementGroup,
  RequestLaunchTemplateData,
  SecurityGroup,
  Subnet,
  Tag,
  Vpc,
  VpcEndpoint,
} from '@aws-sdk/client-ec2';
import type { TokenIssuer } from '../../json-web-token.ts';
import type { PolicyDocument } from '../iam/policy.ts';
import type { EventPattern } from './event-pattern.ts';

export type { CapacityReservation, Image, PlacementGroup, SecurityGroup, Subnet, Tag, Vpc, VpcEndpoint };

export type InstanceState = 'pending' | 'running' | 'shutting-down' | 'terminated' | 'stopping' | 'stopped';

export interface InstanceRecord {
  readonly id: string;
  readonly reservationId: string;
  readonly launchedMs: number;
  /** Before this, Describe calls do not show it. */
  readonly visibleMs: number;
  readonly type: string;
  readonly zone: string;
  readonly subnetId: string;
  readonly privateIp: string;
  readonly nodeName: string;
  readonly spot: boolean;
  readonly imageId: string;
  /** Base64, as launched. */
  readonly userData: string;
  readonly profileArn: string | undefined;
  /** Id of its capacity reservation. */
  reservedBy: string | undefined;
  readonly placementGroupId: string | undefined;
  /** As it was launched; state and tags are beside it. */
  readonly launched: Instance;
  state: InstanceState;
  stateReason: { readonly Code: string; readonly Message: string } | undefined;
  stateTransition: string;
  tags: readonly Tag[];
  terminatedMs: number | undefined;
  /** Status checks: when they began to fail. */
  instanceImpairedMs: number | undefined;
  systemImpairedMs: number | undefined;
  /** Scheduled events. */
  events: readonly InstanceStatusEvent[];
  /** With the time at which each line was written. */
  readonly serialLines: { readonly atMs: number; readonly text: string }[];
}

export interface LaunchTemplateRecord {
  readonly template: LaunchTemplate;
  readonly data: RequestLaunchTemplateData;
}

export interface InstanceProfileRecord {
  readonly name: string;
  readonly path: string;
  readonly arn: string;
  readonly id: string;
  readonly createdMs: number;
  roleName: string | undefined;
  /** When EC2, and those who read it in IAM, begin to know it. */
  readonly usableMs: number;
  /** When EC2 begins to know the role. Absent: as soon as it knows the profile. */
  roleUsableMs?: number;
  tags: readonly Tag[];
}

export interface RoleRecord {
  readonly name: string;
  readonly path: string;
  readonly arn: string;
  readonly id: string;
  readonly createdMs: number;
  trust: PolicyDocument;
  /** ARNs of managed policies: they are listed, and what the role may do is in `Access`. */
  attached: readonly string[];
  /** Policies that callers put, by name. */
  inline?: Map<string, PolicyDocument>;
  boundaryArn?: string;
  description?: string;
  tags?: readonly Tag[];
  /** When other services begin to know it. Absent: they do. */
  usableMs?: number;
}

/** A policy that somebody manages; those of AWS have no record. */
export interface ManagedPolicyRecord {
  readonly name: string;
  readonly arn: string;
  /** Of the default version. */
  document: PolicyDocument;
  readonly path?: string;
  readonly id?: string;
  readonly createdMs?: number;
  readonly description?: string;
  readonly tags?: readonly Tag[];
  /** Newest first. Absent: only the document. */
  versions?: readonly PolicyVersionRecord[];
  /** Default v1. */
  defaultVersion?: string;
}

export interface PolicyVersionRecord {
  /** `v1`. */
  readonly id: string;
  readonly document: PolicyDocument;
  readonly createdMs: number;
}

/** An issuer of tokens, usually of the cluster's service accounts, that an account trusts for these audiences from its start. */
export interface IdentityProvider extends TokenIssuer {
  readonly audiences: readonly string[];
}

/** An issuer of tokens that the account trusts. */
export interface OidcProviderRecord {
  readonly url: string;
  /** Audiences. */
  clientIds: readonly string[];
  readonly thumbprints: readonly string[];
  readonly createdMs: number;
  readonly tags: readonly Tag[];
}

/** A rule of EventBridge, on the default bus. */
export interface EventRuleRecord {
  readonly name: string;
  readonly arn: string;
  readonly pattern: EventPattern;
  /** As it was sent. */
  readonly patternText: string;
  readonly state: 'ENABLED' | 'DISABLED';
  readonly description?: string;
  /** By id. */
  readonly targets: Map<string, EventTarget>;
  tags: readonly Tag[];
}

/** As the API shows it. */
export interface EventTarget {
  readonly Id: string;
  readonly Arn: string;
}

export interface KeyRecord {
  readonly id: string;
  readonly arn: string;
  state: 'Enabled' | 'Disabled' | 'PendingDeletion';
  policy: PolicyDocument;
}

export interface ParameterRecord {
  readonly name: string;
  readonly value: string;
  readonly version: number;
  readonly modifiedMs: number;
}
