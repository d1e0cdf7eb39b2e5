/**
 * Renders the user data of a plain node of the class, to find what no node of it could start with: user data that is too
 * large, or that cannot be read as what it says it is. What a node has in addition can only make it larger.
 */
import type { EC2NodeClass, ResourceList } from '../../../api/index.ts';
import {
  type AmiFamily,
  renderUserData,
  UserDataError,
  type UserDataErrorCode,
} from '../../../bootstrap/index.ts';
import { hardcoded } from '../../../settings/index.ts';
import type { AwsClusterFacts } from '../cluster/index.ts';
import { bottlerocketVersion } from '../images/index.ts';
import { kubeletExpressions } from '../instance-types/index.ts';

export type UserDataCheck =
  | { readonly problem: { readonly reason: UserDataReason; readonly message: string } }
  /** Of what has no effect. */
  | { readonly warnings: readonly string[] };

/** Reasons of the condition ValidationSucceeded. */
export type UserDataReason =
  | 'UserDataSizeLimitExceeded'
  | 'InvalidUserData'
  | 'UnsupportedKubeletConfiguration'
  | 'InvalidKubeletConfiguration'
  | 'ClusterCIDRResolutionFailed';

export function checkUserData(
  { spec, status }: Pick<EC2NodeClass, 'spec' | 'status'>,
  family: AmiFamily,
  cluster: AwsClusterFacts,
): UserDataCheck {
  try {
    const { warnings } = renderUserData({
      cluster,
      nodeClass: { family, spec, imageVersion: bottlerocketVersion(spec, status?.amis ?? []) },
      node: { ...PLAIN_NODE, ...reservedOf(spec) },
    });
    return { warnings: warnings.map(({ path, message }) => `${path}: ${message}`) };
  } catch (thrown) {
    return { problem: userDataProblem(thrown) };
  }
}

/** @throws what is no error of user data, as it is. */
export function userDataProblem(thrown: unknown): {
  readonly reason: UserDataReason;
  readonly message: string;
} {
  if (!(thrown instanceof UserDataError)) throw thrown;
  return { reason: REASONS[thrown.code], message: thrown.message };
}

// ---------------------------------------------------------------------------------------------------

const REASONS: Readonly<Record<UserDataErrorCode, UserDataReason>> = {
  userDataTooLarge: 'UserDataSizeLimitExceeded',
  malformedUserData: 'InvalidUserData',
  unsupportedKubelet: 'UnsupportedKubeletConfiguration',
  invalidValue: 'InvalidKubeletConfiguration',
  serviceCidrUnknown: 'ClusterCIDRResolutionFailed',
};

/** With a quantity in place of each expression: the size of the user data is about the same. */
function reservedOf({ kubelet }: EC2NodeClass['spec']) {
  const map = (kubelet ?? {}) as Readonly<Record<string, unknown>>;
  const expressions = kubeletExpressions(map);
  if (expressions === undefined) return {};
  const plain = (field: 'kubeReserved' | 'systemReserved') => ({
    ...(map[field] as ResourceList | undefined),
    ...Object.fromEntries(Object.keys(expressions[field]).map((key) => [key, '1000'])),
  });
  return { kubeReserved: plain('kubeReserved'), systemReserved: plain('systemReserved') };
}

const PLAIN_NODE = {
  maxPods: hardcoded(110),
  labels: hardcoded({}),
  capacityType: hardcoded('on-demand'),
  taints: hardcoded([]),
  startupTaints: hardcoded([]),
};
