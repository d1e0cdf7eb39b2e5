/**
 * Evidence (c), part two: the key as the vault shows it, where the controller's identity may look: enabled, within its
 * time, not deleted. It cannot show whether the set's identity may use it; that is `vault-evidence.ts`.
 */
import { type Answer, ask, errorText } from './answer.ts';
import type { DiskEncryptionReaders, KeyAddress, KeyFacts } from './facts.ts';
import type { DiskEncryptionProblem } from './problem.ts';

/** In the words of roles and of access policies. */
export const READ_KEY =
  'Microsoft.KeyVault/vaults/keys/read (role Key Vault Reader, or get on keys in an access policy)';

type Readers = Pick<DiskEncryptionReaders, 'key' | 'deletedKey'>;

export async function keyEvidence(
  key: KeyAddress,
  readers: Readers,
  nowMs: number,
): Promise<readonly DiskEncryptionProblem[]> {
  const answer = await ask(() => readers.key(key));
  if (answer.state === 'seen') return examine(key, answer.value, nowMs);
  if (answer.state === 'absent' && answer.error.code === 'KeyNotFound') {
    const deleted = await ask(() => readers.deletedKey(key));
    return [found('keyDeleted', `${key.url} ${whereItIs(deleted)}`)];
  }
  return [notReadable(key, answer)];
}

// ---------------------------------------------------------------------------------------------------

function examine(key: KeyAddress, facts: KeyFacts, nowMs: number): DiskEncryptionProblem[] {
  if (!facts.enabled) return [found('keyDisabled', `${key.url} is disabled`)];
  if (facts.expiresMs !== undefined && facts.expiresMs <= nowMs) {
    return [found('keyExpired', `${key.url} expired at ${time(facts.expiresMs)}`)];
  }
  if (facts.notBeforeMs !== undefined && facts.notBeforeMs > nowMs) {
    return [found('keyNotYetValid', `${key.url} is not valid before ${time(facts.notBeforeMs)}`)];
  }
  return [];
}

function whereItIs(deleted: Answer<{ readonly scheduledPurgeMs: number | undefined }>): string {
  if (deleted.state === 'seen') {
    const purge = deleted.value.scheduledPurgeMs;
    return `was deleted and can be recovered${purge === undefined ? '' : ` until ${time(purge)}`}`;
  }
  if (deleted.state === 'absent') return 'does not exist and cannot be recovered';
  return `does not exist; the controller could not read whether it can be recovered: ${errorText(deleted.error)}`;
}

function notReadable(
  key: KeyAddress,
  answer: Exclude<Answer<KeyFacts>, { state: 'seen' }>,
): DiskEncryptionProblem {
  const { error } = answer;
  const message = `${key.url} could not be read: ${errorText(error)}`;
  const state = error.codes.map((code) => STATE_CODES.get(code)).find((kind) => kind !== undefined);
  if (state !== undefined) return found(state, `${key.url}: ${errorText(error)}`);
  if (error.codes.some((code) => FIREWALL_CODES.has(code))) {
    return {
      ...found('keyNotReadable', message),
      permission: "access through the vault's firewall for the controller's IP address",
    };
  }
  if (answer.state === 'refused') return { ...found('keyNotReadable', message), permission: READ_KEY };
  return { ...found('keyNotReadable', message), transient: true };
}

/** Some vaults do not show a key in such a state at all, and say so under Forbidden. */
const STATE_CODES: ReadonlyMap<string, DiskEncryptionProblem['kind']> = new Map([
  ['KeyDisabled', 'keyDisabled'],
  ['KeyExpired', 'keyExpired'],
  ['KeyNotYetValid', 'keyNotYetValid'],
]);

/** The vault's reasons for a Forbidden that no role would change. */
const FIREWALL_CODES: ReadonlySet<string> = new Set(['ForbiddenByFirewall', 'ForbiddenByConnection']);

function time(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function found(kind: DiskEncryptionProblem['kind'], message: string): DiskEncryptionProblem {
  return { kind, witness: 'vault', message };
}
