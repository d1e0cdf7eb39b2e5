/**
 * From findings to a verdict. A proof makes it False and blocks; of several, the set's own word comes first, then
 * ARM's at the last launch, then the vault's. A failed rotation makes it False too, but Azure keeps that error until
 * someone updates the set, so it may be long out of date: it blocks nothing, and gives way to what the vault says now.
 * What could not be seen makes it Unknown, names the permission, and blocks nothing. True means that everything was
 * looked at and nothing was found.
 */
import { withRemedy } from '../../../../causes/index.ts';
import { FINDING_ORDER, FINDINGS, type Finding, type Witness } from './finding.ts';

export interface Verdict {
  readonly verified: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Only a proof: every launch would fail. */
  readonly blocks: boolean;
  /** Something did not answer; asking again soon is worth it. */
  readonly askAgain: boolean;
  /** All of them, in the order of telling. */
  readonly findings: readonly Finding[];
}

export const VERIFIED = 'DiskEncryptionVerified';

export function judge(all: readonly Finding[]): Verdict {
  const findings = [...withoutOutdated(all)].sort(inOrder);
  const first = findings[0];
  const askAgain = findings.some((finding) => finding.transient === true);
  if (first === undefined) {
    return { verified: 'True', reason: VERIFIED, message: '', blocks: false, askAgain, findings };
  }
  const { status, reason } = FINDINGS[first.kind];
  const told = status === 'False' ? findings.filter(isProof) : findings;
  return {
    verified: status,
    reason,
    message: told.map(tell).join('; '),
    blocks: findings.some((finding) => isProof(finding) && finding.witness !== 'rotation'),
    askAgain,
    findings,
  };
}

// ---------------------------------------------------------------------------------------------------

const WITNESS_ORDER: readonly Witness[] = ['set', 'launch', 'vault', 'rotation'];

/** What a rotation met earlier, and the vault would have shown now if it were still so. */
function withoutOutdated(all: readonly Finding[]): readonly Finding[] {
  const blind = all.some((finding) => !isProof(finding) && finding.witness === 'vault');
  const contradicted = (finding: Finding) =>
    finding.witness === 'rotation' &&
    isProof(finding) &&
    !blind &&
    !all.some((other) => other.witness === 'vault' && other.kind === finding.kind);
  return all.filter((finding) => !contradicted(finding));
}

function inOrder(a: Finding, b: Finding): number {
  return (
    Number(isProof(b)) - Number(isProof(a)) ||
    WITNESS_ORDER.indexOf(a.witness) - WITNESS_ORDER.indexOf(b.witness) ||
    FINDING_ORDER.indexOf(a.kind) - FINDING_ORDER.indexOf(b.kind)
  );
}

function isProof(finding: Finding): boolean {
  return FINDINGS[finding.kind].status === 'False';
}

function tell(finding: Finding): string {
  if (isProof(finding)) return withRemedy(finding.message, FINDINGS[finding.kind].remedy);
  if (finding.permission === undefined) return finding.message;
  return `${finding.message} (requires ${finding.permission})`;
}
