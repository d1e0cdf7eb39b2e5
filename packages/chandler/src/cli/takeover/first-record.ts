/** The record with which a sequence begins. */
import { type Deployment, LEASES, type Stored } from '@chandler/kube';
import { observes } from '../../settings/index.ts';
import { Failure } from '../verb.ts';
import { nameOf, replicasOf } from './deployments.ts';
import { holds, recordOf, type TakeoverRecord } from './record.ts';
import type { SequenceOptions } from './sequence-options.ts';

/** Where there is none yet. The replicas of Karpenter are added when its Deployment is written. */
export async function firstRecord(
  { client, lease, world, signal }: SequenceOptions,
  run: string,
  chandler: Stored<Deployment>,
): Promise<TakeoverRecord> {
  // The leader writes this time: the clock of the machine that runs this command may be wrong.
  const held = (await client.find(LEASES, lease, { signal }))?.spec;
  const renewTime = (held?.holderIdentity ?? '') === '' ? undefined : held?.renewTime;
  return {
    phase: 'starting',
    run,
    since: renewTime ?? new Date(world.clock.now()).toISOString(),
    karpenterReplicas: 0,
    chandlerReplicas: replicasOf(chandler),
    observed: observes(chandler.spec.template.spec.containers),
  };
}

/** What is known from an earlier run counts as long as the cluster is as that one left it. */
export function recordForStart(
  deployment: Stored<Deployment>,
  fresh: TakeoverRecord,
  chandlerLeads: boolean,
): TakeoverRecord {
  const before = recordOf(deployment);
  const karpenterReplicas = replicasOf(deployment);
  const isCurrent = holds(before, { karpenterReplicas, chandlerLeads });
  const known = before !== undefined && (isCurrent || karpenterReplicas === 0) ? before : fresh;
  return {
    ...known,
    run: fresh.run,
    phase: isCurrent && before?.phase === 'takenOver' ? 'takenOver' : 'starting',
    // Karpenter has led since a hand-over that was not finished: what drifted meanwhile is none of ours.
    since: isCurrent && before?.phase !== 'returning' ? known.since : fresh.since,
    karpenterReplicas: known.karpenterReplicas || karpenterReplicas,
  };
}

/** @throws {Failure} when it is not known to how many replicas Karpenter goes back. */
export function recordForBack(
  { karpenter, karpenterReplicas }: SequenceOptions,
  deployment: Stored<Deployment>,
  { fresh, mayStayStopped }: { readonly fresh: TakeoverRecord; readonly mayStayStopped: boolean },
): TakeoverRecord {
  const known = recordOf(deployment) ?? fresh;
  const replicas = karpenterReplicas ?? (known.karpenterReplicas || replicasOf(deployment));
  if (replicas === 0 && !mayStayStopped)
    throw new Failure(
      `Deployment ${nameOf(karpenter)} has 0 replicas, and nothing recorded how many it had while it ran; name them with --karpenter-replicas`,
    );
  return { ...known, karpenterReplicas: replicas, phase: 'returning', run: fresh.run };
}
