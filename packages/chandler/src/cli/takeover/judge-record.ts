/** Whether the record of a takeover still is true, and the finding about one that is not. */
import { keyOfDeployment, nameOf, replicasOf } from './deployments.ts';
import type { Finding } from './findings.table.ts';
import { isChandler } from './lease-watch.ts';
import type { Picture } from './picture.ts';
import { holds, recordOf, type TakeoverRecord } from './record.ts';

/** Undefined where there is none, or one that is not true any more. */
export function currentRecord({ karpenterSide, lease }: Picture): TakeoverRecord | undefined {
  if (karpenterSide === undefined) return undefined;
  const { deployment } = karpenterSide;
  const record = recordOf(deployment);
  const chandlerLeads = isChandler(lease?.spec?.holderIdentity ?? '');
  return holds(record, { karpenterReplicas: replicasOf(deployment), chandlerLeads }) ? record : undefined;
}

export function judgeRecord(picture: Picture): readonly Finding[] {
  const { karpenterSide, leases } = picture;
  if (karpenterSide === undefined || leases.karpenter === undefined) return [];
  const { deployment } = karpenterSide;
  const record = recordOf(deployment);
  if (record === undefined || currentRecord(picture) !== undefined) return [];
  const replicas = replicasOf(deployment);
  const why =
    replicas > 0
      ? `has ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} again`
      : `Chandler does not hold Lease ${nameOf(leases.karpenter)}`;
  return [
    {
      code: 'RecordOutdated',
      message: `Deployment ${nameOf(keyOfDeployment(deployment))} has the record of a takeover (${record.phase}), but ${why}. A takeover starts from the beginning.`,
      fix: '',
    },
  ];
}
