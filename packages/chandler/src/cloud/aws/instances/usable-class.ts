/** Whether nodes may be launched from a class now, by Karpenter's rules, and what of its status a launch needs. */
import type { Stored } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

/** @throws {CloudError} with the reason for the claim. */
export function assertUsable({ metadata, status }: Stored<EC2NodeClass>): void {
  const { name, generation } = metadata;
  if (metadata.deletionTimestamp !== undefined)
    throw new CloudError('InsufficientCapacity', `EC2NodeClass ${name} is being deleted`);
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  if (ready?.status === 'False') {
    throw new CloudError(
      'NodeClassNotReady',
      `EC2NodeClass ${name} is not Ready: ${ready.reason ?? ''} ${ready.message ?? ''}`.trim(),
    );
  }
  if (ready?.status !== 'True') {
    throw new CloudError('NodeClassNotReady', `whether EC2NodeClass ${name} is Ready is not known yet`, {
      reason: 'NodeClassReadinessUnknown',
    });
  }
  if (ready.observedGeneration !== undefined && ready.observedGeneration !== (generation ?? 0)) {
    throw new CloudError(
      'NodeClassNotReady',
      `EC2NodeClass ${name} is Ready for generation ${ready.observedGeneration}, but its spec has generation ${generation ?? 0}`,
      { reason: 'NodeClassReadinessUnknown' },
    );
  }
}

/** @throws {CloudError} without one. */
export function instanceProfileOf({ metadata, status }: Stored<EC2NodeClass>): string {
  const profile = status?.instanceProfile;
  if (profile !== undefined && profile !== '') return profile;
  throw new CloudError(
    'NodeClassNotReady',
    `EC2NodeClass ${metadata.name} has no instance profile in its status; see its condition InstanceProfileReady`,
    { reason: 'InstanceProfileNotReady' },
  );
}
