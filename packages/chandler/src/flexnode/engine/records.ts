/**
 * The records of the journal and their interpretation. A record is written before its change; the state is a fold over all
 * records, so it survives a crash.
 */
import type { PathState } from '../host/path-state.ts';
import type { StepId } from '../step.ts';
import type { RunVerb } from './events.ts';

export type JournalRecord =
  | { readonly kind: 'run'; readonly run: string; readonly verb: RunVerb; readonly at: string }
  | { readonly kind: 'run-ended'; readonly run: string; readonly success: boolean; readonly at: string }
  /** The config without its secrets, so that unbootstrap works without the config file. */
  | { readonly kind: 'config'; readonly config: unknown }
  | {
      readonly kind: 'step-started';
      readonly step: StepId;
      readonly fingerprint: string;
      readonly at: string;
    }
  | {
      readonly kind: 'step-completed';
      readonly step: StepId;
      readonly fingerprint: string;
      readonly at: string;
    }
  | { readonly kind: 'step-failed'; readonly step: StepId; readonly code: string; readonly at: string }
  | { readonly kind: 'undo-started'; readonly step: StepId }
  | { readonly kind: 'step-undone'; readonly step: StepId }
  /** `before` the first time only; `will` is what we are about to leave there. */
  | {
      readonly kind: 'path';
      readonly step: StepId;
      readonly path: string;
      readonly before?: PathState;
      readonly will?: PathState;
      readonly claimed?: true;
    }
  | { readonly kind: 'kept'; readonly path: string; readonly copy: string }
  | { readonly kind: 'path-restored'; readonly path: string }
  | { readonly kind: 'fact'; readonly key: string; readonly value: string }
  | { readonly kind: 'fact-gone'; readonly key: string }
  /** Lines that were damaged when the journal was written anew. */
  | { readonly kind: 'lost'; readonly lines: number };

export interface OwnedPath {
  readonly path: string;
  /** The step that wrote it first. */
  readonly step: StepId;
  readonly before: PathState;
  /** Everything we ever meant to leave there. */
  readonly written: readonly PathState[];
  /** Other programs fill it. */
  readonly claimed: boolean;
}

export interface StepRecord {
  readonly state: 'started' | 'completed' | 'failed' | 'undoing' | 'undone';
  readonly fingerprint?: string | undefined;
  readonly at?: string | undefined;
  /** Place of the line among all lines: which of two steps was done later. */
  readonly order: number;
}

export interface JournalState {
  readonly lines: number;
  /** Lines that could not be read, without a torn last one. */
  readonly lost: number;
  readonly steps: ReadonlyMap<StepId, StepRecord>;
  /** In the order in which they were first recorded. */
  readonly paths: ReadonlyMap<string, OwnedPath>;
  readonly kept: readonly { readonly path: string; readonly copy: string }[];
  readonly facts: ReadonlyMap<string, string>;
  readonly config: unknown;
  readonly lastRun?: {
    readonly run: string;
    readonly verb: RunVerb;
    readonly at: string;
    readonly ended?: boolean;
  };
}

export interface MutableState extends JournalState {
  lines: number;
  lost: number;
  steps: Map<StepId, StepRecord>;
  paths: Map<string, OwnedPath>;
  kept: { path: string; copy: string }[];
  facts: Map<string, string>;
  config: unknown;
  lastRun?: { run: string; verb: RunVerb; at: string; ended?: boolean };
}

export function emptyState(): MutableState {
  return {
    lines: 0,
    lost: 0,
    steps: new Map(),
    paths: new Map(),
    kept: [],
    facts: new Map(),
    config: undefined,
  };
}

export function applyRecord(state: MutableState, record: JournalRecord): void {
  state.lines += 1;
  switch (record.kind) {
    case 'run':
      state.lastRun = { run: record.run, verb: record.verb, at: record.at };
      return;
    case 'run-ended':
      if (state.lastRun?.run === record.run) state.lastRun.ended = true;
      return;
    case 'config':
      state.config = record.config;
      return;
    case 'path':
      applyPath(state, record);
      return;
    case 'path-restored':
      state.paths.delete(record.path);
      return;
    case 'kept':
      state.kept.push({ path: record.path, copy: record.copy });
      return;
    case 'fact':
      state.facts.set(record.key, record.value);
      return;
    case 'fact-gone':
      state.facts.delete(record.key);
      return;
    case 'lost':
      state.lost += record.lines;
      return;
    default:
      applyStep(state, record);
  }
}

/** The fewest lines that say the same. */
export function recordsOf(state: JournalState): readonly JournalRecord[] {
  const records: JournalRecord[] = [];
  if (state.lost > 0) records.push({ kind: 'lost', lines: state.lost });
  if (state.lastRun !== undefined) {
    const { run, verb, at, ended } = state.lastRun;
    records.push({ kind: 'run', run, verb, at });
    if (ended) records.push({ kind: 'run-ended', run, success: true, at });
  }
  if (state.config !== undefined) records.push({ kind: 'config', config: state.config });
  for (const [key, value] of state.facts) records.push({ kind: 'fact', key, value });
  for (const owned of state.paths.values()) records.push(...pathRecords(owned));
  for (const kept of state.kept) records.push({ kind: 'kept', ...kept });
  const steps = [...state.steps].sort(([, a], [, b]) => a.order - b.order);
  for (const [step, record] of steps) records.push(stepRecord(step, record));
  return records;
}

// ---------------------------------------------------------------------------------------------------

type StepLine = Exclude<
  JournalRecord,
  {
    readonly kind:
      | 'run'
      | 'run-ended'
      | 'config'
      | 'path'
      | 'path-restored'
      | 'kept'
      | 'fact'
      | 'fact-gone'
      | 'lost';
  }
>;

const STATE_OF = {
  'step-started': 'started',
  'step-completed': 'completed',
  'step-failed': 'failed',
  'undo-started': 'undoing',
  'step-undone': 'undone',
} as const;

function applyStep(state: MutableState, record: StepLine): void {
  const known = state.steps.get(record.step);
  state.steps.set(record.step, {
    state: STATE_OF[record.kind],
    fingerprint: 'fingerprint' in record ? record.fingerprint : known?.fingerprint,
    at: 'at' in record ? record.at : known?.at,
    order: state.lines,
  });
}

function applyPath(state: MutableState, record: JournalRecord & { readonly kind: 'path' }): void {
  const known = state.paths.get(record.path);
  const before = known?.before ?? record.before;
  // The first record is lost: the previous state is unknown and cannot be restored.
  if (before === undefined) return;
  const written = known?.written ?? [];
  const isNew = record.will !== undefined && !written.some((state_) => isEqual(state_, record.will!));
  state.paths.set(record.path, {
    path: record.path,
    step: known?.step ?? record.step,
    before,
    written: isNew ? [...written, record.will!] : written,
    claimed: known?.claimed === true || record.claimed === true,
  });
}

function isEqual(a: PathState, b: PathState): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function pathRecords({ path, step, before, written, claimed }: OwnedPath): JournalRecord[] {
  const first: JournalRecord = {
    kind: 'path',
    step,
    path,
    before,
    ...(claimed ? { claimed: true as const } : {}),
  };
  return [first, ...written.map((will): JournalRecord => ({ kind: 'path', step, path, will }))];
}

function stepRecord(step: StepId, record: StepRecord): JournalRecord {
  const at = record.at ?? '';
  const print = record.fingerprint ?? '';
  switch (record.state) {
    case 'started':
      return { kind: 'step-started', step, fingerprint: print, at };
    case 'completed':
      return { kind: 'step-completed', step, fingerprint: print, at };
    case 'failed':
      return { kind: 'step-failed', step, code: '', at };
    case 'undoing':
      return { kind: 'undo-started', step };
    case 'undone':
      return { kind: 'step-undone', step };
  }
}
