/**
 * The linear program of the bound: how many machines of each offer, and which part of each demand goes to
 * which offer or to spare room. Every demand is met; no resource is used beyond what the bought machines
 * and the spare room have in sum; no reservation beyond its size.
 */
import { hasBit } from '../bits.ts';
import type { LinearProgram } from './highs.ts';
import { type Demand, fits, type Spare } from './market.ts';
import type { Offer } from './reduce.ts';

export function buildProgram(
  demands: readonly Demand[],
  offers: readonly Offer[],
  spare: readonly Spare[],
  slotCount: number,
): LinearProgram {
  const scale = scales(demands, slotCount);
  const builder = new ProgramBuilder();
  const met = demands.map((demand) => builder.row(demand.count, Infinity));
  const reservations = reservationRows(builder, offers);
  const ship = (demand: number, roomRows: readonly number[]) => {
    const entries: Entry[] = [[met[demand]!, 1]];
    demands[demand]!.amounts.forEach((amount, slot) => {
      if (amount > 0) entries.push([roomRows[slot]!, amount / scale[slot]!]);
    });
    builder.column(0, entries);
  };

  for (const { machine, takes } of offers) {
    const rows = scale.map(() => builder.row(-Infinity, 0));
    const bought: Entry[] = rows.map((row, slot) => [row, -(machine.room[slot] ?? 0) / scale[slot]!]);
    if (machine.reservation !== undefined) bought.push([reservations.get(machine.reservation.id)!, 1]);
    builder.column(machine.price, bought);
    for (let demand = 0; demand < demands.length; demand++) if (hasBit(takes, demand)) ship(demand, rows);
  }
  for (const { room, largest, serves } of spare) {
    const rows = scale.map((unit, slot) => builder.row(-Infinity, Math.max(0, room[slot] ?? 0) / unit));
    demands.forEach((demand, index) => {
      if (hasBit(serves, demand.placement) && fits(demand.amounts, largest)) ship(index, rows);
    });
  }
  return builder.program;
}

// ---------------------------------------------------------------------------------------------------------------

type Entry = readonly [row: number, value: number];

class ProgramBuilder {
  readonly program = {
    cost: [] as number[],
    rowLower: [] as number[],
    rowUpper: [] as number[],
    starts: [0],
    rows: [] as number[],
    values: [] as number[],
  };

  row(lower: number, upper: number): number {
    this.program.rowLower.push(lower);
    this.program.rowUpper.push(upper);
    return this.program.rowLower.length - 1;
  }

  column(cost: number, entries: readonly Entry[]): void {
    this.program.cost.push(cost);
    for (const [row, value] of entries) {
      if (value === 0) continue;
      this.program.rows.push(row);
      this.program.values.push(value);
    }
    this.program.starts.push(this.program.rows.length);
  }
}

function reservationRows(builder: ProgramBuilder, offers: readonly Offer[]): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { machine } of offers) {
    if (machine.reservation === undefined) continue;
    const { id, capacity } = machine.reservation;
    sizes.set(id, Math.max(sizes.get(id) ?? 0, capacity));
  }
  return new Map([...sizes].map(([id, capacity]) => [id, builder.row(-Infinity, capacity)]));
}

/** Amounts near one keep the solver exact: each resource is counted in units of its average demand. */
function scales(demands: readonly Demand[], slotCount: number): number[] {
  return Array.from({ length: slotCount }, (_, slot) => {
    const asking = demands.filter((demand) => (demand.amounts[slot] ?? 0) > 0);
    const sum = asking.reduce((total, demand) => total + demand.amounts[slot]!, 0);
    return asking.length === 0 ? 1 : sum / asking.length;
  });
}
