/**
 * Which machine created the objects in Azure and in the cluster. A copy of its disk has the same journal, but the objects are
 * not the copy's to delete.
 */
import { compareMachines, describeMachine, type MachineIds, readMachineIds } from '../host/machine-ids.ts';
import type { StepContext } from '../step.ts';

/** Facts, as JSON. Earlier versions did not record them. */
export type MadeOn = 'arc.madeOn' | 'cluster.madeOn';

/** Call it before the first object is created. */
export async function noteMadeOn({ facts, host }: StepContext, fact: MadeOn): Promise<void> {
  if (facts.get(fact) !== undefined) return;
  const ids = await readMachineIds(host);
  if (Object.keys(ids).length > 0) await facts.set(fact, JSON.stringify(ids));
}

/** Why the objects are not those of this machine; `undefined` if they are, or if it is not known. */
export async function madeElsewhere(context: StepContext, fact: MadeOn): Promise<string | undefined> {
  const [recorded, now] = [
    JSON.parse(context.facts.get(fact) ?? '{}') as MachineIds,
    await readMachineIds(context.host),
  ];
  if (compareMachines(recorded, now) !== 'different') return undefined;
  return `it was created by another machine (${describeMachine(recorded)}), and this one (${describeMachine(now)}) is a copy of it`;
}
