/**
 * Lines in the log of a VM that has not joined. A line counts for the state that the boot has reached: what a later line
 * shows to be over is none, and what is retried is only suspicious until the VM should have joined. A node that joined may
 * have had any failure before.
 */
import type { Weight } from './cause.ts';
import type { NodeClaimEvidence, SerialLogEvidence } from './evidence.ts';
import { conditionOf, type EvidenceSet, isTrue } from './evidence-set.ts';
import { isFollowedBy, lastFound } from './log-lines.ts';

/** A VM needs no longer than this from launched to registered. */
export const REGISTRATION_EXPECTED_MS = 5 * 60_000;

/** Claims with a VM that has not registered. */
export function joiningClaims(evidence: EvidenceSet): readonly NodeClaimEvidence[] {
  return evidence.liveClaims.filter((claim) => isTrue(claim, 'Launched') && !isTrue(claim, 'Registered'));
}

export interface BootLine {
  readonly claim: NodeClaimEvidence;
  readonly log: SerialLogEvidence;
  readonly line: string;
  readonly weight: Weight;
}

export interface BootLineOptions {
  /** Whoever writes the line does not try again: it counts at once. */
  readonly isFinal?: boolean;
  /** A later line that shows that the boot went on. Default: by who wrote the line. */
  readonly overAfter?: RegExp;
}

/** The last line of that kind, of the first VM that has one. */
export function bootLine(
  evidence: EvidenceSet,
  isWanted: (line: string) => boolean,
  { isFinal = false, overAfter }: BootLineOptions = {},
): BootLine | undefined {
  for (const claim of joiningClaims(evidence)) {
    const log = evidence.all('serialLog').find((each) => each.claim === claim.name);
    const line = log && lastFound(log.text, (each) => isWanted(each) || undefined)?.line;
    if (log === undefined || line === undefined) continue;
    if (isFollowedBy(log.text, line, overAfter ?? (/kubelet/i.test(line) ? REGISTERED : WENT_ON))) continue;
    const launchedMs = Date.parse(conditionOf(claim, 'Launched')?.lastTransitionTime ?? '');
    const isLate = evidence.ageMs(launchedMs || claim.createdAtMs) > REGISTRATION_EXPECTED_MS;
    return { claim, log, line, weight: isFinal || isLate ? 'broken' : 'suspicious' };
  }
  return undefined;
}

/** The operating system runs. */
export const BOOTED =
  /\blogin:|Started .{0,40}\b[Kk]ubelet|\bkubelet\[\d+\]|Reached target .{0,40}(?:Multi-User|Network is Online)/;

// ---------------------------------------------------------------------------------------------------

/** A kubelet that fails is started again and again. */
const REGISTERED = /[Ss]uccessfully registered node/;
const WENT_ON =
  /Started .{0,40}\b[Kk]ubelet|Reached target .{0,40}Network is Online|[Ss]uccessfully registered node/;
