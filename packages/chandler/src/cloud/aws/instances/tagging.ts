/**
 * The tags that an instance gets when its node name is known: its name, that of its claim, and for instances of old versions
 * that of the cluster. Only keys that it lacks: people may have changed others. The IAM policy of the controller allows no
 * other key.
 */
import { AwsAnnotation } from '../../../api/index.ts';

import { asCloudError } from '../errors/index.ts';
import { CLUSTER_NAME_TAG, NODE_CLAIM_TAG, type Tags, tagList } from '../launch/index.ts';
import type { Ec2Calls } from '../wire/index.ts';
import type { InstanceFacts } from './instance-facts.ts';

export interface InstanceTagsInput {
  readonly facts: Pick<InstanceFacts, 'tags' | 'nodeName'>;
  readonly claimName: string;
  readonly clusterName: string;
}

export const NAME_TAG = 'Name';

/** On a claim whose instance has all its tags. */
export const TAGGED_ANNOTATIONS: Readonly<Record<string, string>> = {
  [AwsAnnotation.tagged]: 'true',
  [AwsAnnotation.clusterNameTagged]: 'true',
};

/** Those that the instance lacks. */
export function missingTags({ facts, claimName, clusterName }: InstanceTagsInput): Tags {
  const wanted: Tags = {
    ...(facts.nodeName === undefined ? {} : { [NAME_TAG]: facts.nodeName }),
    [NODE_CLAIM_TAG]: claimName,
    [CLUSTER_NAME_TAG]: clusterName,
  };
  return Object.fromEntries(Object.entries(wanted).filter(([key]) => facts.tags[key] === undefined));
}

/** @throws {CloudError} */
export async function addTags(
  ec2: Pick<Ec2Calls, 'createTags'>,
  instanceId: string,
  tags: Tags,
  signal: AbortSignal,
): Promise<void> {
  if (Object.keys(tags).length === 0) return;
  try {
    await ec2.createTags({ Resources: [instanceId], Tags: tagList(tags) }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw asCloudError(error);
  }
}
