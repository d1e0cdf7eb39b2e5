/** The record with which a sequence begins. */
import { type Deployment, LEASES, type Stored } from '@chandler/kube';
import { Failure } from '../verb.ts';
import { nameOf, replicasOf } from './deployments.ts';
import { observes } from './observe-flag.ts';
import { recordOf, type TakeoverRecord } from './record.ts';
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

/** @throws {Failure} when it is not known to how many replicas Karpenter goes back. */
export function recordForBack(
  { karpenter, karpenterReplicas }: SequenceOptions,
  deployment: Stored<Deployment>,
  fresh: TakeoverRecord,
): TakeoverRecord {
  const known = recordOf(deployment);
  const replicas = karpenterReplicas ?? known?.karpenterReplicas ?? replicasOf(deployment);
  if (known === undefined && replicas === 0)
    throw new Failure(
      `Deployment ${nameOf(karpenter)} has 0 replicas and no record of how many it had; name them with --karpenter-replicas`,
    );
  return { ...(known ?? fresh), karpenterReplicas: replicas, phase: 'returning', run: fresh.run };
}
