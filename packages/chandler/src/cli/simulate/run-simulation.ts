/** Runs a simulation: reads files and cluster, validates, plans, computes the bound, and returns the report. */

import type { OfflineValidator } from '../../playground/offline-validation.ts';
import { priceBound, type SchedulingOptions, solve } from '../../scheduling/index.ts';
import { Failure } from '../verb.ts';
import { cataloguesFor } from './catalogues.ts';
import { readDocuments } from './documents.ts';
import { Inventory } from './inventory.ts';
import { type LiveOptions, readCluster } from './live.ts';
import { problemText } from './problem.ts';
import { buildReport, type Report } from './report.ts';
import { readSources } from './sources.ts';
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
  /** Asked about every object of a file. Undefined: only shapes are checked. */
  readonly validator?: () => Promise<OfflineValidator>;
  /** Receives warnings that do not stop the simulation. */
  readonly complain: (line: string) => void;
}

/** @throws {Failure} when the input cannot be used. */
export async function runSimulation(options: SimulationOptions): Promise<Report> {
  const inventory = new Inventory();
  const notes: string[] = [];
  if (options.live !== undefined) notes.push(...(await readCluster(inventory, options.live)));
  await readManifests(inventory, options);
  checkPools(inventory, options.pools);
  const catalogues = await cataloguesFor(inventory, options);
  notes.push(...catalogues.notes);
  // A live cluster has its own StorageClasses, or has had them deleted.
  const storageClasses = options.live === undefined ? catalogues.storageClasses : [];
  const prepared = toInput(
    inventory,
    { ...catalogues, storageClasses },
    { pools: options.pools, options: options.scheduling },
  );

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
  if (broken.length === 0) broken.push(...(await rejected(inventory, options)));
  if (broken.length > 0) {
    throw new Failure(`the input is invalid:\n${broken.map((line) => `  ${line}`).join('\n')}`);
  }
  if (inventory.size === 0) {
    throw new Failure('the input has no pods or workloads to simulate');
  }
}

/** What the API server would reject, as lines. */
async function rejected(inventory: Inventory, { validator: open }: SimulationOptions): Promise<string[]> {
  if (open === undefined || inventory.written.length === 0) return [];
  const validator = await open();
  try {
    const lines: string[] = [];
    for (const { id, object } of inventory.written) {
      for (const { field, message } of await validator.rejections(object))
        lines.push(problemText(inventory.locate(id, field, message)));
    }
    return lines;
  } finally {
    await validator.close();
  }
}

function checkPools(inventory: Inventory, chosen: readonly string[]): void {
  const names = inventory.objects('NodePool').map(({ metadata }) => metadata.name ?? '');
  const missing = chosen.filter((name) => !names.includes(name));
  if (missing.length === 0) return;
  const known = names.length === 0 ? 'there are no NodePools' : `the input has ${names.sort().join(', ')}`;
  throw new Failure(`--pool: no NodePool ${missing.join(', ')} in the input; ${known}`);
}
