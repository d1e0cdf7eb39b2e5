/** The journeys of NodeClaims as a waterfall: those that exist, and the last that failed, with what is usual. */
import { conditionOf, type KubeObject, type Stored } from '@chandler/kube';
import { ChandlerAnnotation, KarpenterLabel, KubernetesLabel, type NodeClaim } from '../../api/index.ts';
import { QuestionError, type wire } from '../../dashboard/index.ts';
import { failedAtMs, type KeptClaim } from '../../diagnose/index.ts';
import { decodeJourney } from '../../journey/index.ts';
import type { Explainer } from './explainer.ts';

export class ClaimAnswers {
  readonly #explainer: Explainer;
  readonly #pause: () => Promise<void> | undefined;
  /** Of claims that failed, by UID: what has failed does not change. */
  readonly #causes = new Map<string, wire.Finding | null>();

  /** @param pause lets others have their turn. */
  constructor(explainer: Explainer, pause: () => Promise<void> | undefined = () => undefined) {
    this.#explainer = explainer;
    this.#pause = pause;
  }

  async answer(
    claims: Iterable<Stored<NodeClaim>>,
    kept: readonly KeptClaim[],
    nowMs: number,
  ): Promise<wire.ClaimsAnswer> {
    const living: { readonly claim: Stored<NodeClaim>; readonly row: wire.ClaimRow }[] = [];
    for (const claim of [...claims]) {
      living.push({ claim, row: claimRow(claim) });
      await this.#pause();
    }
    const names = new Set(living.map(({ row }) => row.name));
    const gone = kept.filter(({ claim }) => !names.has(claim.metadata.name ?? ''));
    const rows = [
      ...living.filter(({ claim }) => isRecent(claim, nowMs)),
      ...gone.map(({ claim, atMs }) => ({
        claim: claim as unknown as Claim,
        row: claimRow(claim as unknown as Claim, atMs),
      })),
    ].sort((one, other) => other.row.createdMs - one.row.createdMs);
    await this.#pause();
    const medians = mediansOf(living.map(({ row }) => row));
    await this.#pause();
    return { atMs: nowMs, medians, claims: await this.#withCauses(rows) };
  }

  /** The newest failures first; of older ones the next answers have the cause. */
  async #withCauses(
    rows: readonly { readonly claim: Claim; readonly row: wire.ClaimRow }[],
  ): Promise<readonly wire.ClaimRow[]> {
    let asked = 0;
    const found: wire.ClaimRow[] = [];
    for (const { claim, row } of rows) {
      const uid = claim.metadata.uid ?? row.name;
      if (row.outcome !== 'failed') found.push(row);
      else {
        if (!this.#causes.has(uid) && asked++ < MAX_ASKED) await this.#ask(uid, row.name);
        found.push({ ...row, cause: this.#causes.get(uid) ?? null });
      }
    }
    return found;
  }

  /** What could not be answered is asked again by the next answers. */
  async #ask(uid: string, name: string): Promise<void> {
    try {
      this.#remember(uid, (await this.#explainer.explain({ kind: 'nodeclaim', name })).cause);
    } catch (error) {
      if (!(error instanceof QuestionError)) throw error;
    }
  }

  #remember(uid: string, cause: wire.Finding | null): void {
    this.#causes.set(uid, cause);
    if (this.#causes.size > MAX_CAUSES) this.#causes.delete(this.#causes.keys().next().value!);
  }
}

export function claimRow(claim: Claim, failedMs = failedAtMs(claim as never)): wire.ClaimRow {
  const { name, labels = {}, creationTimestamp, deletionTimestamp } = claim.metadata;
  const createdMs = timeOf(creationTimestamp) ?? 0;
  const stages = ended(stagesOf(claim, createdMs), failedMs ?? timeOf(deletionTimestamp));
  const isDone = conditionOf(claim, 'Initialized')?.status === 'True';
  return {
    name: name ?? '',
    pool: labels[KarpenterLabel.nodePool] ?? null,
    type: labels[KubernetesLabel.instanceType] ?? null,
    node: claim.status?.nodeName ?? null,
    outcome:
      failedMs !== undefined
        ? 'failed'
        : deletionTimestamp !== undefined
          ? 'leaving'
          : isDone
            ? 'succeeded'
            : 'under-way',
    createdMs,
    stages,
    cause: null,
  };
}

// ---------------------------------------------------------------------------------------------------

type Claim = Pick<NodeClaim, 'status'> & KubeObject;

const MAX_ASKED = 10;
const MAX_CAUSES = 200;
const RECENT_MS = 24 * 3600_000;
const AFTER_LAUNCH = ['Registered', 'Initialized'] as const;
const OUTCOMES: Readonly<Record<string, string | undefined>> = { True: 'ok', False: 'failed' };

/** In flight, or of the last day. */
function isRecent(claim: Stored<NodeClaim>, nowMs: number): boolean {
  const isDone = conditionOf(claim, 'Initialized')?.status === 'True';
  const isLeaving = claim.metadata.deletionTimestamp !== undefined;
  return !isDone || isLeaving || nowMs - (timeOf(claim.metadata.creationTimestamp) ?? 0) < RECENT_MS;
}

/** Each begins where the one before has ended: stages write down when they ended. */
function stagesOf(claim: Claim, createdMs: number): wire.ClaimRow['stages'] {
  const all = [...journeyStages(claim), ...conditionStages(claim)];
  let startMs = createdMs;
  return all.map(({ atMs, ...stage }, at) => {
    // Of a stage the last outcome is kept: what was awaited is over if something came after it.
    const next = all.slice(at + 1).find(({ outcome }) => outcome === 'ok');
    const isOver = stage.outcome !== 'waiting' || next !== undefined;
    const begunMs = startMs;
    const endMs = stage.outcome === 'waiting' ? next?.atMs : atMs;
    startMs = Math.max(startMs, endMs ?? startMs);
    return {
      ...stage,
      outcome: isOver && stage.outcome === 'waiting' ? 'ok' : stage.outcome,
      startMs: begunMs,
      endMs: endMs === undefined ? null : Math.max(begunMs, endMs),
    };
  });
}

/** What is over waits for nothing: the stage that it was at ends with it, and those after a failure never began. */
function ended(stages: wire.ClaimRow['stages'], overMs: number | undefined): wire.ClaimRow['stages'] {
  if (overMs === undefined) return stages;
  const failedAt = stages.findIndex(({ outcome }) => outcome === 'failed');
  const openAt = stages.findIndex(({ endMs }) => endMs === null);
  const last = failedAt >= 0 ? failedAt : openAt;
  return stages
    .filter(({ endMs }, at) => endMs !== null || at <= last)
    .map((stage) => ({ ...stage, endMs: stage.endMs ?? Math.max(stage.startMs, overMs) }));
}

interface ReadStage {
  readonly stage: string;
  readonly text: string;
  readonly outcome: string;
  readonly detail: string;
  /** When the outcome was known. */
  readonly atMs: number | undefined;
}

function journeyStages(claim: Claim): readonly ReadStage[] {
  return decodeJourney(claim.metadata.annotations?.[ChandlerAnnotation.journey]).map(
    ({ name, atMs, outcome, message, facts = {} }) => ({
      stage: name,
      text: wordsOf(name),
      outcome,
      detail: message ?? factsText(facts),
      atMs,
    }),
  );
}

function conditionStages(claim: Claim): readonly ReadStage[] {
  return AFTER_LAUNCH.flatMap((type) => {
    const condition = conditionOf(claim, type);
    if (condition === undefined) return [];
    const { status, reason, message, lastTransitionTime } = condition;
    const outcome = OUTCOMES[status] ?? 'waiting';
    const detail = outcome === 'ok' ? '' : [reason, message].filter(Boolean).join(': ');
    return [{ stage: type.toLowerCase(), text: type, outcome, detail, atMs: timeOf(lastTransitionTime) }];
  });
}

function factsText(facts: Readonly<Record<string, unknown>>): string {
  return Object.entries(facts)
    .map(([name, fact]) => {
      const { value, source } = (typeof fact === 'object' && fact !== null ? fact : {}) as Record<
        string,
        string
      >;
      return value === undefined ? `${name} ${fact}` : `${name} ${value} (${source})`;
    })
    .join(', ');
}

/** `networkInterface` → `Network interface`. */
function wordsOf(name: string): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.replace(/\bvm\b/i, 'VM');
}

function mediansOf(rows: readonly wire.ClaimRow[]): wire.ClaimsAnswer['medians'] {
  const done = rows.filter(({ outcome }) => outcome === 'succeeded');
  const byPool = Map.groupBy(done, ({ pool }) => pool ?? '');
  const groups = new Map([...byPool].filter(([name]) => name !== ''));
  if (done.length > 0) groups.set('*', done);
  return Object.fromEntries([...groups].map(([name, own]) => [name, mediansByStage(own)]));
}

function mediansByStage(rows: readonly wire.ClaimRow[]): Readonly<Record<string, number>> {
  const seconds = new Map<string, number[]>();
  for (const { createdMs, stages } of rows)
    for (const { stage, endMs } of stages) {
      if (endMs === null) continue;
      const known = seconds.get(stage);
      if (known === undefined) seconds.set(stage, [(endMs - createdMs) / 1000]);
      else known.push((endMs - createdMs) / 1000);
    }
  return Object.fromEntries([...seconds].map(([stage, all]) => [stage, median(all)]));
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const value = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
  return Number(value.toFixed(1));
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
