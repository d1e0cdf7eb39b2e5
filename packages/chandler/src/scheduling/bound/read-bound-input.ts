/**
 * Reads a snapshot into the input of the bound, with slots only for the resources that some pod requests.
 */
import { Kept } from '../engine/kept.ts';
import type { SchedulingInput } from '../model.ts';
import { Algebra } from '../requirements/algebra.ts';
import { Resources } from '../resources.ts';
import { admit } from '../shapes/validate-input.ts';
import type { BoundInput } from './bound-input.ts';
import { readFreeCapacity } from './free-capacity.ts';
import { readNewNodes } from './new-nodes.ts';
import { readDemands } from './placements.ts';

export function readBoundInput(given: SchedulingInput, except: ReadonlySet<string>): BoundInput {
  const { input } = admit(given, new Kept(), []);
  const algebra = new Algebra();
  const resources = new Resources();
  const { placements, demands } = readDemands(algebra, resources, input.pods, except);
  const newNodes = readNewNodes(algebra, resources, input, placements);
  const freeCapacity = readFreeCapacity(algebra, resources, input, placements);
  const slots = Array.from({ length: resources.count }, (_, slot) => slot);
  const asked = slots.filter((slot) => demands.some(({ amounts }) => (amounts[slot] ?? 0) > 0));
  const only = (amounts: readonly number[]) => asked.map((slot) => amounts[slot] ?? 0);
  return {
    slotCount: asked.length,
    demands: demands.map((demand) => ({ ...demand, amounts: only(demand.amounts) })),
    newNodes: newNodes.map((newNode) => ({ ...newNode, room: only(newNode.room) })),
    freeCapacity: freeCapacity.map((group) => ({
      ...group,
      room: only(group.room),
      largest: only(group.largest),
    })),
  };
}
