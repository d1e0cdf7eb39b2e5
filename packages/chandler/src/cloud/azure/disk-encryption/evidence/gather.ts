/**
 * Goes for the evidence about one disk encryption set, in order: (a) the set itself, (b) what ARM said at the last
 * launch, (c) vault, roles and key, each only where the step before has named it. Node classes share sets, so an
 * answer is kept for a moment. What it all means, `verdict.ts` decides.
 */
import type { DiskEncryptionReaders, DiskEncryptionSetFacts } from './facts.ts';
import { parseKeyUrl } from './facts.ts';
import { keyEvidence } from './key-evidence.ts';
import type { LaunchEvidence } from './launch-evidence.ts';
import type { DiskEncryptionProblem } from './problem.ts';
import { setEvidence } from './set-evidence.ts';
import { vaultEvidence } from './vault-evidence.ts';
import { type Verdict, verdictOf } from './verdict.ts';

export interface EvidenceOptions {
  readonly readers: DiskEncryptionReaders;
  readonly launches: LaunchEvidence;
  /** Where the nodes are. Undefined where it is not known: then nothing is compared with it. */
  readonly location: string | undefined;
  readonly subscriptionId: string | undefined;
  readonly now: () => number;
}

export interface Evidence extends Verdict {
  /** From the set, where it could be read. */
  readonly encryptionType?: string;
  /** When an answer of ARM stops counting. */
  readonly untilMs?: number;
}

/** How long the answers about a set are cached. */
export const EVIDENCE_KEPT_MS = 30_000;

export class DiskEncryptionEvidence {
  readonly #options: EvidenceOptions;
  readonly #kept = new Map<string, { readonly problems: Promise<Gathered>; readonly untilMs: number }>();

  constructor(options: EvidenceOptions) {
    this.#options = options;
  }

  async about(id: string): Promise<Evidence> {
    const nowMs = this.#options.now();
    const { problems, set } = await this.#gathered(id, nowMs);
    const launch = this.#options.launches.current(id, nowMs);
    const verdict = verdictOf(launch === undefined ? problems : [...problems, launch.problem]);
    return {
      ...verdict,
      ...(set?.encryptionType === undefined ? {} : { encryptionType: set.encryptionType }),
      ...(launch === undefined ? {} : { untilMs: launch.untilMs }),
    };
  }

  #gathered(id: string, nowMs: number): Promise<Gathered> {
    const key = id.toLowerCase();
    const kept = this.#kept.get(key);
    if (kept !== undefined && kept.untilMs > nowMs) return kept.problems;
    for (const [each, { untilMs }] of this.#kept) if (untilMs <= nowMs) this.#kept.delete(each);
    const problems = gather(id, this.#options, nowMs);
    this.#kept.set(key, { problems, untilMs: nowMs + EVIDENCE_KEPT_MS });
    return problems;
  }
}

// ---------------------------------------------------------------------------------------------------

interface Gathered {
  readonly problems: readonly DiskEncryptionProblem[];
  readonly set?: DiskEncryptionSetFacts;
}

async function gather(id: string, options: EvidenceOptions, nowMs: number): Promise<Gathered> {
  const { problems, set } = await setEvidence(id, options, options.readers);
  if (set?.keyUrl === undefined) return { problems, ...(set === undefined ? {} : { set }) };
  return { problems: [...problems, ...(await behind(set, set.keyUrl, options.readers, nowMs))], set };
}

async function behind(
  set: DiskEncryptionSetFacts,
  keyUrl: string,
  readers: DiskEncryptionReaders,
  nowMs: number,
): Promise<readonly DiskEncryptionProblem[]> {
  const key = parseKeyUrl(keyUrl);
  if (key === undefined) return [unseen('keyNotReadable', `${keyUrl} is not the URL of a key`)];
  const question = { vaultId: set.vaultId ?? '', keyName: key.name, principalIds: set.principalIds };
  const [vault, keys] = await Promise.all([
    hiddenVault(set, key.vaultUrl) ?? vaultEvidence(question, readers),
    keyEvidence(key, readers, nowMs),
  ]);
  return [...vault, ...keys];
}

/** Vaults whose permissions ARM does not show, at least not to us. */
function hiddenVault(
  set: DiskEncryptionSetFacts,
  vaultUrl: string,
): readonly DiskEncryptionProblem[] | undefined {
  if (set.federatedClientId !== undefined) {
    return [
      unseen('vaultNotReadable', 'the vault belongs to another tenant, whose permissions cannot be read'),
    ];
  }
  if (set.vaultId === undefined) {
    const why = /\.managedhsm\./i.test(vaultUrl)
      ? 'it is a managed HSM, whose role assignments cannot be read'
      : 'the disk encryption set does not name the subscription of the vault';
    return [unseen('vaultNotReadable', `the firewall and permissions of ${vaultUrl} cannot be read: ${why}`)];
  }
  // Without an identity there are no permissions to look up; the problem of the set itself says so.
  return set.principalIds.length === 0 ? [] : undefined;
}

function unseen(kind: 'keyNotReadable' | 'vaultNotReadable', message: string): DiskEncryptionProblem {
  return { kind, witness: 'vault', message };
}
