import type { Read } from './reading.ts';

/** The bootstrap token with which new nodes join. */
export interface TokenEvidence extends Read {
  readonly kind: 'token';
  readonly state: 'valid' | 'expired' | 'missing' | 'replaced' | 'unusable' | 'malformed';
  readonly expiresAtMs: number | undefined;
  /** The id, never the secret. */
  readonly id: string;
}
