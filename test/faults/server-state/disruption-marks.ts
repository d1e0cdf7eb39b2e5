/**
 * Which NodeClaims are marked for disruption, and by which command: read from the condition and the annotation
 * that the API server has. A mark begins with the condition and ends with it, or with the claim.
 */
import type { ObservedChange, ObservedObject } from './kube-state.ts';

/** A command as its annotation has it. */
export interface CommandText {
  readonly id: string;
  readonly method: string;
  readonly reason: string;
  /** UIDs of the NodeClaims that it removes. */
  readonly candidates: readonly string[];
  /** Names of the NodeClaims that it launches. */
  readonly launches: readonly string[];
}

export interface Mark {
  readonly uid: string;
  readonly claim: string;
  readonly node: string;
  readonly pool: string;
  readonly reason: string;
  /** Monotonic. */
  readonly atMs: number;
  /** When its command was first recorded on a claim (monotonic): before the mark where another leader continued it. */
  readonly recordedMs: number;
  /** Undefined: the claim names no command, or none that includes it. */
  readonly command: CommandText | undefined;
}

export class DisruptionMarks {
  readonly #marks = new Map<string, Mark>();
  readonly #commands = new Map<string, CommandText>();
  readonly #recordedMs = new Map<string, number>();

  get(uid: string): Mark | undefined {
    return this.#marks.get(uid);
  }

  list(): readonly Mark[] {
    return [...this.#marks.values()];
  }

  /** Also one that has ended. */
  command(id: string): CommandText | undefined {
    return this.#commands.get(id);
  }

  /** Returns the mark that begins with this change. */
  take({ kind, type, object }: ObservedChange, atMs: number): Mark | undefined {
    if (kind !== 'claims') return undefined;
    const uid = object.metadata.uid!;
    const reason = type === 'DELETED' ? undefined : reasonOf(object);
    const command = commandOf(object);
    if (command !== undefined) {
      this.#commands.set(command.id, command);
      if (!this.#recordedMs.has(command.id)) this.#recordedMs.set(command.id, atMs);
    }
    if (reason === undefined) {
      this.#marks.delete(uid);
      return undefined;
    }
    const known = this.#marks.get(uid);
    const mark: Mark = {
      uid,
      claim: object.metadata.name!,
      node: object.status?.nodeName ?? '',
      pool: object.metadata.labels?.['karpenter.sh/nodepool'] ?? '',
      reason,
      atMs: known?.atMs ?? atMs,
      recordedMs: this.#recordedMs.get(command?.id ?? '') ?? atMs,
      command,
    };
    this.#marks.set(uid, mark);
    return known === undefined ? mark : undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

function reasonOf({ status }: ObservedObject): string | undefined {
  const condition = (status?.conditions ?? []).find(
    ({ type }: { type: string }) => type === 'DisruptionReason',
  );
  return condition?.status === 'True' ? condition.reason : undefined;
}

function commandOf({ metadata }: ObservedObject): CommandText | undefined {
  const text = metadata.annotations?.['chandler.sh/disruption-command'];
  if (text === undefined) return undefined;
  try {
    const { id, method, reason, nodes, launches } = JSON.parse(text);
    const candidates = nodes.map(([, , uid]: readonly string[]) => uid!);
    return candidates.includes(metadata.uid) ? { id, method, reason, candidates, launches } : undefined;
  } catch {
    return undefined;
  }
}
