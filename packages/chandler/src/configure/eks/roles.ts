/** Roles of IAM with their policies: how they are read, written and removed. */
import type { AwsCalls, IamPolicy } from '../../cloud/aws/account.ts';
import { sameFields } from '../compare.ts';
import type { DesiredResource, Fields, RecordedResource } from '../resource.ts';
import { awsCall, awsRead } from './aws-error.ts';
import { desired } from './desired.ts';
import { decodedDocument, documentField } from './documents.ts';
import { CLUSTER_TAG, type RoleSetup } from './setup.ts';

type Iam = AwsCalls['iam'];

export interface RoleWanted {
  readonly key: string;
  readonly kind: string;
  readonly why: string;
  readonly role: RoleSetup;
  readonly clusterArn: string;
}

/** A role without the tag of this cluster is one of somebody else. */
export function roleResource(
  { key, kind, why, role, clusterArn }: RoleWanted,
  { iam }: AwsCalls,
): DesiredResource {
  const { name, arn, description, trust } = role;
  const RoleName = name;
  const Tags = [{ Key: CLUSTER_TAG, Value: clusterArn }];
  const may = (action: string) => ({ action: `iam:${action}`, scope: arn });
  const fields = { trust: documentField(trust), [TAG_FIELD]: clusterArn };
  return desired({ key, kind, why, name, id: arn, fields }, recordedRole(arn, iam), async (found, signal) => {
    const document = JSON.stringify(trust);
    if (found === undefined)
      return await awsCall(may('CreateRole'), () =>
        iam.createRole(
          { RoleName, AssumeRolePolicyDocument: document, Description: description, Tags },
          { signal },
        ),
      );
    if (!sameFields({ trust: found.fields['trust'] ?? '' }, { trust: fields.trust }))
      await awsCall(may('UpdateAssumeRolePolicy'), () =>
        iam.updateAssumeRolePolicy({ RoleName, PolicyDocument: document }, { signal }),
      );
    if (found.fields[TAG_FIELD] !== clusterArn)
      await awsCall(may('TagRole'), () => iam.tagRole({ RoleName, Tags }, { signal }));
    return undefined;
  });
}

export function recordedRole(arn: string, iam: Iam): RecordedResource {
  const RoleName = lastPart(arn);
  const may = (action: string) => ({ action: `iam:${action}`, scope: arn });
  return {
    async read(signal) {
      const answer = await awsRead(may('GetRole'), () => iam.getRole({ RoleName }, { signal }));
      if (answer?.Role === undefined) return undefined;
      const { Arn = arn, RoleId = '', AssumeRolePolicyDocument, Tags = [] } = answer.Role;
      const tag = Tags.find(({ Key }) => Key === CLUSTER_TAG)?.Value;
      const fields: Fields = {
        trust: decodedDocument(AssumeRolePolicyDocument),
        ...(tag === undefined ? {} : { [TAG_FIELD]: tag }),
      };
      return { id: Arn, fields, facts: { roleId: RoleId } };
    },
    async remove(signal) {
      await awsRead(may('DeleteRole'), () => iam.deleteRole({ RoleName }, { signal }));
    },
    inUse: (signal) => profilesOf(arn, iam, signal),
  };
}

/** A policy that is part of the role, and of no other. */
export function inlineResource(
  roleArn: string,
  PolicyName: string,
  policy: IamPolicy,
  { iam }: AwsCalls,
): DesiredResource {
  const id = `${roleArn}/inline/${PolicyName}`;
  const RoleName = lastPart(roleArn);
  const wanted = {
    key: `policy-${PolicyName}`,
    kind: 'role policy',
    name: `${RoleName}/${PolicyName}`,
    why: POLICY_REASONS[PolicyName] ?? 'so that the controller may do what it does, and nothing else',
    id,
    fields: { document: documentField(policy) },
  };
  return desired(wanted, recordedInline(roleArn, PolicyName, iam), (_, signal) =>
    awsCall({ action: 'iam:PutRolePolicy', scope: roleArn }, () =>
      iam.putRolePolicy({ RoleName, PolicyName, PolicyDocument: JSON.stringify(policy) }, { signal }),
    ),
  );
}

export function recordedInline(roleArn: string, PolicyName: string, iam: Iam): RecordedResource {
  const RoleName = lastPart(roleArn);
  const may = (action: string) => ({ action: `iam:${action}`, scope: roleArn });
  return {
    async read(signal) {
      const answer = await awsRead(may('GetRolePolicy'), () =>
        iam.getRolePolicy({ RoleName, PolicyName }, { signal }),
      );
      if (answer === undefined) return undefined;
      return {
        id: `${roleArn}/inline/${PolicyName}`,
        fields: { document: decodedDocument(answer.PolicyDocument) },
      };
    },
    async remove(signal) {
      await awsRead(may('DeleteRolePolicy'), () =>
        iam.deleteRolePolicy({ RoleName, PolicyName }, { signal }),
      );
    },
  };
}

/** A policy of AWS. */
export function attachmentResource(roleArn: string, PolicyArn: string, { iam }: AwsCalls): DesiredResource {
  const [RoleName, policy] = [lastPart(roleArn), lastPart(PolicyArn)];
  const wanted = {
    key: `attached-${policy}`,
    kind: 'attached policy',
    name: `${policy} of ${RoleName}`,
    why: NODE_REASONS[policy]!,
    id: `${roleArn}/attached/${PolicyArn}`,
    fields: { policy: PolicyArn },
  };
  return desired(wanted, recordedAttachment(roleArn, PolicyArn, iam), (_, signal) =>
    awsCall({ action: 'iam:AttachRolePolicy', scope: roleArn }, () =>
      iam.attachRolePolicy({ RoleName, PolicyArn }, { signal }),
    ),
  );
}

export function recordedAttachment(roleArn: string, PolicyArn: string, iam: Iam): RecordedResource {
  const RoleName = lastPart(roleArn);
  const may = (action: string) => ({ action: `iam:${action}`, scope: roleArn });
  return {
    async read(signal) {
      const found = await awsRead(may('ListAttachedRolePolicies'), async () => {
        const list = [];
        let marker: string | undefined;
        do {
          const input = { RoleName, ...(marker === undefined ? {} : { Marker: marker }) };
          const page = await iam.listAttachedRolePolicies(input, { signal });
          list.push(...(page.AttachedPolicies ?? []));
          marker = page.IsTruncated === true ? page.Marker : undefined;
        } while (marker !== undefined);
        return list.some((each) => each.PolicyArn === PolicyArn);
      });
      if (found !== true) return undefined;
      return { id: `${roleArn}/attached/${PolicyArn}`, fields: { policy: PolicyArn } };
    },
    inUse: (signal) => profilesOf(roleArn, iam, signal),
    async remove(signal) {
      await awsRead(may('DetachRolePolicy'), () => iam.detachRolePolicy({ RoleName, PolicyArn }, { signal }));
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

const TAG_FIELD = `tag ${CLUSTER_TAG}`;

const POLICY_REASONS: Readonly<Record<string, string>> = {
  NodeLifecycle: 'so that the controller can launch and terminate instances of this cluster',
  IAMIntegration: 'so that the controller can give the node role to instances',
  EKSIntegration: 'so that the controller can read the endpoint of the cluster',
  Interruption: 'so that the controller can read the queue',
  ZonalShift: 'so that the controller can see zonal shifts of the cluster',
  ResourceDiscovery: 'so that the controller can read instance types, prices, images and the network',
  Chandler: 'so that the controller can reboot instances of this cluster',
};

const NODE_REASONS: Readonly<Record<string, string>> = {
  AmazonEKSWorkerNodePolicy: 'so that nodes can read the cluster',
  AmazonEKS_CNI_Policy: 'so that the network plugin can give addresses to pods',
  AmazonEC2ContainerRegistryPullOnly: 'so that nodes can pull images',
  AmazonSSMManagedInstanceCore: 'so that people can open a session on a node',
};

function lastPart(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

/** What nodes of a role lose when it, or what it is allowed, goes. */
export async function profilesOf(
  roleArn: string,
  iam: Iam,
  signal: AbortSignal,
): Promise<string | undefined> {
  const may = { action: 'iam:ListInstanceProfilesForRole', scope: roleArn };
  const answer = await awsRead(may, () =>
    iam.listInstanceProfilesForRole({ RoleName: lastPart(roleArn) }, { signal }),
  );
  const names = (answer?.InstanceProfiles ?? []).map((profile) => profile.InstanceProfileName);
  if (names.length === 0) return undefined;
  return `instance profiles have the role (${names.join(', ')}), and so nodes may; delete the EC2NodeClasses or these profiles, and run --undo again`;
}
