/** The tag by which node classes find subnets and security groups: how it is read, written and removed. */
import type { AwsCalls } from '../../cloud/aws/account.ts';
import type { DesiredResource, RecordedResource } from '../resource.ts';
import { awsCall, awsRead } from './aws-error.ts';
import { desired } from './desired.ts';
import { DISCOVERY_TAG } from './discovery-tag.ts';
import type { TaggedResource } from './setup.ts';

export function tagResource(
  { type, id, arn }: TaggedResource,
  clusterName: string,
  { ec2 }: AwsCalls,
): DesiredResource {
  const wanted = {
    key: `tag-${id}`,
    kind: 'tag',
    name: `${DISCOVERY_TAG} of ${id}`,
    why: `so that node classes find the ${type === 'subnet' ? 'subnet' : 'security group'} by it`,
    id: `${arn}/tags/${DISCOVERY_TAG}`,
    fields: { value: clusterName },
    isOverwrittenByFiles: true,
  };
  return desired(wanted, recordedTag(arn, DISCOVERY_TAG, ec2), (_, signal) =>
    awsCall({ action: 'ec2:CreateTags', scope: arn }, () =>
      ec2.createTags({ Resources: [id], Tags: [{ Key: DISCOVERY_TAG, Value: clusterName }] }, { signal }),
    ),
  );
}

export function recordedTag(arn: string, key: string, ec2: AwsCalls['ec2']): RecordedResource {
  const value = async (signal: AbortSignal) =>
    (await tagsOf(arn, ec2, signal)).find(({ Key }) => Key === key)?.Value;
  return {
    async read(signal) {
      const found = await value(signal);
      return found === undefined ? undefined : { id: `${arn}/tags/${key}`, fields: { value: found } };
    },
    async remove(signal) {
      const Value = await value(signal);
      if (Value === undefined) return;
      await awsRead({ action: 'ec2:DeleteTags', scope: arn }, () =>
        // With its value: a tag that somebody changes now is not deleted.
        ec2.deleteTags({ Resources: [idOf(arn)], Tags: [{ Key: key, Value }] }, { signal }),
      );
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

function idOf(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

/** None, if it does not exist any more. */
async function tagsOf(arn: string, ec2: AwsCalls['ec2'], signal: AbortSignal) {
  if (arn.includes(':subnet/')) {
    const answer = await awsRead({ action: 'ec2:DescribeSubnets', scope: arn }, () =>
      ec2.describeSubnets({ SubnetIds: [idOf(arn)] }, { signal }),
    );
    return answer?.Subnets?.[0]?.Tags ?? [];
  }
  const answer = await awsRead({ action: 'ec2:DescribeSecurityGroups', scope: arn }, () =>
    ec2.describeSecurityGroups({ GroupIds: [idOf(arn)] }, { signal }),
  );
  return answer?.SecurityGroups?.[0]?.Tags ?? [];
}
