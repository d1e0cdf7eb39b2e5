/**
 * What the cloud refused, from wherever it was recorded: the Launched condition of a claim, a failed stage of its journey,
 * an event on the claim or, once that is deleted, on its NodePool. The cloud classifies the message.
 */
import { quotedBootLine } from '../../bootstrap/index.ts';
import {
  type CloudErrorEvidence,
  type JourneyEvidence,
  NO_INSTANCE_TYPES,
  type Reading,
} from '../../causes/index.ts';
import { type EventWindow, eventReading, type ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { type ClaimShape, conditionsOf } from './shapes.ts';

export interface Reported {
  readonly claim: ClaimShape;
  readonly journey: JourneyEvidence | undefined;
  readonly events: readonly ReadEvent[];
}

/** One error per claim, from the best source. */
export function readCloudErrors(context: GatherContext, { claim, journey, events }: Reported): void {
  const { recorder } = context;
  const { name } = claim.metadata;
  const conditions = conditionsOf(claim);
  const launched = conditions.find(({ type }) => type === 'Launched');
  const registered = conditions.find(({ type }) => type === 'Registered');
  // A VM that has joined was created, whatever failed before.
  if (registered?.status === 'True') return;
  // A failed bootstrap is reported elsewhere: the cloud has created the VM.
  const failed = journey?.stages.findLast(
    ({ name: stage, outcome }) => outcome === 'failed' && stage !== 'extension',
  );
  const laterOk = journey?.stages.some(
    ({ outcome, atMs }) => outcome === 'ok' && failed !== undefined && atMs > failed.atMs,
  );
  if (launched !== undefined && launched.status !== 'True' && !isQuiet(launched.reason ?? '')) {
    recorder.add(
      cloudError(
        context,
        recorder.reading(`NodeClaim ${name}`),
        name,
        launched.reason ?? '',
        launched.message ?? '',
        {
          longer: failed?.message,
          stage: failed?.name,
        },
      ),
    );
    return;
  }
  const event = events.findLast(({ type, reason }) => type === 'Warning' && isCloudReason(context, reason));
  if (event !== undefined && launched?.status !== 'True') {
    recorder.add(
      cloudError(context, recorder.reading(`event on NodeClaim ${name}`), name, event.reason, event.message, {
        longer: failed?.message,
        stage: failed?.name,
      }),
    );
    return;
  }
  const held = journey?.stages.at(-1);
  if (held?.outcome === 'waiting' && held.facts?.['reason'] === 'Throttled') {
    const reading = recorder.reading(`launch record of NodeClaim ${name}`);
    recorder.add(cloudError(context, reading, name, 'Throttled', held.message ?? '', { stage: held.name }));
    return;
  }
  if (failed === undefined || laterOk) return;
  recorder.add(
    cloudError(
      context,
      recorder.reading(`launch record of NodeClaim ${name}`),
      name,
      '',
      failed.message ?? '',
      {
        stage: failed.name,
      },
    ),
  );
}

/** From the events on a claim that is gone. */
export function claimErrors(
  context: GatherContext,
  claim: string,
  events: readonly ReadEvent[],
  window: Pick<EventWindow, 'overBeforeMs'> = {},
): void {
  const { recorder } = context;
  const event = events.findLast(({ type, reason }) => type === 'Warning' && isCloudReason(context, reason));
  if (event === undefined) return;
  const reading = eventReading(context, `event on NodeClaim ${claim}`, event, window);
  recorder.add(cloudError(context, reading, claim, event.reason, event.message, {}));
}

/** From events on a pod: launches that the cloud refused for it. The NodeClaim that it waits for now is another try. */
export function readPodErrors(context: GatherContext, pod: string, events: readonly ReadEvent[]): void {
  const { recorder } = context;
  const isRefusal = ({ type, reason, component }: ReadEvent) =>
    type === 'Warning' && isCloudReason(context, reason) && /karpenter|chandler/.test(component);
  const event = events.findLast(isRefusal);
  if (event === undefined || recorder.evidence().first('cloudError') !== undefined) return;
  const [whole = '', claim = ''] = CLAIM_OF_POD.exec(event.message) ?? [];
  const reading = eventReading(context, `event on Pod ${pod}`, event, {});
  recorder.add(cloudError(context, reading, claim, event.reason, event.message.slice(whole.length), {}));
}

/** From events on a pool about claims that are gone, the newest of each claim; those since then only. */
export function readPoolErrors(
  context: GatherContext,
  pool: string,
  events: readonly ReadEvent[],
  window: EventWindow,
): void {
  const { recorder } = context;
  const latest = new Map<string, ReadEvent>();
  for (const event of events) {
    if (event.type !== 'Warning' || !isCloudReason(context, event.reason) || event.lastMs < window.sinceMs)
      continue;
    const claim = CLAIM_IN_EVENT.exec(event.message)?.[1] ?? '';
    // That nothing is available follows from what the cloud refused before.
    if (latest.has(claim) && NOTHING_LEFT.test(event.message)) continue;
    latest.set(claim, event);
  }
  const reported = [...latest].sort(([, one], [, other]) => other.lastMs - one.lastMs);
  const newest = reported.find(([, { message }]) => !NOTHING_LEFT.test(message)) ?? reported[0];
  if (newest === undefined) return;
  const [claim, event] = newest;
  if (recorder.has('nodeClaim', `NodeClaim ${claim}`)) return;
  recorder.add(
    cloudError(
      context,
      eventReading(context, `event on NodePool ${pool}`, event, window),
      claim,
      event.reason,
      event.message,
      {},
    ),
  );
}

// ---------------------------------------------------------------------------------------------------

const NOTHING_LEFT = new RegExp(NO_INSTANCE_TYPES);

/** `NodeClaim default-x7k2p event: …`: how events on a pool name the claim. */
const CLAIM_IN_EVENT = /^NodeClaim (\S+) event:/;

/** How events on a pod name the claim. */
const CLAIM_OF_POD = /^NodeClaim (\S+) nominated for this pod failed to launch: /;

/** While nothing has been tried yet. */
function isQuiet(reason: string): boolean {
  return reason === 'AwaitingReconciliation' || reason === '';
}

/** Reasons that the controller writes for every cloud. */
const GENERAL_REASONS: ReadonlyMap<string, string> = new Map([
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
]);

function kindOfReason({ cloud }: GatherContext, reason: string): string | undefined {
  return GENERAL_REASONS.get(reason) ?? cloud.errors.reasons.get(reason);
}

function isCloudReason(context: GatherContext, reason: string): boolean {
  return kindOfReason(context, reason) !== undefined;
}

/** Reasons that only say that something failed: the message is classified instead. */
const VAGUE: ReadonlySet<string> = new Set([
  '',
  'AsyncProvisioningError',
  'CreateInstanceFailed',
  'InsufficientCapacityError',
  'LaunchFailed',
]);

function cloudError(
  context: GatherContext,
  reading: Reading,
  claim: string,
  reason: string,
  message: string,
  { longer, stage }: { readonly longer?: string | undefined; readonly stage?: string | undefined },
): CloudErrorEvidence {
  // A condition holds the beginning of what the journey has in full.
  const whole = longer !== undefined && longer.length > message.length ? longer : message;
  const text = whole.replace(CLAIM_IN_EVENT, '').trim();
  const boot = quotedBootLine(text);
  // What the VM printed is not what the cloud said.
  const found = context.cloud.errors.classify(boot?.rest ?? text);
  const known = (VAGUE.has(reason) ? found?.reason : undefined) ?? reason;
  return {
    kind: 'cloudError',
    reading,
    claim,
    errorKind: kindOfReason(context, known) ?? found?.errorKind ?? 'CreateFailed',
    reason: known === '' ? 'CreateInstanceFailed' : known,
    code: found?.code ?? firstCode(boot?.rest ?? text),
    message: text,
    stage,
    ...(boot === undefined ? {} : { bootLine: boot.quoted }),
  };
}

/** `…: SkuNotAvailable: The requested size …`: a word of several words before a colon. */
function firstCode(text: string): string | undefined {
  return /\b([A-Z][a-z0-9]+(?:[A-Z][A-Za-z0-9]*)+):\s/.exec(text)?.[1];
}
