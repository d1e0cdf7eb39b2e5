/** Reads a snapshot into a market, with slots only for the resources that some pod asks for. */
import type { SchedulingInput } from '../model.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { admit } from '../shapes/door.ts';
import { readMachines } from './machines.ts';
import type { Market } from './market.ts';
import { readWishes } from './placements.ts';
import { readSpare } from './spare.ts';

export function gatherMarket(given: SchedulingInput, except: ReadonlySet<string>): Market {
  const { input } = admit(given, []);
  const algebra = new Algebra();
  const resources = new Resources();
  const { placements, demands } = readWishes(algebra, resources, input.pods, except);
  const machines = readMachines(algebra, resources, input, placements);
  const spare = readSpare(algebra, resources, input, placements);
  const slots = Array.from({ length: resources.count }, (_, slot) => slot);
  const asked = slots.filter((slot) => demands.some(({ amounts }) => (amounts[slot] ?? 0) > 0));
  const only = (amounts: readonly number[]) => asked.map((slot) => amounts[slot] ?? 0);
  return {
    slotCount: asked.length,
    demands: demands.map((demand) => ({ ...demand, amounts: only(demand.amounts) })),
    machines: machines.map((machine) => ({ ...machine, room: only(machine.room) })),
    spare: spare.map((group) => ({ ...group, room: only(group.room), largest: only(group.largest) })),
  };
}
