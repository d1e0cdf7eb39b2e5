/** The tags of what a launch creates. The controller finds its resources by them, and its IAM policy requires them. */
import { AwsLabel, KARPENTER_GROUP, KarpenterLabel } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import type { Tag, TagSpecification } from './ec2-shapes.ts';

export const CLUSTER_NAME_TAG = 'eks:eks-cluster-name';
export const NODE_CLAIM_TAG = `${KARPENTER_GROUP}/nodeclaim`;
/** Of the instances of one CreateFleet: its client token. So they are found when the answer was lost. */
export const LAUNCH_TOKEN_TAG = 'chandler.sh/launch-token';

export interface LaunchTagsInput {
  readonly clusterName: string;
  /** Empty for claims that people made by hand. */
  readonly nodePool: string;
  readonly nodeClass: string;
  /** `spec.tags` of the node class. */
  readonly own?: Readonly<Record<string, string>> | undefined;
}

/** @throws {CloudError} `TagValidationFailed` for tags that only the controller may set. */
export function launchTags({ clusterName, nodePool, nodeClass, own = {} }: LaunchTagsInput): Tags {
  const restricted = restrictedTags(own);
  if (restricted.length > 0) {
    throw new CloudError(
      'NodeClassNotReady',
      `EC2NodeClass ${nodeClass}: remove ${restricted.join(', ')} from spec.tags; the controller sets these tags`,
      { reason: 'TagValidationFailed' },
    );
  }
  return {
    ...own,
    [`${CLUSTER_TAG_PREFIX}/${clusterName}`]: 'owned',
    [KarpenterLabel.nodePool]: nodePool,
    [CLUSTER_NAME_TAG]: clusterName,
    [AwsLabel.nodeClass]: nodeClass,
  };
}

/** Keys that a node class may not set, sorted. */
export function restrictedTags(tags: Tags): readonly string[] {
  return Object.keys(tags)
    .filter((key) => key.startsWith(CLUSTER_TAG_PREFIX) || RESTRICTED.has(key))
    .sort();
}

/** One specification per resource type, each with all tags in the order of their keys. */
export function tagSpecifications(
  types: readonly TagSpecification['ResourceType'][],
  tags: Tags,
): TagSpecification[] {
  return types.map((ResourceType) => ({ ResourceType, Tags: tagList(tags) }));
}

export function tagList(tags: Tags): Tag[] {
  return Object.keys(tags)
    .sort()
    .map((Key) => ({ Key, Value: tags[Key]! }));
}

export type Tags = Readonly<Record<string, string>>;

// ---------------------------------------------------------------------------------------------------------------

const CLUSTER_TAG_PREFIX = 'kubernetes.io/cluster';
const RESTRICTED: ReadonlySet<string> = new Set([
  CLUSTER_NAME_TAG,
  KarpenterLabel.nodePool,
  NODE_CLAIM_TAG,
  AwsLabel.nodeClass,
]);
