/**
 * The journey of a NodeClaim through its launch, stage by stage: the decisions, the values with their sources, and the outcome.
 * Registration and initialization are conditions of the claim and no stages. One structured log line per stage; kept on the claim in an annotation, compact and bounded. When a stage is
 * over, and when the annotation is written, the callers decide.
 */
import { withoutSecrets } from '@chandler/kube';
import type { Source } from '../settings/index.ts';

export const JOURNEY_LIMIT_BYTES = 4096;

export const STAGE_OUTCOMES = ['ok', 'waiting', 'failed'] as const;

export type StageOutcome = (typeof STAGE_OUTCOMES)[number];

export interface Stage {
  /** The cloud names its stages. */
  readonly name: string;
  readonly atMs: number;
  readonly outcome: StageOutcome;
  /** Few, short, no secrets: `{ diskEncryptionSet: { value, source } }`. */
  readonly facts?: Readonly<Record<string, StageFact>>;
  /** Why it failed or what is awaited. */
  readonly message?: string;
}

export type StageFact = string | number | boolean | { readonly value: string; readonly source: Source };

/** What a stage is logged to; the World's log is one. */
export interface StageLog {
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The annotation after these stages were added to what it held. */
export function appendStages(annotation: string | undefined, added: readonly Stage[]): string {
  return encodeJourney([...decodeJourney(annotation), ...added]);
}

/**
 * The last outcome of every stage as one line of JSON, at most `JOURNEY_LIMIT_BYTES`. What does not fit is dropped whole:
 * first the facts, the oldest stage's first, then stages from the oldest on. The last stage always stays; a message
 * is shortened only where it alone would take a quarter of the limit.
 */
export function encodeJourney(stages: readonly Stage[]): string {
  const rows = lastOfEach(stages).map(toRow);
  let text = JSON.stringify(rows);
  for (let index = 0; index < rows.length && sizeOf(text) > JOURNEY_LIMIT_BYTES; index++) {
    delete rows[index]!.f;
    text = JSON.stringify(rows);
  }
  while (rows.length > 1 && sizeOf(text) > JOURNEY_LIMIT_BYTES) {
    rows.shift();
    text = JSON.stringify(rows);
  }
  return text;
}

/** The stages of an annotation. What cannot be read is left out. */
export function decodeJourney(text: string | undefined): Stage[] {
  if (typeof text !== 'string' || text.trim() === '') return [];
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? lastOfEach(rows.flatMap(fromRow)) : [];
  } catch {
    return [];
  }
}

/** One line: the stage, how it went, its facts each with its source, and what the caller adds (claim, pool). */
export function logStage(log: StageLog, stage: Stage, fields: Readonly<Record<string, unknown>> = {}): void {
  const line: Record<string, unknown> = {
    ...fields,
    stage: stage.name,
    outcome: stage.outcome,
    at: new Date(stage.atMs).toISOString(),
  };
  for (const [name, fact] of Object.entries(stage.facts ?? {})) {
    if (typeof fact === 'object') {
      line[name] = withoutSecrets(fact.value);
      line[`${name}Source`] = fact.source;
    } else line[name] = typeof fact === 'string' ? withoutSecrets(fact) : fact;
  }
  if (stage.message !== undefined) line['detail'] = withoutSecrets(stage.message);
  log[stage.outcome === 'failed' ? 'error' : 'info'](`stage ${stage.name}: ${stage.outcome}`, line);
}

// ---------------------------------------------------------------------------------------------------

/** Names of one letter: an annotation is read by machines first, and every claim carries one. */
interface Row {
  n: string;
  t: number;
  o: StageOutcome;
  m?: string;
  f?: Record<string, string | number | boolean | [value: string, source: Source]>;
}

const MESSAGE_LIMIT_BYTES = JOURNEY_LIMIT_BYTES / 4;

/** By name, in the order of the last outcomes. */
function lastOfEach(stages: readonly Stage[]): Stage[] {
  const last = new Map<string, Stage>();
  for (const stage of stages) {
    last.delete(stage.name);
    last.set(stage.name, stage);
  }
  return [...last.values()];
}

function toRow(stage: Stage): Row {
  const row: Row = { n: stage.name, t: stage.atMs, o: stage.outcome };
  if (stage.message !== undefined && stage.message !== '') row.m = shortened(withoutSecrets(stage.message));
  const facts = Object.entries(stage.facts ?? {});
  if (facts.length > 0) row.f = Object.fromEntries(facts.map(([name, fact]) => [name, packFact(fact)]));
  return row;
}

function packFact(fact: StageFact): string | number | boolean | [string, Source] {
  if (typeof fact === 'string') return withoutSecrets(fact);
  return typeof fact === 'object' ? [withoutSecrets(fact.value), fact.source] : fact;
}

function fromRow(value: unknown): Stage[] {
  if (typeof value !== 'object' || value === null) return [];
  const row = value as Partial<Record<keyof Row, unknown>>;
  const name = isStageName(row.n) ? row.n : undefined;
  const outcome = STAGE_OUTCOMES.find((known) => known === row.o);
  if (name === undefined || outcome === undefined || !isTime(row.t)) return [];
  const facts = factsOf(row.f);
  return [
    {
      name,
      atMs: row.t,
      outcome,
      ...(facts === undefined ? {} : { facts }),
      ...(typeof row.m === 'string' ? { message: row.m } : {}),
    },
  ];
}

function factsOf(value: unknown): Record<string, StageFact> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const facts: [string, StageFact][] = [];
  for (const [name, packed] of Object.entries(value)) {
    if (typeof packed === 'string' || typeof packed === 'number' || typeof packed === 'boolean') {
      facts.push([name, packed]);
    } else if (Array.isArray(packed) && typeof packed[0] === 'string' && isSource(packed[1])) {
      facts.push([name, { value: packed[0], source: packed[1] }]);
    }
  }
  return facts.length === 0 ? undefined : Object.fromEntries(facts);
}

function isStageName(value: unknown): value is string {
  return typeof value === 'string' && /^[a-zA-Z][a-zA-Z0-9]{0,39}$/.test(value);
}

/** A time that a date can show; anything else would make the reader fail later. */
function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= 8.64e15;
}

const SOURCES: Readonly<Record<Source, true>> = {
  hardcoded: true,
  flag: true,
  env: true,
  settings: true,
  NodePool: true,
  NodeClass: true,
  cluster: true,
  computed: true,
};

function isSource(value: unknown): value is Source {
  return typeof value === 'string' && Object.hasOwn(SOURCES, value);
}

/** Whole characters only, with a mark that something is missing. Measured as written in JSON, where quotes grow. */
function shortened(text: string): string {
  if (sizeOf(JSON.stringify(text)) <= MESSAGE_LIMIT_BYTES) return text;
  let kept = '';
  let bytes = sizeOf(JSON.stringify('…'));
  for (const character of text) {
    bytes += sizeOf(JSON.stringify(character)) - 2;
    if (bytes > MESSAGE_LIMIT_BYTES) break;
    kept += character;
  }
  return `${kept}…`;
}

function sizeOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
