/** Runs a verb of `configure`: plan, files, confirmation, apply or undo. The clouds give the resources and the files. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { World } from '@chandler/kube';
import {
  applyPlan,
  blockedText,
  ConfigureError,
  changesOf,
  type DesiredResource,
  type DoneStep,
  type Facts,
  isWritten,
  type Journal,
  makePlan,
  NotAllowed,
  NotYet,
  openJournal,
  overwritingText,
  type Plan,
  planJson,
  planText,
  type RecordedResource,
  type UndoneStep,
  undo,
} from '../../configure/index.ts';
import type { OptionValues } from '../../settings/index.ts';
import { type Call, EXIT_FAILURE, EXIT_OK, Failure, UsageError } from '../verb.ts';
import type { CONFIGURE_OPTIONS } from './options.ts';

type Options = OptionValues<typeof CONFIGURE_OPTIONS>;

export interface ConfigureCall extends Omit<Call, 'options'> {
  readonly options: Options;
}

/** What is configured. */
export interface Target {
  /** `aks`. */
  readonly kind: string;
  /** `AKS cluster shop`. */
  readonly title: string;
  readonly clusterName: string;
  /** The ID of the cluster. */
  readonly target: string;
  /** By the ID in the journal. */
  recorded(id: string): RecordedResource | undefined;
}

/** What one cloud brings. */
export interface Configured extends Target {
  readonly notes: readonly string[];
  readonly resources: readonly DesiredResource[];
  /** By name. */
  files(facts: Facts): ReadonlyMap<string, string>;
}

/** @throws {UsageError} */
export function refuseContradictions(options: Options, positionals: readonly string[]): void {
  const problem = (where: string, message: string) => new UsageError([{ where, message }]);
  if (positionals.length > 0) throw problem(positionals[0]!, 'this command takes no arguments');
  if (options.apply.value && options.undo.value) throw problem('--undo', 'cannot be used with --apply');
  if (options.undo.value && options.write.value !== undefined)
    throw problem('--undo', 'cannot be used with --write');
  for (const { value, flag } of [
    { value: options.namespace.value, flag: '--namespace' },
    { value: options.serviceAccount.value, flag: '--service-account' },
  ])
    if (!/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(value))
      throw problem(flag, `${JSON.stringify(value)} is not a name of Kubernetes`);
}

/** Errors that the user can fix become failures without a stack trace. */
export async function withPlainErrors<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof ConfigureError || error instanceof NotAllowed || error instanceof NotYet)
      throw new Failure(error.message);
    throw error;
  }
}

export function journalOf(
  { options }: ConfigureCall,
  { kind, target, clusterName }: Omit<Target, 'title' | 'recorded'>,
): Promise<Journal> {
  return openJournal(options.journal.value ?? `chandler-configure-${clusterName}.json`, kind, target);
}

export async function runConfigure(call: ConfigureCall, configured: Configured): Promise<number> {
  const { options, interrupted: signal } = call;
  const world = await call.world();
  const journal = await journalOf(call, configured);
  const { title, target, notes, resources, recorded } = configured;
  const { clock } = world;
  const plan = await makePlan({ title, target, notes, resources, recorded, journal, clock, signal });
  const isJson = options.output.value === 'json';
  if (!isJson) call.terminal.out(planText(plan));
  if (options.write.value !== undefined) {
    const overwriting = overwritingText(plan);
    if (overwriting !== undefined) throw new Failure(overwriting);
    await refuseFilesOfOthers(options.write.value, configured.files(plan.facts));
  }
  const applied = options.apply.value ? await runApply(call, plan, journal, world) : undefined;
  if (applied === 'canceled') return EXIT_OK;
  const facts = applied?.facts ?? plan.facts;
  const written =
    options.write.value === undefined ? undefined : await writeFiles(call, configured.files(facts));
  if (isJson)
    call.terminal.out(
      `${JSON.stringify({ ...planJson(plan), ...(applied === undefined ? {} : { applied: applied.steps }), ...(written === undefined ? {} : { written }) }, undefined, 2)}\n`,
    );
  return EXIT_OK;
}

export async function runUndo(call: ConfigureCall, undoable: Target): Promise<number> {
  const { terminal, options, interrupted: signal } = call;
  const { title, recorded } = undoable;
  const world = await call.world();
  const journal = await journalOf(call, undoable);
  const isJson = options.output.value === 'json';
  const { entries } = journal;
  if (!isJson) terminal.out(undoPlanText(journal, recorded));
  if (
    entries.length > 0 &&
    !(await isConfirmed(call, `${entries.length} resources of the ${title} will be removed.`))
  )
    return EXIT_OK;
  const steps = await undo({
    recorded,
    journal,
    clock: world.clock,
    signal,
    onStep: (done) => terminal.err(undoneLine(done)),
  });
  if (isJson) terminal.out(`${JSON.stringify({ undone: steps }, undefined, 2)}\n`);
  return steps.some(({ outcome }) => outcome === 'left') ? EXIT_FAILURE : EXIT_OK;
}

// ---------------------------------------------------------------------------------------------------------------

async function runApply(call: ConfigureCall, plan: Plan, journal: Journal, world: World) {
  const blocked = blockedText(plan);
  if (blocked !== undefined) throw new Failure(blocked);
  const changes = changesOf(plan);
  const question = `${changes.length} resources of the ${plan.title} will be created or updated.`;
  if (changes.length > 0 && !(await isConfirmed(call, question))) return 'canceled';
  const { interrupted: signal, terminal } = call;
  const applied = await applyPlan({
    plan,
    journal,
    clock: world.clock,
    signal,
    onStep: (done) => terminal.err(doneLine(done)),
  });
  if (changes.length > 0)
    terminal.err(`done; ${journal.path} records what was created, and --undo needs it\n`);
  return applied;
}

function doneLine({ did, kind, name }: DoneStep): string {
  return did === 'nothing' ? '' : `${did} ${kind} ${name}\n`;
}

function undoPlanText({ path, entries }: Journal, recorded: Target['recorded']): string {
  if (entries.length === 0) return `Nothing to undo: ${path} records nothing.\n`;
  const lines = [...entries].reverse().map(({ kind, name, id = '' }) => {
    const kept = recorded(id)?.keptBecause;
    return kept === undefined ? `- ${kind} ${name}` : `  ${kind} ${name}: kept, because ${kept}`;
  });
  return `${['To be removed, if nobody has changed it:', '', ...lines].join('\n')}\n`;
}

function undoneLine({ outcome, kind, name, reason }: UndoneStep): string {
  return `${outcome} ${kind} ${name}${reason === undefined ? '' : `: ${reason}`}\n`;
}

/** @throws {UsageError} where nobody can be asked. */
async function isConfirmed(
  { options, terminal, interrupted }: ConfigureCall,
  question: string,
): Promise<boolean> {
  if (options.yes.value) return true;
  const { confirmed, isInteractive } = await import('../confirm.ts');
  if (!isInteractive())
    throw new UsageError([
      { where: '--yes', message: 'there is no terminal to ask on; look at the plan, and give --yes' },
    ]);
  if (await confirmed(question, interrupted)) return true;
  terminal.err('canceled; nothing was changed\n');
  return false;
}

/** Before anything is applied. @throws {Failure} */
async function refuseFilesOfOthers(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const others: string[] = [];
  for (const name of files.keys()) {
    const path = join(folder, name);
    try {
      if (!isWritten(await readFile(path, 'utf8'))) others.push(path);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      if (code === undefined) throw error;
      if (code !== 'ENOENT') throw new Failure(`nothing was changed: ${path} cannot be read: ${message}`);
    }
  }
  if (others.length > 0)
    throw new Failure(
      `nothing was changed: ${others.join(', ')} would be overwritten, and the first lines do not say that configure wrote it; give another folder with --write`,
    );
}

async function writeFiles(
  call: ConfigureCall,
  files: ReadonlyMap<string, string>,
): Promise<readonly string[]> {
  const folder = call.options.write.value!;
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, text] of files)
      await writeFile(join(folder, name), text, { mode: name.endsWith('.sh') ? 0o755 : 0o644 });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Failure(`the files cannot be written to ${folder}: ${message}`);
  }
  const paths = [...files.keys()].map((name) => join(folder, name));
  call.terminal.err(`wrote ${paths.join(', ')}\n`);
  return paths;
}
