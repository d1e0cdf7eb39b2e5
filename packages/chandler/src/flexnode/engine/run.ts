/**
 * Bootstrap: checks and runs the steps in order, and stops at the first failure. The completion check runs without the
 * lock, so that a run without changes writes nothing.
 */
import { stepArtifactRequests } from '../artifacts/artifact-requests.ts';
import { FlexError, type FlexErrorFacts } from '../flex-error.ts';
import { temporaryOf } from '../host/machine-host.ts';
import type { Step, StepId } from '../step.ts';
import { dropRecord, hasSavedFiles, UPGRADE_STEPS } from '../upgrade/saved-files.ts';
import { areAllDone } from './completion-check.ts';
import { factsOf, type RunOptions, stepContext, timestamp, type Voice, voiceOf } from './context.ts';
import { aboutStep, withoutCause } from './events.ts';
import { fingerprint } from './fingerprint.ts';
import { checkIdentity, isIdentityInUse } from './identity.ts';
import { compact, type Journal, openJournal } from './journal.ts';
import { refuseIfLocked, takeLock } from './lock.ts';
import {
  checkSelection,
  isSelected,
  type Selection,
  type StepStatus,
  statusInJournal,
  stepStatus,
} from './order.ts';
import type { Parts } from './parts.ts';
import { configRecord } from './recorded-config.ts';

export interface BootstrapOptions extends RunOptions, Selection {
  /** The caller holds the lock, and releases it. */
  readonly isLocked?: boolean;
}

export interface StepResult {
  readonly step: StepId;
  readonly name: string;
  readonly outcome: 'completed' | 'skipped' | 'failed';
  readonly durationMs: number;
}

export interface RunResult {
  readonly success: boolean;
  readonly stepCount: number;
  readonly durationMs: number;
  readonly steps: readonly StepResult[];
  /** `false` if no step had changes and nothing was written. */
  readonly changed: boolean;
  readonly failedStep?: StepId;
  readonly error?: FlexErrorFacts;
}

/** Never throws: the result contains the error. */
export async function runBootstrap(parts: Parts, options: BootstrapOptions): Promise<RunResult> {
  const tell = voiceOf(parts, options.on);
  const run: Run = {
    id: parts.world.random.uuid(),
    parts,
    options,
    tell,
    startedMs: parts.world.clock.monotonic(),
    results: [],
    changed: false,
  };
  try {
    checkSelection(options);
    tell({
      type: 'run-started',
      run: run.id,
      verb: 'bootstrap',
      steps: parts.steps.filter((step) => isSelected(step, options)).map((step) => step.id),
    });
    if (options.isLocked !== true) await refuseIfLocked(parts);
    if (await isAllDone(run)) return ended(run);
    run.changed = true;
    await underLock(run);
    return ended(run);
  } catch (error) {
    return ended(run, error instanceof StepFailed ? error.facts : factsOf(error, options.signal));
  }
}

// ---------------------------------------------------------------------------------------------------

interface Run {
  readonly id: string;
  readonly parts: Parts;
  readonly options: BootstrapOptions;
  readonly tell: Voice;
  readonly startedMs: number;
  results: StepResult[];
  changed: boolean;
  failedStep?: StepId;
}

class StepFailed extends Error {
  readonly facts: FlexErrorFacts;

  constructor(facts: FlexErrorFacts) {
    super(facts.message);
    this.facts = facts;
  }
}

/** Reports skipped steps only if all are skipped; otherwise the run reports them in order. */
async function isAllDone(run: Run): Promise<boolean> {
  const { parts, options, tell } = run;
  const journal = await openJournal(parts.host);
  if (isIdentityInUse(journal.state)) checkIdentity(journal.state, parts.config, 'bootstrap');
  const wanted = parts.steps.filter((step) => isSelected(step, options));
  if (!(await areAllDone({ parts, wanted, journal, signal: options.signal, tell }))) return false;
  if (await areSavedFilesObsolete(run, journal)) return false;
  for (const [index, step] of parts.steps.entries()) skip(run, step, index, wanted.includes(step));
  return true;
}

async function underLock(run: Run): Promise<void> {
  const { parts, options } = run;
  const lock =
    options.isLocked === true ? undefined : await takeLock(parts, { verb: 'bootstrap', run: run.id });
  try {
    const journal = await openJournal(parts.host);
    await compact(parts.host, journal);
    await begin(run, journal);
    fetchAhead(run, journal);
    for (const [index, step] of parts.steps.entries()) {
      if (!isSelected(step, options)) skip(run, step, index, false);
      else await takeStep(run, journal, step, index);
    }
    if (await areSavedFilesObsolete(run, journal)) await dropRecord(parts.host);
    await parts.artifacts.discard(parts.host);
    await journal.append({ kind: 'run-ended', run: run.id, success: true, at: timestamp(parts) });
  } catch (error) {
    // Waits for pending writes before the lock is released.
    await parts.artifacts.stop?.();
    throw error;
  } finally {
    await lock?.release();
  }
}

/**
 * An upgrade that was killed leaves the files from before it, to restore them. Once its steps are completed with this
 * config, the next upgrade would revert them. An upgrade in progress holds the lock and drops its files itself.
 */
async function areSavedFilesObsolete({ parts, options, tell }: Run, journal: Journal): Promise<boolean> {
  if (options.isLocked === true || !(await hasSavedFiles(parts.host))) return false;
  const { signal } = options;
  return parts.steps
    .filter(({ id }) => UPGRADE_STEPS.includes(id))
    .every((step) => {
      const context = stepContext(parts, step, { journal, signal, tell });
      return statusInJournal(step, context, journal.state).done;
    });
}

/** For steps that are to be done as far as the journal knows. Not for the first: it asks at once, if at all. */
function fetchAhead(run: Run, journal: Journal): void {
  const { config, architecture, artifacts, steps } = run.parts;
  const toDo = steps.filter(({ id }) => id !== 'arc' && journal.state.steps.get(id)?.state !== 'completed');
  const wanted = toDo.filter((step) => isSelected(step, run.options));
  artifacts.prefetch(wanted.flatMap((step) => stepArtifactRequests(step.id, config, architecture)));
}

async function begin(run: Run, journal: Journal): Promise<void> {
  const { parts } = run;
  const unfinished = journal.state.lastRun !== undefined && !journal.state.lastRun.ended;
  await journal.append(
    { kind: 'run', run: run.id, verb: 'bootstrap', at: timestamp(parts) },
    ...configRecord(parts.config, journal.state),
  );
  if (!unfinished) return;
  // What the last run was preparing when it ended.
  for (const path of journal.state.paths.keys()) await parts.host.remove(temporaryOf(path));
}

async function takeStep(run: Run, journal: Journal, step: Step, index: number): Promise<void> {
  const { parts, options, tell } = run;
  const { signal } = options;
  const about = aboutStep(step, index, parts.steps.length);
  const startedMs = parts.world.clock.monotonic();
  const lasted = () => parts.world.clock.monotonic() - startedMs;
  const context = stepContext(parts, step, { journal, signal, tell });
  try {
    if (signal.aborted) throw signal.reason;
    const status = await stepStatus(step, context, journal.state);
    if (status.done) return skip(run, step, index, true);
    tell({ type: 'step-started', ...about });
    await step.validate(context);
    await execute(run, journal, step, status);
  } catch (error) {
    const facts = factsOf(error, signal, step);
    run.failedStep = step.id;
    run.results.push({ step: step.id, name: step.name, outcome: 'failed', durationMs: lasted() });
    tell({ type: 'step-failed', ...about, durationMs: lasted(), error: withoutCause(facts) });
    await noteFailure(run, journal, step, facts);
    throw new StepFailed(facts);
  }
  run.results.push({ step: step.id, name: step.name, outcome: 'completed', durationMs: lasted() });
  tell({ type: 'step-completed', ...about, durationMs: lasted() });
}

async function execute(run: Run, journal: Journal, step: Step, status: StepStatus): Promise<void> {
  const { parts, options, tell } = run;
  const { fingerprint: before } = status;
  await journal.append({ kind: 'step-started', step: step.id, fingerprint: before, at: timestamp(parts) });
  const context = stepContext(parts, step, { journal, signal: options.signal, tell });
  await step.execute(context);
  // The inputs may depend on facts that the step has just recorded, so the fingerprint is computed again.
  const after = fingerprint(step.inputs(context));
  await journal.append({ kind: 'step-completed', step: step.id, fingerprint: after, at: timestamp(parts) });
}

/** Writing the journal may fail, too (a full disk). A step without an end record counts as not completed. */
async function noteFailure(run: Run, journal: Journal, step: Step, facts: FlexErrorFacts): Promise<void> {
  try {
    const at = timestamp(run.parts);
    await journal.append({ kind: 'step-failed', step: step.id, code: facts.code, at });
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
  }
}

function skip(run: Run, step: Step, index: number, done: boolean): void {
  const about = aboutStep(step, index, run.parts.steps.length);
  run.tell({ type: 'step-skipped', ...about, reason: done ? 'completed' : 'not-selected' });
  run.results.push({ step: step.id, name: step.name, outcome: 'skipped', durationMs: 0 });
}

function ended(run: Run, error?: FlexErrorFacts): RunResult {
  const durationMs = run.parts.world.clock.monotonic() - run.startedMs;
  const success = error === undefined;
  run.tell({
    type: 'run-completed',
    verb: 'bootstrap',
    success,
    changed: run.changed,
    durationMs,
    leftovers: 0,
    ...(error ? { error: withoutCause(error) } : {}),
  });
  return {
    success,
    stepCount: run.parts.steps.length,
    durationMs,
    steps: run.results,
    changed: run.changed,
    ...(run.failedStep ? { failedStep: run.failedStep } : {}),
    ...(error ? { error } : {}),
  };
}
