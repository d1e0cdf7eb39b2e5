/** The user data of the nodes of one launch template: gathers the input for `bootstrap/`, which renders it. */
import type { EC2NodeClass, NodeClaim, ResourceList } from '../../../api/index.ts';
import {
  type EksClusterValues,
  type RenderedUserData,
  renderUserData,
  UserDataError,
  type UserDataErrorCode,
} from '../../../bootstrap/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import { CloudError } from '../../index.ts';

import { bottlerocketVersion, imageFamily } from '../images/index.ts';
import type { CapacityTypeName } from '../launch/index.ts';

export interface NodeUserDataRequest {
  readonly cluster: EksClusterValues;
  readonly nodeClass: Pick<EC2NodeClass, 'metadata' | 'spec' | 'status'>;
  readonly claim: Pick<NodeClaim, 'metadata' | 'spec'>;
  readonly capacityType: CapacityTypeName;
  readonly maxPods: number;
  readonly kubeReserved?: ResourceList;
  readonly systemReserved?: ResourceList;
}

/** @throws {CloudError} `CreateFailed` when the class, or what is known of the cluster, does not become user data. */
export function nodeUserData(request: NodeUserDataRequest): RenderedUserData {
  const { cluster, nodeClass, claim, kubeReserved, systemReserved } = request;
  const name = nodeClass.metadata.name ?? '';
  const spec = nodeClass.spec!;
  const family = imageFamily(spec);
  if ('problem' in family) throw unusable(name, 'UnsupportedAlias', family.problem.message);
  try {
    return renderUserData({
      cluster,
      nodeClass: {
        family: family.family,
        spec,
        imageVersion: bottlerocketVersion(spec, nodeClass.status?.amis ?? []),
      },
      node: {
        maxPods: { value: request.maxPods, source: 'computed', path: 'instance type' },
        ...(kubeReserved === undefined ? {} : { kubeReserved }),
        ...(systemReserved === undefined ? {} : { systemReserved }),
        labels: ofClaim(claim.metadata.labels ?? {}, 'metadata.labels'),
        capacityType: ofClaim(request.capacityType, 'spec.requirements'),
        taints: ofClaim(claim.spec.taints ?? [], 'spec.taints'),
        startupTaints: ofClaim(claim.spec.startupTaints ?? [], 'spec.startupTaints'),
      },
    });
  } catch (error) {
    if (!(error instanceof UserDataError)) throw error;
    throw unusable(name, REASONS[error.code], error.message);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const REASONS: Readonly<Record<UserDataErrorCode, string>> = {
  userDataTooLarge: 'UserDataSizeLimitExceeded',
  malformedUserData: 'UserDataInvalid',
  unsupportedKubelet: 'UnsupportedKubeletConfiguration',
  invalidValue: 'UserDataInvalid',
  serviceCidrUnknown: 'ClusterCIDRResolutionFailed',
};

function unusable(nodeClass: string, reason: string, message: string): CloudError {
  return new CloudError('CreateFailed', `EC2NodeClass ${nodeClass}: ${message}`, {
    reason,
    advice: { retry: 'backoff' },
  });
}

function ofClaim<T>(value: T, path: string): Sourced<T> {
  return { value, source: 'computed', path: `NodeClaim ${path}` };
}
