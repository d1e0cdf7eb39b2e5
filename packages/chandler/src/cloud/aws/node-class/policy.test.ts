/** Node classes under the IAM policy that Karpenter documents for its controller: it suffices, and each lack of it is named. */
import { controllerPolicy, withoutAction } from '@chandler/cloudsim/aws';
import { neverAborted } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { conditionOf, scene } from './node-class.fixture.ts';

const SETTINGS = {
  clusterName: 'playground',
  region: 'us-west-2',
  accountId: '123456789012',
  partition: 'aws',
  nodeRoleName: 'node',
};

test('it allows everything that a class needs, from its first status to its end', async () => {
  const at = await scene({ server: { ...SETTINGS, policies: [policy()] } });
  const { status, errors, nodeClass } = await at.settled({ tags: { team: 'a' } });
  expect(errors).toEqual([]);
  expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  // Tags of the class change: those of the profile follow.
  const edited = { ...nodeClass, spec: { ...nodeClass.spec, tags: { team: 'b' } } };
  await at.aws.world.clock.advance(16 * 60_000);
  expect((await at.reconcile(edited)).errors).toEqual([]);
  const [profile] = at.aws.server.account.instanceProfiles.values();
  expect(profile?.tags).toContainEqual({ Key: 'team', Value: 'b' });
  await at.profiles.removeOfClass({ name: 'default', uid: nodeClass.metadata.uid }, neverAborted());
  expect(at.aws.server.account.instanceProfiles.size).toBe(0);
  await at.aws.close();
});

describe('an action that is missing is named on the class', () => {
  test.each([
    ['ssm:GetParameter', 'AMIsReady'],
    ['ec2:DescribeImages', 'AMIsReady'],
    ['ec2:DescribeSubnets', 'SubnetsReady'],
    ['ec2:DescribeSecurityGroups', 'SecurityGroupsReady'],
    ['ec2:DescribeCapacityReservations', 'CapacityReservationsReady'],
    ['ec2:DescribePlacementGroups', 'PlacementGroupReady'],
    ['iam:GetInstanceProfile', 'InstanceProfileReady'],
    ['iam:CreateInstanceProfile', 'InstanceProfileReady'],
    ['iam:AddRoleToInstanceProfile', 'InstanceProfileReady'],
    ['iam:PassRole', 'InstanceProfileReady'],
    ['ec2:CreateLaunchTemplate', 'ValidationSucceeded'],
    ['ec2:CreateFleet', 'ValidationSucceeded'],
    ['ec2:RunInstances', 'ValidationSucceeded'],
  ])('%s: %s', async (action, type) => {
    const at = await scene({ server: { ...SETTINGS, policies: [withoutAction(policy(), action)] } });
    const { status } = await at.settled({
      capacityReservationSelectorTerms: [{ instanceMatchCriteria: 'open' }],
      ...(type === 'PlacementGroupReady' ? { placementGroupSelector: { name: 'hpc' } } : {}),
    });
    const condition = conditionOf(status, type);
    expect(condition?.status).not.toBe('True');
    expect(condition?.message).toContain(action);
    await at.aws.close();
  });
});

// ---------------------------------------------------------------------------------------------------

function policy() {
  return controllerPolicy({
    ...SETTINGS,
    nodeRoleArn: 'arn:aws:iam::123456789012:role/node',
    queueArn: 'arn:aws:sqs:us-west-2:123456789012:playground',
  });
}
