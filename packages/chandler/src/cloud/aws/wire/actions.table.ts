/**
 * Every call of `AwsCalls`, as it is on the wire: whether it changes something, and how its answers look. The type refuses a call
 * that has no row.
 */
import type { AwsCalls } from './calls.ts';

export type AwsService = keyof AwsCalls;

export interface ActionRow {
  /** Changes something in the account, unless it is a dry run. */
  readonly writes: boolean;
  /** Has the parameter `ClientToken`, by which AWS recognizes a request that it has answered already. */
  readonly hasToken?: true;
  /** Success may have no body at all. */
  readonly emptyAnswer?: true;
}

const READ: ActionRow = { writes: false };
const WRITE: ActionRow = { writes: true };
const TOKEN_WRITE: ActionRow = { writes: true, hasToken: true };

export const ACTIONS: {
  readonly [Service in AwsService]: { readonly [Method in keyof AwsCalls[Service]]: ActionRow };
} = {
  'arc-zonal-shift': { getManagedResource: READ },
  ec2: {
    createFleet: TOKEN_WRITE,
    createLaunchTemplate: TOKEN_WRITE,
    createTags: WRITE,
    deleteLaunchTemplate: WRITE,
    deleteTags: WRITE,
    describeCapacityReservations: READ,
    describeImages: READ,
    describeInstances: READ,
    describeInstanceStatus: READ,
    describeInstanceTypeOfferings: READ,
    describeInstanceTypes: READ,
    describeLaunchTemplates: READ,
    describePlacementGroups: READ,
    describeRouteTables: READ,
    describeSecurityGroups: READ,
    describeSpotPriceHistory: READ,
    describeSubnets: READ,
    describeVpcEndpoints: READ,
    getConsoleOutput: READ,
    getEbsEncryptionByDefault: READ,
    rebootInstances: WRITE,
    runInstances: TOKEN_WRITE,
    terminateInstances: WRITE,
  },
  eks: {
    createAccessEntry: WRITE,
    createPodIdentityAssociation: WRITE,
    deleteAccessEntry: WRITE,
    deletePodIdentityAssociation: WRITE,
    describeAccessEntry: READ,
    describeCluster: READ,
    describePodIdentityAssociation: READ,
    listAddons: READ,
    listPodIdentityAssociations: READ,
  },
  events: {
    deleteRule: { writes: true, emptyAnswer: true },
    describeRule: READ,
    listRuleNamesByTarget: READ,
    listTargetsByRule: READ,
    putRule: WRITE,
    putTargets: WRITE,
    removeTargets: WRITE,
  },
  iam: {
    addRoleToInstanceProfile: WRITE,
    attachRolePolicy: WRITE,
    createInstanceProfile: WRITE,
    addClientIDToOpenIDConnectProvider: WRITE,
    createOpenIDConnectProvider: WRITE,
    createRole: WRITE,
    deleteInstanceProfile: WRITE,
    deleteRole: WRITE,
    deleteRolePolicy: WRITE,
    detachRolePolicy: WRITE,
    getInstanceProfile: READ,
    getOpenIDConnectProvider: READ,
    getPolicy: READ,
    getPolicyVersion: READ,
    getRole: READ,
    getRolePolicy: READ,
    listAttachedRolePolicies: READ,
    listInstanceProfiles: READ,
    listInstanceProfilesForRole: READ,
    listOpenIDConnectProviders: READ,
    listRolePolicies: READ,
    putRolePolicy: WRITE,
    removeRoleFromInstanceProfile: WRITE,
    tagInstanceProfile: WRITE,
    tagRole: WRITE,
    updateAssumeRolePolicy: WRITE,
  },
  kms: { describeKey: READ, getKeyPolicy: READ },
  pricing: { getProducts: READ },
  servicequotas: { getServiceQuota: READ },
  sqs: {
    createQueue: WRITE,
    deleteMessage: { writes: true, emptyAnswer: true },
    deleteQueue: { writes: true, emptyAnswer: true },
    getQueueAttributes: READ,
    getQueueUrl: READ,
    // It hides the messages from everybody else for a time: from the controller that is observed, or from the leader.
    receiveMessage: WRITE,
    setQueueAttributes: { writes: true, emptyAnswer: true },
  },
  ssm: { getParameter: READ },
  sts: { getCallerIdentity: READ },
};

/** `describeSubnets` on the wire: `DescribeSubnets`. */
export function actionOf(method: string): string {
  return method.charAt(0).toUpperCase() + method.slice(1);
}
