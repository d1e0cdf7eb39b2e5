/** How each condition of an EC2NodeClass gets each of its reasons, with the cure in its message. */
import { NODE_GROUP_ID, type TestAws } from '@chandler/cloudsim/aws/testing';
import { describe, expect, test } from 'vitest';
import { CONDITIONS, type EC2NodeClassSpec, knownReason } from '../../../api/index.ts';
import { hardcoded } from '../../../settings/index.ts';
import { CloudError } from '../../index.ts';
import { AwsError } from '../errors/index.ts';
import { conditionOf, type Scene, scene } from './node-class.fixture.ts';

interface Case {
  readonly type: string;
  readonly reason: string;
  readonly status?: 'False' | 'Unknown';
  readonly spec?: Partial<EC2NodeClassSpec>;
  readonly given?: (at: Scene) => void;
  /** What the message says. */
  readonly says: RegExp;
}

const forbid = (action: string) => (at: Scene) =>
  void at.aws.server.faults.add(`forbidden@operation=${action}`);

const CASES: readonly Case[] = [
  {
    type: 'AMIsReady',
    reason: 'AMINotFound',
    spec: { amiFamily: 'AL2023', amiSelectorTerms: [{ tags: { no: 'such' } }] },
    says: /check the ids, names, tags and owners/,
  },
  {
    type: 'AMIsReady',
    reason: 'UnsupportedAlias',
    spec: { amiSelectorTerms: [{ alias: 'al2@latest' }] },
    says: /no AL2 images for Kubernetes 1\.33 and later; use al2023@latest/,
  },
  {
    type: 'AMIsReady',
    reason: 'InvalidAlias',
    spec: { amiSelectorTerms: [{ alias: 'al2023@v1@x' }] },
    says: /has two versions; write al2023@v1/,
  },
  {
    type: 'AMIsReady',
    reason: 'UnsupportedArchitecture',
    spec: { amiFamily: 'Custom', amiSelectorTerms: [{ id: 'ami-0old' }] },
    given: ({ aws }) => addImage(aws, 'ami-0old', 'i386'),
    says: /ami-0old \(i386\); select images for x86_64 or arm64/,
  },
  {
    type: 'AMIsReady',
    status: 'Unknown',
    reason: 'ResolutionFailed',
    given: forbid('DescribeImages'),
    says: /ec2:DescribeImages/,
  },
  {
    type: 'SubnetsReady',
    reason: 'SubnetsNotFound',
    spec: { subnetSelectorTerms: [{ id: 'subnet-0dead' }] },
    says: /check the ids and tags of spec\.subnetSelectorTerms/,
  },
  {
    type: 'SecurityGroupsReady',
    reason: 'SecurityGroupsNotFound',
    spec: { securityGroupSelectorTerms: [{ name: 'none' }] },
    says: /not the tag Name/,
  },
  {
    type: 'SecurityGroupsReady',
    reason: 'TooManySecurityGroups',
    spec: { securityGroupSelectorTerms: [{ tags: {} }] },
    given: ({ aws }) => addGroups(aws, 20),
    says: /matches 22 security groups.*16 at most.*select fewer/,
  },
  {
    type: 'InstanceProfileReady',
    reason: 'RoleInvalid',
    spec: { role: 'arn:aws:iam::123456789012:role/node' },
    says: /is an ARN; write its name, which is node/,
  },
  {
    type: 'InstanceProfileReady',
    reason: 'RoleNotFound',
    spec: { role: '/team/nobody' },
    says: /no role named nobody/,
  },
  {
    type: 'InstanceProfileReady',
    reason: 'InstanceProfileInvalid',
    spec: { instanceProfile: 'arn:aws:iam::123456789012:instance-profile/nodes' },
    says: /is an ARN; write its name, which is nodes/,
  },
  {
    type: 'InstanceProfileReady',
    reason: 'InstanceProfileNameTaken',
    given: ({ profiles }) => answerEnsure(profiles, 'InstanceProfileNameTaken'),
    says: /taken/,
  },
  {
    type: 'InstanceProfileReady',
    reason: 'InstanceProfileQuotaExceeded',
    given: ({ profiles }) => answerEnsure(profiles, 'InstanceProfileQuotaExceeded'),
    says: /taken/,
  },
  {
    type: 'InstanceProfileReady',
    status: 'Unknown',
    reason: 'InstanceProfilePropagating',
    given: (at) => {
      at.dryRunDisabled = true;
      const { ensure } = at.profiles;
      at.profiles.ensure = async (...all) => {
        const answer = await ensure.apply(at.profiles, all);
        return 'name' in answer ? { ...answer, usableAtMs: at.aws.world.clock.now() + 1 } : answer;
      };
    },
    says: /was just created/,
  },
  {
    type: 'PlacementGroupReady',
    reason: 'PlacementGroupNotFound',
    spec: { placementGroupSelector: { name: 'none' } },
    says: /"none" not found: create it/,
  },
  {
    type: 'PlacementGroupReady',
    reason: 'PlacementGroupResolutionFailed',
    spec: { placementGroupSelector: { name: 'none' } },
    given: forbid('DescribePlacementGroups'),
    says: /Failed to resolve placement group.*ec2:DescribePlacementGroups/s,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'ClusterCIDRResolutionFailed',
    given: (at) => {
      const message = 'may not be read; allow the controller eks:DescribeCluster';
      at.facts = {
        ...at.facts,
        serviceCidr: hardcoded(''),
        serviceCidrProblem: { code: 'Denied', message },
      };
    },
    says: /Failed to detect the cluster CIDR.*allow the controller eks:DescribeCluster/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'InvalidKubeletConfiguration',
    spec: { kubelet: { maxPdos: 20, registerWithTaints: [] } as never },
    says: /maxPdos.*; .*registerWithTaints/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'KubeletExpressionsDisabled',
    spec: { kubelet: { maxPods: 'min(vcpus * 10, 110)' } },
    says: /spec\.kubelet\.maxPods/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'KubeletExpressionInvalid',
    spec: { kubelet: { maxPods: 'vcpus +', kubeReserved: { cpu: 'cores * 10' } } },
    given: (at) => {
      at.expressionProblem = () => undefined;
    },
    says: /spec\.kubelet\.maxPods: "vcpus \+" is no valid expression.*; spec\.kubelet\.kubeReserved\.cpu: .*cores/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'KubeletExpressionEvaluationFailed',
    spec: { kubelet: { maxPods: '110 / (vcpus - 2)' } },
    given: (at) => {
      at.expressionProblem = () => 'spec.kubelet.maxPods: division by zero, for m5.large';
    },
    says: /division by zero, for m5\.large/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'UnsupportedKubeletConfiguration',
    spec: {
      amiSelectorTerms: [{ alias: 'bottlerocket@latest' }],
      kubelet: { podsPerCore: 2 },
    },
    says: /podsPerCore: is not supported by the AMI family Bottlerocket/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'DependenciesNotReady',
    spec: { subnetSelectorTerms: [{ id: 'subnet-0dead' }] },
    says: /Awaiting .*: SubnetsReady$/,
  },
  {
    type: 'ValidationSucceeded',
    status: 'Unknown',
    reason: 'DependenciesNotReady',
    given: forbid('DescribeSubnets'),
    says: /Awaiting .*: SubnetsReady$/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'TagValidationFailed',
    spec: { tags: { 'kubernetes.io/cluster/mine': 'owned' } },
    says: /remove kubernetes\.io\/cluster\/mine from spec\.tags/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'SecurityGroupSubnetVPCMismatch',
    spec: { securityGroupSelectorTerms: [{ id: NODE_GROUP_ID }] },
    given: ({ aws }) => {
      aws.server.account.securityGroups.get(NODE_GROUP_ID)!.VpcId = 'vpc-other';
    },
    says: /select both from one VPC/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'InvalidUserData',
    spec: { userData: 'MIME-Version: 1.0\nContent-Type: multipart/mixed\n\nno boundary' },
    says: /spec\.userData/,
  },
  {
    type: 'ValidationSucceeded',
    reason: 'UserDataSizeLimitExceeded',
    spec: { userData: `#!/bin/bash\n# ${'x'.repeat(16_384)}` },
    says: /the limit of EC2 is 16384: shorten it/,
  },
  ...['CreateLaunchTemplate', 'CreateFleet', 'RunInstances'].map((action) => ({
    type: 'ValidationSucceeded',
    reason: `${action}AuthCheckFailed`,
    given: forbid(action),
    says: new RegExp(`ec2:${action}`),
  })),
  {
    type: 'ValidationSucceeded',
    reason: 'InstanceProfileNotFound',
    spec: { instanceProfile: 'nobodys' },
    says: /the instance profile does not exist/,
  },
  {
    type: 'ValidationSucceeded',
    status: 'Unknown',
    reason: 'ResolutionFailed',
    given: (at) => {
      at.factsError = new CloudError('Unreachable', 'EKS does not answer');
    },
    says: /EKS does not answer/,
  },
  {
    type: 'ValidationSucceeded',
    status: 'Unknown',
    reason: 'DryRunFailed',
    given: ({ calls }) => {
      (calls.ec2 as { createFleet: unknown }).createFleet = async () => {
        throw new AwsError({ code: 'InvalidParameterValue', message: 'something new', status: 400 });
      };
    },
    says: /something new/,
  },
];

/** Of every condition. */
const ELSEWHERE = ['AwaitingReconciliation', 'ProgramError'];

describe('reasons', () => {
  test.each(CASES)(
    '$type: $reason $status',
    async ({ type, reason, status = 'False', spec, given, says }) => {
      const at = await scene();
      given?.(at);
      const found = await at.settled(spec);
      expect(conditionOf(found.status, type)).toMatchObject({
        status,
        reason,
        message: expect.stringMatching(says),
      });
      expect(conditionOf(found.status, 'Ready')?.status).not.toBe('True');
      for (const each of found.status.conditions ?? [])
        expect([
          each.type,
          each.reason,
          knownReason('EC2NodeClass', each.type, each.status, each.reason ?? ''),
        ]).toEqual([each.type, each.reason, true]);
      await at.aws.close();
    },
  );

  test('there is a case for each of them', () => {
    const reached = new Set(CASES.map(({ type, reason, status = 'False' }) => `${type} ${status} ${reason}`));
    // What every condition about an answer of AWS has in common is shown for one here, and for all in status.test.ts.
    const common = (type: string, status: string, reason: string) =>
      status === 'Unknown' && reason === 'ResolutionFailed' && type !== 'ValidationSucceeded';
    const missing = CONDITIONS.EC2NodeClass.rows
      .filter(({ type }) => type !== 'Ready')
      .flatMap(({ type, reasons }) =>
        (['False', 'Unknown'] as const).flatMap((status) =>
          (reasons[status] ?? []).map((reason) => ({ type, status, reason })),
        ),
      )
      .filter(({ type, status, reason }) => !common(type, status, reason) && !ELSEWHERE.includes(reason))
      .map(({ type, status, reason }) => `${type} ${status} ${reason}`)
      .filter((each) => !reached.has(each));
    expect(missing).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------------

function addImage(aws: TestAws, ImageId: string, Architecture: string): void {
  aws.server.account.images.set(ImageId, {
    ImageId,
    Name: ImageId,
    State: 'available',
    Architecture: Architecture as never,
    CreationDate: '2025-01-01T00:00:00.000Z',
    OwnerId: aws.server.settings.accountId,
  });
}

function addGroups(aws: TestAws, count: number): void {
  const { securityGroups } = aws.server.account;
  const some = securityGroups.get(NODE_GROUP_ID)!;
  for (let index = 0; index < count; index += 1) {
    const GroupId = `sg-0d${String(index).padStart(15, '0')}`;
    securityGroups.set(GroupId, { ...some, GroupId, GroupName: GroupId });
  }
}

function answerEnsure(
  profiles: Scene['profiles'],
  reason: 'InstanceProfileNameTaken' | 'InstanceProfileQuotaExceeded',
): void {
  profiles.ensure = async () => ({ problem: { reason, message: 'taken' } });
}
