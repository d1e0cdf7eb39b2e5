/**
 * The journal file: append-only JSON lines, flushed to disk before the change that they announce. Each line has a
 * checksum, so that a torn or damaged line is detected and skipped. `records.ts` interprets the lines.
 */
import type { Host } from '../host/host.ts';
import type { MachineHost } from '../host/machine-host.ts';
import type { Facts } from '../step.ts';
import { sha256 } from './fingerprint.ts';
import { JOURNAL_PATH } from './parts.ts';
import {
  applyRecord,
  emptyState,
  type JournalRecord,
  type JournalState,
  type MutableState,
  recordsOf,
} from './records.ts';

const MODE = 0o600;
/** Beyond this many lines more than needed it is written anew. */
const MAX_SPARE_LINES = 2_000;
/** Terminates a line that a crash truncated; its change never happened. */
const TORN = ' torn\n';

/** For everyone who only looks; an empty one when there is none. */
export async function readJournal(host: Host): Promise<JournalState> {
  return (await load(host)).state;
}

export interface Journal {
  readonly state: JournalState;
  append(...records: readonly JournalRecord[]): Promise<void>;
  readonly facts: Facts;
}

/** For the one run that holds the lock. */
export async function openJournal(host: MachineHost): Promise<Journal> {
  const { state, torn } = await load(host);
  let before = torn ? TORN : '';
  let queue: Promise<void> = Promise.resolve();
  const append = (...records: readonly JournalRecord[]): Promise<void> => {
    if (records.length === 0) return queue;
    const write = queue.then(async () => {
      const lines = before + records.map(toLine).join('');
      // Until it succeeds: a disk that fills up takes a part of the lines.
      before = TORN;
      await host.append(JOURNAL_PATH, lines, { mode: MODE });
      before = '';
      for (const record of records) applyRecord(state, record);
    });
    // A failed write must not block the next one: its caller got the error.
    queue = write.catch(() => undefined);
    return write;
  };
  return { state, append, facts: journalFacts(state, append) };
}

/** Call only while holding the lock, before the run begins. */
export async function compact(host: MachineHost, journal: Journal): Promise<void> {
  const records = recordsOf(journal.state);
  if (journal.state.lines - records.length < MAX_SPARE_LINES) return;
  await host.writeFile(JOURNAL_PATH, records.map(toLine).join(''), { mode: MODE });
}

export function toLine(record: JournalRecord): string {
  const text = JSON.stringify(record);
  return `${sha256(text).slice(0, 8)} ${text}\n`;
}

// ---------------------------------------------------------------------------------------------------

async function load(host: Host): Promise<{ state: MutableState; torn: boolean }> {
  const state = emptyState();
  const content = await host.readFile(JOURNAL_PATH);
  if (content === undefined || content.length === 0) return { state, torn: false };
  const lines = Buffer.from(content).toString('utf8').split('\n');
  const last = lines.pop() ?? '';
  for (const line of lines) {
    if (line === '') continue;
    const record = fromLine(line);
    if (record !== undefined) applyRecord(state, record);
    // Damaged, not torn: a change that did happen may be missing.
    else if (!`${line}\n`.endsWith(TORN)) state.lost += 1;
  }
  return { state, torn: last !== '' };
}

function fromLine(line: string): JournalRecord | undefined {
  const [check, text] = [line.slice(0, 8), line.slice(9)];
  if (sha256(text).slice(0, 8) !== check) return undefined;
  try {
    return JSON.parse(text) as JournalRecord;
  } catch {
    return undefined;
  }
}

function journalFacts(
  state: JournalState,
  append: (...records: readonly JournalRecord[]) => Promise<void>,
): Facts {
  return {
    get: (key) => state.facts.get(key),
    set: async (key, value) => {
      if (state.facts.get(key) !== value) await append({ kind: 'fact', key, value });
    },
    delete: async (key) => {
      if (state.facts.has(key)) await append({ kind: 'fact-gone', key });
    },
  };
}
