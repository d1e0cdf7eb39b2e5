/**
 * Which machine created the objects in Azure and in the cluster. A copy of its disk has the same journal, but the objects are
 * not the copy's to delete.
 */

import type { Host } from '../host/host.ts';
import { compareMachines, describeMachine, type MachineIds, readMachineIds } from '../host/machine-ids.ts';
import type { Facts, StepContext } from '../step.ts';

export const ARC_MADE_ON = 'arc.madeOn';
export const CLUSTER_MADE_ON = 'cluster.madeOn';
/** Facts, as JSON. Earlier versions did not record them. */
export type MadeOn = typeof ARC_MADE_ON | typeof CLUSTER_MADE_ON;

interface Around {
  readonly facts: Pick<Facts, 'get'>;
  readonly host: Pick<Host, 'readFile'>;
}

/** Call it before the first object is created. */
export async function noteMadeOn({ facts, host }: StepContext, fact: MadeOn): Promise<void> {
  if (facts.get(fact) !== undefined) return;
  const ids = await readMachineIds(host);
  if (Object.keys(ids).length > 0) await facts.set(fact, JSON.stringify(ids));
}

/** Why the objects are not those of this machine; `undefined` if they are, or if it is not known. */
export async function madeElsewhere({ facts, host }: Around, fact: MadeOn): Promise<string | undefined> {
  const [recorded, now] = [JSON.parse(facts.get(fact) ?? '{}') as MachineIds, await readMachineIds(host)];
  if (compareMachines(recorded, now) !== 'different') return undefined;
  return `it was created by another machine (${describeMachine(recorded)}), and this one (${describeMachine(now)}) is a copy of it`;
}

/** Whether the disk is a copy of that of another machine, to which the objects belong. */
export async function isCopy(around: Around): Promise<boolean> {
  for (const fact of MADE_ON) if ((await madeElsewhere(around, fact)) !== undefined) return true;
  return false;
}

/** Call it when this machine has taken over from the one that its disk is a copy of: from now on the objects are its own. */
export async function takeOverObjects(context: StepContext): Promise<void> {
  const ids = JSON.stringify(await readMachineIds(context.host));
  for (const fact of MADE_ON)
    if ((await madeElsewhere(context, fact)) !== undefined) await context.facts.set(fact, ids);
}

// ---------------------------------------------------------------------------------------------------

const MADE_ON: readonly MadeOn[] = [ARC_MADE_ON, CLUSTER_MADE_ON];
