/**
 * What the cloud said no to, from wherever it was written down: the Launched condition of a claim, a failed stage of its
 * journey, an event on the claim or, once that is gone, on its pool. The code is Azure's own, looked for in the text;
 * what kind of error it is follows from the table by which the controller decides.
 */
import type { CloudErrorEvidence, JourneyEvidence, Reading } from '../../causes/index.ts';
import {
  CALL_ROWS,
  CAPACITY_ROWS,
  type ErrorRow,
  FINDINGS,
  findingOfArmError,
  SERVICE_ROWS,
} from '../../cloud/azure/index.ts';

import type { Ask } from './ask.ts';
import type { ReadEvent } from './events.ts';
import { type ClaimShape, conditionsOf } from './shapes.ts';

export interface Told {
  readonly claim: ClaimShape;
  readonly journey: JourneyEvidence | undefined;
  readonly events: readonly ReadEvent[];
}

/** One for each claim: the best witness. */
export function readCloudErrors({ ledger }: Ask, { claim, journey, events }: Told): void {
  const { name = '' } = claim.metadata;
  const conditions = conditionsOf(claim);
  const launched = conditions.find(({ type }) => type === 'Launched');
  const registered = conditions.find(({ type }) => type === 'Registered');
  // A machine that has joined was made, whatever was said on the way.
  if (registered?.status === 'True') return;
  // How the machine provisions itself is told elsewhere: then the cloud has done its part.
  const failed = journey?.stages.findLast(
    ({ name: stage, outcome }) => outcome === 'failed' && stage !== 'extension',
  );
  const laterOk = journey?.stages.some(
    ({ outcome, atMs }) => outcome === 'ok' && failed !== undefined && atMs > failed.atMs,
  );
  if (launched !== undefined && launched.status !== 'True' && !isQuiet(launched.reason ?? '')) {
    ledger.add(
      cloudError(ledger.reading(`NodeClaim ${name}`), name, launched.reason ?? '', launched.message ?? '', {
        longer: failed?.message,
        stage: failed?.name,
      }),
    );
    return;
  }
  const event = events.findLast(({ type, reason }) => type === 'Warning' && isCloudReason(reason));
  if (event !== undefined && launched?.status !== 'True') {
    ledger.add(
      cloudError(ledger.reading(`event on NodeClaim ${name}`), name, event.reason, event.message, {
        longer: failed?.message,
        stage: failed?.name,
      }),
    );
    return;
  }
  const held = journey?.stages.at(-1);
  if (held?.outcome === 'waiting' && held.facts?.['reason'] === 'Throttled') {
    const reading = ledger.reading(`journey of NodeClaim ${name}`);
    ledger.add(cloudError(reading, name, 'Throttled', held.message ?? '', { stage: held.name }));
    return;
  }
  if (failed === undefined || laterOk) return;
  ledger.add(
    cloudError(ledger.reading(`journey of NodeClaim ${name}`), name, '', failed.message ?? '', {
      stage: failed.name,
    }),
  );
}

/** From the events on a claim that is gone. */
export function claimErrors({ ledger }: Ask, claim: string, events: readonly ReadEvent[]): void {
  const event = events.findLast(({ type, reason }) => type === 'Warning' && isCloudReason(reason));
  if (event === undefined) return;
  const reading = ledger.reading(`event on NodeClaim ${claim}`);
  ledger.add(cloudError(reading, claim, event.reason, event.message, {}));
}

/** From events on a pool about claims that are gone, the newest of each claim; those since then only. */
export function readPoolErrors(
  { ledger }: Ask,
  pool: string,
  events: readonly ReadEvent[],
  sinceMs: number,
): void {
  const latest = new Map<string, ReadEvent>();
  for (const event of events) {
    if (event.type !== 'Warning' || !isCloudReason(event.reason) || event.lastMs < sinceMs) continue;
    const claim = CLAIM_IN_EVENT.exec(event.message)?.[1] ?? '';
    // That nothing is left to buy follows from what Azure refused before.
    if (latest.has(claim) && NOTHING_LEFT.test(event.message)) continue;
    latest.set(claim, event);
  }
  const told = [...latest].sort(([, one], [, other]) => other.lastMs - one.lastMs);
  const newest = told.find(([, { message }]) => !NOTHING_LEFT.test(message)) ?? told[0];
  if (newest === undefined) return;
  const [claim, event] = newest;
  if (ledger.has('nodeClaim', `NodeClaim ${claim}`)) return;
  ledger.add(cloudError(ledger.reading(`event on NodePool ${pool}`), claim, event.reason, event.message, {}));
}

/** The row of the table that fits what Azure said, with Azure's code. */
export function rowOf(
  text: string,
): { readonly row: ErrorRow; readonly code: string | undefined } | undefined {
  const codes = new Set(text.match(/\b[A-Z][A-Za-z0-9]{3,60}\b/g) ?? []);
  for (const row of ROWS) {
    const code = row.codes?.find((each) => codes.has(each));
    if (code === undefined) continue;
    if (row.says !== undefined && !says(row.says, text)) continue;
    return { row, code };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

const NOTHING_LEFT = /no instance types available/;

const ROWS: readonly ErrorRow[] = [...CAPACITY_ROWS, ...CALL_ROWS, ...SERVICE_ROWS];

/** `NodeClaim default-x7k2p event: …`: how events on a pool name the claim. */
const CLAIM_IN_EVENT = /^NodeClaim (\S+) event:/;

/** While nothing has been tried yet. */
function isQuiet(reason: string): boolean {
  return reason === 'AwaitingReconciliation' || reason === '';
}

const KIND_OF_REASON: ReadonlyMap<string, string> = new Map([
  ...ROWS.map(({ reason, kind }) => [reason, kind] as const),
  ...Object.values(FINDINGS).map(({ reason }) => [reason, 'CreateFailed'] as const),
  ['InsufficientCapacityError', 'InsufficientCapacity'],
  ['NodeClassNotReady', 'NodeClassNotReady'],
  ['NodeClassReadinessUnknown', 'CreateFailed'],
  ['NameTaken', 'NameTaken'],
  ['Unauthorized', 'Unauthorized'],
  ['Throttled', 'Throttled'],
  ['CloudUnreachable', 'Unreachable'],
  ['AsyncProvisioningError', 'CreateFailed'],
  ['CreateInstanceFailed', 'CreateFailed'],
  ['LaunchFailed', 'CreateFailed'],
  ['ClusterValuesUnknown', 'CreateFailed'],
  ['CloudUnknown', 'CreateFailed'],
  ['CustomDataTooLarge', 'CreateFailed'],
  ['CustomDataInvalid', 'CreateFailed'],
  ['KubernetesVersionMalformed', 'NodeClassNotReady'],
  ['BootstrappingServerUnreachable', 'Unreachable'],
  ['BootstrappingServerTimeout', 'Unreachable'],
  ['BootstrappingServerRefused', 'Unauthorized'],
  ['BootstrappingServerThrottled', 'Throttled'],
  ['BootstrappingServerFailed', 'Unreachable'],
  ['BootstrappingServerRejected', 'CreateFailed'],
  ['BootstrappingServerAnswer', 'Unreachable'],
]);

function isCloudReason(reason: string): boolean {
  return KIND_OF_REASON.has(reason);
}

/** Reasons that only say that something failed: the text knows better. */
const VAGUE: ReadonlySet<string> = new Set([
  '',
  'AsyncProvisioningError',
  'CreateInstanceFailed',
  'InsufficientCapacityError',
  'LaunchFailed',
]);

function cloudError(
  reading: Reading,
  claim: string,
  reason: string,
  message: string,
  { longer, stage }: { readonly longer?: string | undefined; readonly stage?: string | undefined },
): CloudErrorEvidence {
  // A condition holds the beginning of what the journey has in full.
  const text = longer !== undefined && longer.length > message.length ? longer : message;
  const found = rowOf(text);
  const finding = VAGUE.has(reason) ? encryptionReason(text, found?.code) : undefined;
  const better = VAGUE.has(reason) ? (finding ?? found?.row.reason) : undefined;
  const known = better ?? reason;
  return {
    kind: 'cloudError',
    reading,
    claim,
    errorKind: KIND_OF_REASON.get(known) ?? found?.row.kind ?? 'CreateFailed',
    reason: known === '' ? 'CreateInstanceFailed' : known,
    code: found?.code ?? firstCode(text),
    message: text.replace(CLAIM_IN_EVENT, '').trim(),
    stage,
  };
}

function encryptionReason(text: string, code: string | undefined): string | undefined {
  const codes = text.match(/\b[A-Z][A-Za-z0-9]{5,60}\b/g) ?? [];
  for (const each of [code, ...codes]) {
    if (each === undefined) continue;
    const finding = findingOfArmError({ code: each, message: text });
    if (finding !== undefined) return FINDINGS[finding.kind].reason;
  }
  return undefined;
}

/** `…: SkuNotAvailable: The requested size …`: a word of several words before a colon. */
function firstCode(text: string): string | undefined {
  return /\b([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+):\s/.exec(text)?.[1];
}

function says(wanted: string | RegExp, text: string): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
