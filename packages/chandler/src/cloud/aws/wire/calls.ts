/**
 * The calls to AWS that this product makes, one function each, with the shapes of the official SDK. Each sends at most one request,
 * after its turn in our call rates; nothing waits or retries inside. What fails is an `AwsError` (errors/), or the reason of the
 * signal. Pages are the caller's: `allPages` (pages.ts) reads them all.
 */
import type * as Ec2 from '@aws-sdk/client-ec2';
import type * as Eks from '@aws-sdk/client-eks';
import type * as EventBridge from '@aws-sdk/client-eventbridge';
import type * as Iam from '@aws-sdk/client-iam';
import type * as Pricing from '@aws-sdk/client-pricing';
import type * as Sqs from '@aws-sdk/client-sqs';
import type * as Ssm from '@aws-sdk/client-ssm';
import type * as Sts from '@aws-sdk/client-sts';
import type {
  DescribeKeyOutput,
  GetKeyPolicyOutput,
  GetServiceQuotaOutput,
  KeyInput,
  KeyPolicyInput,
  QuotaInput,
} from './account-shapes.ts';
import type { GetManagedResourceInput, GetManagedResourceOutput } from './zonal-shift-shapes.ts';

export interface CallOptions {
  readonly signal: AbortSignal;
}

export type Call<Input, Output> = (input: Input, options: CallOptions) => Promise<Omit<Output, '$metadata'>>;

export interface AwsCalls {
  readonly 'arc-zonal-shift': ArcZonalShiftCalls;
  readonly ec2: Ec2Calls;
  readonly eks: EksCalls;
  readonly events: EventsCalls;
  readonly iam: IamCalls;
  readonly kms: KmsCalls;
  readonly pricing: PricingCalls;
  readonly servicequotas: ServiceQuotasCalls;
  readonly sqs: SqsCalls;
  readonly ssm: SsmCalls;
  readonly sts: StsCalls;
}

export interface Ec2Calls {
  readonly createFleet: Call<Ec2.CreateFleetCommandInput, Ec2.CreateFleetCommandOutput>;
  readonly createLaunchTemplate: Call<
    Ec2.CreateLaunchTemplateCommandInput,
    Ec2.CreateLaunchTemplateCommandOutput
  >;
  readonly createTags: Call<Ec2.CreateTagsCommandInput, Ec2.CreateTagsCommandOutput>;
  readonly deleteLaunchTemplate: Call<
    Ec2.DeleteLaunchTemplateCommandInput,
    Ec2.DeleteLaunchTemplateCommandOutput
  >;
  readonly describeCapacityReservations: Call<
    Ec2.DescribeCapacityReservationsCommandInput,
    Ec2.DescribeCapacityReservationsCommandOutput
  >;
  readonly describeImages: Call<Ec2.DescribeImagesCommandInput, Ec2.DescribeImagesCommandOutput>;
  readonly describeInstances: Call<Ec2.DescribeInstancesCommandInput, Ec2.DescribeInstancesCommandOutput>;
  readonly describeInstanceStatus: Call<
    Ec2.DescribeInstanceStatusCommandInput,
    Ec2.DescribeInstanceStatusCommandOutput
  >;
  readonly describeInstanceTypeOfferings: Call<
    Ec2.DescribeInstanceTypeOfferingsCommandInput,
    Ec2.DescribeInstanceTypeOfferingsCommandOutput
  >;
  readonly describeInstanceTypes: Call<
    Ec2.DescribeInstanceTypesCommandInput,
    Ec2.DescribeInstanceTypesCommandOutput
  >;
  readonly describeLaunchTemplates: Call<
    Ec2.DescribeLaunchTemplatesCommandInput,
    Ec2.DescribeLaunchTemplatesCommandOutput
  >;
  readonly describePlacementGroups: Call<
    Ec2.DescribePlacementGroupsCommandInput,
    Ec2.DescribePlacementGroupsCommandOutput
  >;
  readonly describeRouteTables: Call<
    Ec2.DescribeRouteTablesCommandInput,
    Ec2.DescribeRouteTablesCommandOutput
  >;
  readonly describeSecurityGroups: Call<
    Ec2.DescribeSecurityGroupsCommandInput,
    Ec2.DescribeSecurityGroupsCommandOutput
  >;
  readonly describeSpotPriceHistory: Call<
    Ec2.DescribeSpotPriceHistoryCommandInput,
    Ec2.DescribeSpotPriceHistoryCommandOutput
  >;
  readonly describeSubnets: Call<Ec2.DescribeSubnetsCommandInput, Ec2.DescribeSubnetsCommandOutput>;
  readonly describeVpcEndpoints: Call<
    Ec2.DescribeVpcEndpointsCommandInput,
    Ec2.DescribeVpcEndpointsCommandOutput
  >;
  readonly getConsoleOutput: Call<Ec2.GetConsoleOutputCommandInput, Ec2.GetConsoleOutputCommandOutput>;
  readonly getEbsEncryptionByDefault: Call<
    Ec2.GetEbsEncryptionByDefaultCommandInput,
    Ec2.GetEbsEncryptionByDefaultCommandOutput
  >;
  readonly rebootInstances: Call<Ec2.RebootInstancesCommandInput, Ec2.RebootInstancesCommandOutput>;
  /** Only as a dry run: launches go through `createFleet`. */
  readonly runInstances: Call<Ec2.RunInstancesCommandInput, Ec2.RunInstancesCommandOutput>;
  readonly terminateInstances: Call<Ec2.TerminateInstancesCommandInput, Ec2.TerminateInstancesCommandOutput>;
  readonly deleteTags: Call<Ec2.DeleteTagsCommandInput, Ec2.DeleteTagsCommandOutput>;
}

export interface EksCalls {
  readonly describeAccessEntry: Call<
    Eks.DescribeAccessEntryCommandInput,
    Eks.DescribeAccessEntryCommandOutput
  >;
  readonly describeCluster: Call<Eks.DescribeClusterCommandInput, Eks.DescribeClusterCommandOutput>;
  readonly describePodIdentityAssociation: Call<
    Eks.DescribePodIdentityAssociationCommandInput,
    Eks.DescribePodIdentityAssociationCommandOutput
  >;
  readonly listAddons: Call<Eks.ListAddonsCommandInput, Eks.ListAddonsCommandOutput>;
  readonly listPodIdentityAssociations: Call<
    Eks.ListPodIdentityAssociationsCommandInput,
    Eks.ListPodIdentityAssociationsCommandOutput
  >;
  readonly createAccessEntry: Call<Eks.CreateAccessEntryCommandInput, Eks.CreateAccessEntryCommandOutput>;
  readonly createPodIdentityAssociation: Call<
    Eks.CreatePodIdentityAssociationCommandInput,
    Eks.CreatePodIdentityAssociationCommandOutput
  >;
  readonly deleteAccessEntry: Call<Eks.DeleteAccessEntryCommandInput, Eks.DeleteAccessEntryCommandOutput>;
  readonly deletePodIdentityAssociation: Call<
    Eks.DeletePodIdentityAssociationCommandInput,
    Eks.DeletePodIdentityAssociationCommandOutput
  >;
}

export interface IamCalls {
  readonly addRoleToInstanceProfile: Call<
    Iam.AddRoleToInstanceProfileCommandInput,
    Iam.AddRoleToInstanceProfileCommandOutput
  >;
  readonly createInstanceProfile: Call<
    Iam.CreateInstanceProfileCommandInput,
    Iam.CreateInstanceProfileCommandOutput
  >;
  readonly deleteInstanceProfile: Call<
    Iam.DeleteInstanceProfileCommandInput,
    Iam.DeleteInstanceProfileCommandOutput
  >;
  readonly getInstanceProfile: Call<Iam.GetInstanceProfileCommandInput, Iam.GetInstanceProfileCommandOutput>;
  readonly getPolicy: Call<Iam.GetPolicyCommandInput, Iam.GetPolicyCommandOutput>;
  readonly getPolicyVersion: Call<Iam.GetPolicyVersionCommandInput, Iam.GetPolicyVersionCommandOutput>;
  readonly getRole: Call<Iam.GetRoleCommandInput, Iam.GetRoleCommandOutput>;
  readonly getRolePolicy: Call<Iam.GetRolePolicyCommandInput, Iam.GetRolePolicyCommandOutput>;
  readonly listAttachedRolePolicies: Call<
    Iam.ListAttachedRolePoliciesCommandInput,
    Iam.ListAttachedRolePoliciesCommandOutput
  >;
  readonly listInstanceProfiles: Call<
    Iam.ListInstanceProfilesCommandInput,
    Iam.ListInstanceProfilesCommandOutput
  >;
  readonly listInstanceProfilesForRole: Call<
    Iam.ListInstanceProfilesForRoleCommandInput,
    Iam.ListInstanceProfilesForRoleCommandOutput
  >;
  readonly listOpenIDConnectProviders: Call<
    Iam.ListOpenIDConnectProvidersCommandInput,
    Iam.ListOpenIDConnectProvidersCommandOutput
  >;
  readonly listRolePolicies: Call<Iam.ListRolePoliciesCommandInput, Iam.ListRolePoliciesCommandOutput>;
  readonly removeRoleFromInstanceProfile: Call<
    Iam.RemoveRoleFromInstanceProfileCommandInput,
    Iam.RemoveRoleFromInstanceProfileCommandOutput
  >;
  readonly tagInstanceProfile: Call<Iam.TagInstanceProfileCommandInput, Iam.TagInstanceProfileCommandOutput>;
  readonly attachRolePolicy: Call<Iam.AttachRolePolicyCommandInput, Iam.AttachRolePolicyCommandOutput>;
  readonly createOpenIDConnectProvider: Call<
    Iam.CreateOpenIDConnectProviderCommandInput,
    Iam.CreateOpenIDConnectProviderCommandOutput
  >;
  readonly createRole: Call<Iam.CreateRoleCommandInput, Iam.CreateRoleCommandOutput>;
  readonly addClientIDToOpenIDConnectProvider: Call<
    Iam.AddClientIDToOpenIDConnectProviderCommandInput,
    Iam.AddClientIDToOpenIDConnectProviderCommandOutput
  >;
  readonly deleteRole: Call<Iam.DeleteRoleCommandInput, Iam.DeleteRoleCommandOutput>;
  readonly deleteRolePolicy: Call<Iam.DeleteRolePolicyCommandInput, Iam.DeleteRolePolicyCommandOutput>;
  readonly detachRolePolicy: Call<Iam.DetachRolePolicyCommandInput, Iam.DetachRolePolicyCommandOutput>;
  readonly getOpenIDConnectProvider: Call<
    Iam.GetOpenIDConnectProviderCommandInput,
    Iam.GetOpenIDConnectProviderCommandOutput
  >;
  readonly putRolePolicy: Call<Iam.PutRolePolicyCommandInput, Iam.PutRolePolicyCommandOutput>;
  readonly tagRole: Call<Iam.TagRoleCommandInput, Iam.TagRoleCommandOutput>;
  readonly updateAssumeRolePolicy: Call<
    Iam.UpdateAssumeRolePolicyCommandInput,
    Iam.UpdateAssumeRolePolicyCommandOutput
  >;
}

export interface PricingCalls {
  readonly getProducts: Call<Pricing.GetProductsCommandInput, Pricing.GetProductsCommandOutput>;
}

export interface SqsCalls {
  readonly deleteMessage: Call<Sqs.DeleteMessageCommandInput, Sqs.DeleteMessageCommandOutput>;
  readonly getQueueAttributes: Call<Sqs.GetQueueAttributesCommandInput, Sqs.GetQueueAttributesCommandOutput>;
  readonly getQueueUrl: Call<Sqs.GetQueueUrlCommandInput, Sqs.GetQueueUrlCommandOutput>;
  readonly receiveMessage: Call<Sqs.ReceiveMessageCommandInput, Sqs.ReceiveMessageCommandOutput>;
  readonly createQueue: Call<Sqs.CreateQueueCommandInput, Sqs.CreateQueueCommandOutput>;
  readonly deleteQueue: Call<Sqs.DeleteQueueCommandInput, Sqs.DeleteQueueCommandOutput>;
  readonly setQueueAttributes: Call<Sqs.SetQueueAttributesCommandInput, Sqs.SetQueueAttributesCommandOutput>;
}

export interface EventsCalls {
  readonly deleteRule: Call<EventBridge.DeleteRuleCommandInput, EventBridge.DeleteRuleCommandOutput>;
  readonly describeRule: Call<EventBridge.DescribeRuleCommandInput, EventBridge.DescribeRuleCommandOutput>;
  readonly listRuleNamesByTarget: Call<
    EventBridge.ListRuleNamesByTargetCommandInput,
    EventBridge.ListRuleNamesByTargetCommandOutput
  >;
  readonly listTargetsByRule: Call<
    EventBridge.ListTargetsByRuleCommandInput,
    EventBridge.ListTargetsByRuleCommandOutput
  >;
  readonly putRule: Call<EventBridge.PutRuleCommandInput, EventBridge.PutRuleCommandOutput>;
  readonly putTargets: Call<EventBridge.PutTargetsCommandInput, EventBridge.PutTargetsCommandOutput>;
  readonly removeTargets: Call<EventBridge.RemoveTargetsCommandInput, EventBridge.RemoveTargetsCommandOutput>;
}

export interface KmsCalls {
  readonly describeKey: Call<KeyInput, DescribeKeyOutput>;
  readonly getKeyPolicy: Call<KeyPolicyInput, GetKeyPolicyOutput>;
}

export interface ServiceQuotasCalls {
  readonly getServiceQuota: Call<QuotaInput, GetServiceQuotaOutput>;
}

export interface SsmCalls {
  readonly getParameter: Call<Ssm.GetParameterCommandInput, Ssm.GetParameterCommandOutput>;
}

export interface StsCalls {
  readonly getCallerIdentity: Call<Sts.GetCallerIdentityCommandInput, Sts.GetCallerIdentityCommandOutput>;
}

export interface ArcZonalShiftCalls {
  readonly getManagedResource: Call<GetManagedResourceInput, GetManagedResourceOutput>;
}
