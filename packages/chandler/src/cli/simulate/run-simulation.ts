/** Runs a simulation: reads files and cluster, validates, plans, computes the bound, and returns the report. */

import { genericCatalogue } from '../../cloud/index.ts';
import { type InstanceType, priceBound, type SchedulingOptions, solve } from '../../scheduling/index.ts';

import { Failure } from '../verb.ts';
import { readCatalogue } from './catalogue-file.ts';
import { readDocuments } from './documents.ts';
import { Inventory } from './inventory.ts';
import { type LiveOptions, readCluster } from './live.ts';
import { placesOf } from './places.ts';
import { problemText } from './problem.ts';
import { buildReport, type Report } from './report.ts';
import { readSources, readText } from './sources.ts';
import { toInput } from './to-input.ts';

export interface SimulationOptions {
  readonly files: readonly string[];
  readonly readStandardInput: () => Promise<string>;
  readonly live: LiveOptions | undefined;
  readonly catalogue: string | undefined;
  readonly zones: readonly string[];
  readonly pools: readonly string[];
  readonly bound: boolean;
  readonly scheduling: Partial<SchedulingOptions>;
  /** Receives warnings that do not stop the simulation. */
  readonly complain: (line: string) => void;
}

/** @throws {Failure} when the input cannot be used. */
export async function runSimulation(options: SimulationOptions): Promise<Report> {
  const inventory = new Inventory();
  const notes: string[] = [];
  if (options.live !== undefined) notes.push(...(await readCluster(inventory, options.live)));
  await readManifests(inventory, options);
  const types = await instanceTypes(inventory, options, notes);
  const prepared = toInput(inventory, types, { pools: options.pools, options: options.scheduling });
  checkPools(inventory, options.pools);

  const plan = solve(prepared.input);
  for (const { object, field, problem } of plan.inputErrors) {
    options.complain(problemText(inventory.locate(object, field, `${problem}; the object is ignored`)));
  }
  const refused = plan.refusals.flatMap((refusal) => refusal.pods);
  const bound = options.bound ? await priceBound(prepared.input, { except: refused }) : undefined;
  return buildReport({ input: prepared.input, plan, bound, notes: [...notes, ...prepared.notes] });
}

// ---------------------------------------------------------------------------------------------------------------

async function readManifests(inventory: Inventory, options: SimulationOptions): Promise<void> {
  const broken: string[] = [];
  for (const source of await readSources(options.files, options.readStandardInput)) {
    const { found, problems } = readDocuments(source);
    broken.push(...problems.map(problemText));
    for (const one of found) inventory.addFound(one);
  }
  for (const warning of inventory.warnings) options.complain(problemText(warning));
  broken.push(...inventory.problems.map(problemText));
  if (broken.length > 0) {
    throw new Failure(`the input is invalid:\n${broken.map((line) => `  ${line}`).join('\n')}`);
  }
  if (inventory.size === 0) {
    throw new Failure('the input has no pods or workloads to simulate');
  }
}

async function instanceTypes(
  inventory: Inventory,
  options: SimulationOptions,
  notes: string[],
): Promise<readonly InstanceType[]> {
  if (options.catalogue !== undefined) {
    return readCatalogue({ name: options.catalogue, text: await readText(options.catalogue) });
  }
  const places = placesOf(inventory, options.zones);
  const types = genericCatalogue(places);
  notes.push(
    `Prices and instance types are from the generic catalogue (${types.length} types in ${places.zones.join(', ')}); ` +
      'use --catalogue for another.',
  );
  return types;
}

function checkPools(inventory: Inventory, chosen: readonly string[]): void {
  const names = inventory.objects('NodePool').map(({ metadata }) => metadata.name ?? '');
  const missing = chosen.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const known = names.length === 0 ? 'there are no NodePools' : `the input has ${names.sort().join(', ')}`;
  throw new Failure(`--pool: no NodePool ${missing.join(', ')} in the input; ${known}`);
}
