/** Tokens of the page: who has one may look. They are made from the random numbers of the process and never leave its memory but in an address. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Random } from '@chandler/kube';

/** 32 random bytes. */
export function newToken(random: Pick<Random, 'uuid'>): string {
  // Each has 122 random bits.
  const seeds = [random.uuid(), random.uuid(), random.uuid()];
  return createHash('sha256').update(seeds.join('\n')).digest('base64url');
}

/** Takes the same time wherever the difference is, and whatever the length. */
export function isToken(expected: string, given: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(expected), digest(given ?? '')) && given !== undefined;
}
