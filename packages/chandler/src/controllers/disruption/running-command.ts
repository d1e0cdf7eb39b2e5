/** Commands in execution: which there are, and which NodeClaim belongs to which. Rebuilt from annotations at the start. */
import type { Command } from '../../disruption/index.ts';
import { conditionOf, type Exchanges, type Stores } from '../../state/index.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { type CandidateRecord, type CommandRecord, commandIdOf, readRecord } from './command-record.ts';

/**
 * `marking`: annotations, conditions and taints are written. `launching`: replacements are created. `waiting`: for them to be
 * initialized. `rolling`: workloads whose pods are not evicted. `deleting`: the NodeClaims of the candidates. `rebooting`: a reboot is requested, in place of all these.
 * `rollingBack`: all marks are removed.
 */
export type Phase =
  | 'marking'
  | 'launching'
  | 'waiting'
  | 'rolling'
  | 'deleting'
  | 'rebooting'
  | 'rollingBack';

export interface RunningCommand {
  record: CommandRecord;
  phase: Phase;
  /** Where its pods go; not known after a restart. */
  readonly planned: Command | undefined;
  /** Claims whose deletion was reported. */
  readonly terminated: Set<string>;
  /** Replacements that were reported. */
  readonly launched: Set<string>;
  /** Candidates that stay after all. */
  readonly released: Set<string>;
  /** UIDs of pods whose workload was rolled. */
  readonly rolled: Set<string>;
  /** By UID: workloads that this process has restarted, with the generation that this made. */
  readonly restarted: Map<string, number>;
  /** The progress of its rolling updates, and when (monotonic) it was last made. */
  progress: { readonly reached: number; readonly atMs: number } | undefined;
  /** Launches that count already and were not tried yet. */
  reserved: number;
  /** Since when its launches have been held (monotonic). */
  heldSinceMs: number | undefined;
  failure: string | undefined;
  /** When the deletion of a replacement was first refused during the rollback (monotonic). */
  refusedAtMs?: number | undefined;
  /** It failed because a replacement failed. */
  blamesPool: boolean;
}

export class RunningCommands {
  readonly #commands = new Map<string, RunningCommand>();
  readonly #idOfClaim = new Map<string, string>();
  readonly #exchanges: Exchanges;

  constructor(exchanges: Exchanges) {
    this.#exchanges = exchanges;
  }

  get(id: string): RunningCommand | undefined {
    return this.#commands.get(id);
  }

  values(): IterableIterator<RunningCommand> {
    return this.#commands.values();
  }

  /** Those of this process that are not rolled back: where their pods go is known. */
  planned(): readonly Command[] {
    return [...this.#commands.values()].flatMap(({ planned, phase }) =>
      planned === undefined || phase === 'rollingBack' ? [] : [planned],
    );
  }

  get size(): number {
    return this.#commands.size;
  }

  /** The command that removes this claim. */
  idOf(claim: string): string | undefined {
    return this.#idOfClaim.get(claim);
  }

  /** The number of nodes in all commands. */
  get candidates(): number {
    return this.#idOfClaim.size;
  }

  add(record: CommandRecord, planned: Command | undefined, phase: Phase = 'marking'): RunningCommand {
    const running: RunningCommand = {
      record,
      phase,
      planned,
      terminated: new Set(),
      launched: new Set(),
      released: new Set(),
      rolled: new Set(),
      restarted: new Map(),
      progress: undefined,
      reserved: 0,
      heldSinceMs: undefined,
      failure: undefined,
      blamesPool: false,
    };
    this.#commands.set(record.id, running);
    for (const { claim } of record.candidates) this.#idOfClaim.set(claim, record.id);
    const candidates = record.candidates.map(({ claim }) => claim);
    this.#exchanges.begin(record.id, { candidates, replacements: record.replacements });
    return running;
  }

  /** The candidate is no longer part of the command. */
  release({ record, released }: RunningCommand, claim: string): void {
    released.add(claim);
    if (this.#idOfClaim.get(claim) === record.id) this.#idOfClaim.delete(claim);
  }

  remove({ record }: RunningCommand): void {
    this.#commands.delete(record.id);
    this.#exchanges.end(record.id);
    for (const { claim } of record.candidates)
      if (this.#idOfClaim.get(claim) === record.id) this.#idOfClaim.delete(claim);
  }
}

/** Its replacements that are not nodes yet, or no longer. */
export function uninitialized(
  stores: Stores,
  { replacements }: CommandRecord,
): CommandRecord['replacements'] {
  return replacements.filter(({ metadata }) => {
    const claim = stores.claims.store.get({ name: metadata.name });
    return claim === undefined || conditionOf(claim, 'Initialized')?.status !== 'True';
  });
}

/** What the annotations say: commands to continue, to roll back, and those that are done but for the deletion. */
export interface FoundCommands {
  readonly unfinished: readonly CommandRecord[];
  /**
   * Commands of which a candidate that stays has no annotation: the process ended while it marked the candidates, before
   * anything was launched, or while it rolled back.
   */
  readonly halfMarked: readonly CommandRecord[];
  readonly done: readonly CommandRecord[];
}

export function findCommands(stores: Stores, isOurs: (claim: Claim) => boolean): FoundCommands {
  const records = new Map<string, CommandRecord>();
  for (const claim of stores.claims.store.values()) {
    if (!isOurs(claim)) continue;
    const record = readRecord(claim);
    if (record === undefined) continue;
    // A process may have ended while it wrote the time of the roll.
    if (records.has(record.id) && record.rolledAtMs === undefined) continue;
    // A copy of the annotation on another claim makes no command of it.
    const own = record.candidates.some(({ uid }) => uid === claim.metadata.uid);
    if (own) records.set(record.id, record);
  }
  const found = [...records.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  const staying = (record: CommandRecord) => stayingClaims(stores, record);
  const isHalf = (record: CommandRecord) =>
    staying(record).some(({ claim }) => readRecord(claim)?.id !== record.id);
  return {
    done: found.filter((record) => staying(record).length === 0),
    halfMarked: found.filter((record) => staying(record).length > 0 && isHalf(record)),
    unfinished: found.filter((record) => staying(record).length > 0 && !isHalf(record)),
  };
}

export interface StayingClaim {
  readonly candidate: CandidateRecord;
  readonly claim: Claim;
}

/** Those of a command of this process, without the nodes that it has released. */
export function stayingOf(
  stores: Stores,
  { record, released }: Pick<RunningCommand, 'record' | 'released'>,
): readonly StayingClaim[] {
  return stayingClaims(stores, record).filter(({ candidate }) => !released.has(candidate.claim));
}

/** Candidates that exist, are not being deleted, and were not released and taken by another command since. */
export function stayingClaims(stores: Stores, { id, candidates }: CommandRecord): readonly StayingClaim[] {
  return candidates.flatMap((candidate) => {
    const claim = stores.claims.store.get({ name: candidate.claim });
    const same = claim?.metadata.uid === candidate.uid && claim.metadata.deletionTimestamp === undefined;
    return same && !isOfAnother(claim, id) ? [{ candidate, claim }] : [];
  });
}

// ---------------------------------------------------------------------------------------------------

/** Every candidate has the whole record, and this is asked for each of them every second. */
function isOfAnother(claim: Claim, id: string): boolean {
  const found = commandIdOf(claim);
  return found !== undefined && found !== id && readRecord(claim) !== undefined;
}
