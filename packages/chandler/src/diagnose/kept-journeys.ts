/**
 * Failed claims, as kept in a ConfigMap in the namespace of the controller: the part of the object that `why` needs, one
 * entry per claim, the last fifty, bounded in size. `controllers/journeys` decides when it is written; `why` reads it
 * when the claim no longer exists.
 */
import { type KubeObject, withoutSecrets } from '@chandler/kube';
import { ChandlerAnnotation, KarpenterLabel } from '../api/index.ts';
import { decodeJourney } from '../journey/index.ts';

import type { ClaimShape } from './evidence/shapes.ts';

export const KEPT_JOURNEYS_NAME = 'chandler-failed-journeys';
export const MAX_KEPT = 50;
/** Of all names and texts together. */
export const KEPT_LIMIT_BYTES = 256 * 1024;

export interface KeptClaim {
  /** When it was known to have failed. */
  readonly atMs: number;
  readonly claim: ClaimShape;
}

/** When the claim failed; undefined if it has not failed. */
export function failedAtMs(claim: ClaimShape): number | undefined {
  if (conditionOf(claim, 'Registered')?.status === 'True') return undefined;
  const bootstrap = conditionOf(claim, 'CSEProvisioned');
  if (bootstrap?.status === 'False') return timeOf(bootstrap.lastTransitionTime);
  const deletedMs = timeOf(claim.metadata.deletionTimestamp);
  if (deletedMs === undefined) return undefined;
  const stages = decodeJourney(claim.metadata.annotations?.[ChandlerAnnotation.journey]);
  const launched = conditionOf(claim, 'Launched');
  const refused = launched !== undefined && launched.status !== 'True' && !isQuiet(launched.reason);
  const waitedMs = deletedMs - (timeOf(launched?.lastTransitionTime) ?? deletedMs);
  const failed =
    refused ||
    stages.some(({ outcome }) => outcome === 'failed') ||
    (launched?.status === 'True' && waitedMs >= GIVEN_UP_AFTER_MS);
  return failed ? deletedMs : undefined;
}

/** One line of JSON with what `why` needs. The same claim always gives the same text. */
export function keptText(claim: ClaimShape, atMs: number): string {
  const { name, uid, creationTimestamp, labels = {}, annotations = {} } = claim.metadata;
  const { providerID, imageID, nodeName } = claim.status ?? {};
  const pool = labels[KarpenterLabel.nodePool];
  const { [ChandlerAnnotation.journey]: journey, [ChandlerAnnotation.bootstrapLog]: log } = annotations;
  const kept = {
    ...(journey === undefined ? {} : { [ChandlerAnnotation.journey]: journey }),
    ...(log === undefined
      ? {}
      : { [ChandlerAnnotation.bootstrapLog]: withoutSecrets(log).slice(-LOG_LENGTH) }),
  };
  const { group, kind, name: className } = claim.spec.nodeClassRef;
  return JSON.stringify({
    at: new Date(atMs).toISOString(),
    metadata: {
      name,
      uid,
      creationTimestamp,
      ...(pool === undefined ? {} : { labels: { [KarpenterLabel.nodePool]: pool } }),
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
    },
    spec: { nodeClassRef: { group, kind, name: className } },
    status: { providerID, imageID, nodeName, conditions: conditionsWorthKeeping(claim) },
  });
}

/** Undefined for a text that is not one of ours. */
export function readKept(text: string | undefined): KeptClaim | undefined {
  try {
    const { at, ...claim } = JSON.parse(text ?? '') as { at: string } & KubeObject;
    const atMs = timeOf(at);
    if (atMs === undefined || typeof claim.metadata?.name !== 'string') return undefined;
    const { spec } = claim as Partial<ClaimShape>;
    if (typeof spec?.nodeClassRef?.name !== 'string' || !hasTextsAndConditions(claim)) return undefined;
    const whole = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', ...claim };
    return { atMs, claim: whole as unknown as ClaimShape };
  } catch {
    return undefined;
  }
}

/**
 * The patch to the data of the ConfigMap that adds these entries: texts to set, and null for entries to remove, the
 * oldest first. Undefined if nothing changes.
 */
export function keptPatch(
  data: Readonly<Record<string, string>>,
  added: ReadonlyMap<string, string>,
): Readonly<Record<string, string | null>> | undefined {
  const changed = [...added].filter(([name, text]) => data[name] !== text);
  if (changed.length === 0) return undefined;
  const all = { ...data, ...Object.fromEntries(changed) };
  const newestFirst = Object.keys(all)
    .map((name) => ({ name, atMs: readKept(all[name])?.atMs ?? 0 }))
    .sort((one, other) => other.atMs - one.atMs || (one.name < other.name ? -1 : 1));
  const patch: Record<string, string | null> = Object.fromEntries(changed);
  let bytes = 0;
  for (const [index, { name }] of newestFirst.entries()) {
    bytes += Buffer.byteLength(name) + Buffer.byteLength(all[name]!);
    if (index < MAX_KEPT && bytes <= KEPT_LIMIT_BYTES) continue;
    if (name in data) patch[name] = null;
    else delete patch[name];
  }
  return Object.keys(patch).length === 0 ? undefined : patch;
}

// ---------------------------------------------------------------------------------------------------

/** A claim that has not registered by then is deleted; one that is deleted earlier has another reason. */
const GIVEN_UP_AFTER_MS = 14 * 60_000;
const MESSAGE_LENGTH = 1000;
/** More than the controller writes. */
const LOG_LENGTH = 4096;

const KEPT_CONDITIONS: ReadonlySet<string> = new Set([
  'Launched',
  'Registered',
  'Initialized',
  'CSEProvisioned',
]);

/** Whoever may write ConfigMaps may have written it. */
function hasTextsAndConditions({ metadata, ...claim }: KubeObject): boolean {
  const { labels = {}, annotations = {} } = metadata as Readonly<Record<string, unknown>>;
  const { conditions = [] } = (claim['status'] ?? {}) as Readonly<Record<string, unknown>>;
  const isText = (value: unknown) => value === undefined || typeof value === 'string';
  const areTexts = (value: unknown) =>
    typeof value === 'object' && value !== null && Object.values(value).every(isText);
  return (
    isText(metadata?.uid) &&
    isText(metadata?.creationTimestamp) &&
    areTexts(labels) &&
    areTexts(annotations) &&
    Array.isArray(conditions) &&
    conditions.every(areTexts)
  );
}

function isQuiet(reason: string | undefined): boolean {
  return reason === undefined || reason === '' || reason === 'AwaitingReconciliation';
}

function conditionOf(claim: ClaimShape, type: string) {
  return claim.status?.conditions?.find((each) => each.type === type);
}

function conditionsWorthKeeping(claim: ClaimShape): readonly object[] {
  return (claim.status?.conditions ?? [])
    .filter(({ type }) => KEPT_CONDITIONS.has(type))
    .map(({ type, status, reason, message = '', lastTransitionTime }) => ({
      type,
      status,
      reason,
      message: withoutSecrets(message).slice(0, MESSAGE_LENGTH),
      lastTransitionTime,
    }));
}

function timeOf(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}
