/** The controllers of EC2NodeClasses and of what belongs to them, made from the parts that know how to do it. */
import type { Controller } from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';
import type { AwsClusterReader } from '../cluster/index.ts';
import type { ImageReader } from '../images/index.ts';
import type { InstanceProfiles } from '../instance-profiles/index.ts';
import { instanceProfileGc, type ProfileGcParts } from './instance-profile-gc.ts';
import { type NodeClassParts, nodeClass } from './node-class.ts';
import { nodeClassHash } from './node-class-hash.ts';
import { ssmInvalidation } from './ssm-invalidation.ts';

export interface NodeClassControllerParts extends NodeClassParts, ProfileGcParts {
  readonly cluster: AwsClusterReader;
  readonly images: Pick<ImageReader, 'dropOutdated'>;
  readonly profiles: Pick<InstanceProfiles, 'removeOfClass' | 'listOfCluster' | 'remove'>;
}

export function nodeClassControllers(
  context: CloudControllerContext,
  parts: NodeClassControllerParts,
): readonly Controller[] {
  return [
    nodeClass(context, parts),
    nodeClassHash(context, parts.cluster),
    instanceProfileGc(context, parts),
    ssmInvalidation(context, parts.images),
  ];
}
