/** Reads a snapshot into a market. Nothing is decided here. */
import type { SchedulingInput } from '../model.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { readMachines } from './machines.ts';
import type { Market } from './market.ts';
import { readWishes } from './placements.ts';
import { readSpare } from './spare.ts';

export function gatherMarket(input: SchedulingInput, except: ReadonlySet<string>): Market {
  const algebra = new Algebra();
  const resources = new Resources();
  const { placements, demands } = readWishes(algebra, resources, input.pods, except);
  const machines = readMachines(algebra, resources, input, placements);
  const spare = readSpare(algebra, resources, input, placements);
  return { slotCount: resources.count, demands, machines, spare };
}
