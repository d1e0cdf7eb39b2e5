/**
 * How the instance profiles of the controller are called. The path names the owner: region, cluster and the UID of the node
 * class. The name follows from class and role alone, so an attempt that was interrupted finds the profile it created; another
 * role has another profile, since instances may still run with the one before.
 */
import { AwsLabel, KubernetesLabel, textHash } from '../../../api/index.ts';
import { CLUSTER_NAME_TAG, type Tags } from '../launch/index.ts';

export interface ProfileScope {
  readonly region: string;
  readonly clusterName: string;
}

export interface ProfileOwner {
  readonly name: string;
  readonly uid: string;
}

/** All profiles of the cluster are below it. */
export function clusterPath({ region, clusterName }: ProfileScope): string {
  return `/karpenter/${region}/${clusterName}/`;
}

export function classPath(scope: ProfileScope, uid: string): string {
  return `${clusterPath(scope)}${uid}/`;
}

/** @param role without a path. */
export function profileName(scope: ProfileScope, owner: ProfileOwner, role: string): string {
  return `${scope.clusterName}_${textHash(`${scope.region}${owner.name}${owner.uid}/${role}`)}`;
}

/** As Karpenter called the one profile of a class before version 1.7: at the path `/`. */
export function legacyProfileName({ region, clusterName }: ProfileScope, className: string): string {
  return `${clusterName}_${textHash(`${region}${className}`)}`;
}

/** The controller's IAM policy asks for all but those of the class. */
export function profileTags(scope: ProfileScope, className: string, own: Tags = {}): Tags {
  return {
    ...own,
    [`kubernetes.io/cluster/${scope.clusterName}`]: 'owned',
    [CLUSTER_NAME_TAG]: scope.clusterName,
    [AwsLabel.nodeClass]: className,
    [KubernetesLabel.region]: scope.region,
  };
}
