/** Fills an inventory from manifests, and validates them as an API server would. All errors are reported together. */
import type { OfflineValidator } from '../../playground/offline-validation.ts';
import { Failure } from '../verb.ts';
import { readingDocuments } from './documents.ts';
import { inPieces } from './in-pieces.ts';
import type { Inventory } from './inventory.ts';
import { checkYaml, LimitFailure, type SimulationLimits } from './limits.ts';
import { problemText } from './problem.ts';
import { readSources } from './sources.ts';

export interface ManifestOptions {
  readonly files: readonly string[];
  readonly readStandardInput: () => Promise<string>;
  /** Asked about every object of a file. Undefined: only shapes are checked. */
  readonly validator?: () => Promise<OfflineValidator>;
  /** Receives warnings that do not stop the command. */
  readonly complain: (line: string) => void;
  /** Default: those of a command, which has the process for itself. */
  readonly limits?: SimulationLimits;
  /** Called between pieces of the work, for a process that does other things meanwhile. Default: it is done in one piece. */
  readonly pause?: () => Promise<void> | undefined;
}

/** @throws {Failure} when a file cannot be read, or contains an invalid object. */
export async function readManifests(inventory: Inventory, options: ManifestOptions): Promise<void> {
  const broken: string[] = [];
  const { pause = () => undefined } = options;
  const { maxYaml } = options.limits ?? {};
  for (const source of await readSources(options.files, options.readStandardInput)) {
    if (maxYaml !== undefined) checkYaml(source.text, maxYaml);
    const { found, problems } = await inPieces(readingDocuments(source, maxYaml), pause);
    broken.push(...problems.map(problemText));
    await pause();
    checkObjects(found.length, options.limits);
    for (const one of found) {
      inventory.addFound(one);
      await pause();
    }
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

// ---------------------------------------------------------------------------------------------------------------

function checkObjects(
  count: number,
  { maxObjects = Number.POSITIVE_INFINITY }: Partial<SimulationLimits> = {},
): void {
  if (count > maxObjects)
    throw new LimitFailure(
      `here are at most ${maxObjects} objects simulated at once; the manifests have ${count}`,
    );
}

/** What the API server would reject, as lines. */
async function rejected(
  inventory: Inventory,
  { validator: open, pause }: ManifestOptions,
): Promise<string[]> {
  if (open === undefined || inventory.written.length === 0) return [];
  const validator = await open();
  try {
    const lines: string[] = [];
    for (const { id, object } of inventory.written) {
      for (const { field, message } of await validator.rejections(object))
        lines.push(problemText(inventory.locate(id, field, message)));
      await pause?.();
    }
    return lines;
  } finally {
    await validator.close();
  }
}
