/** The claims that may still accept a pod: scratch space of a run, filled for one pod at a time. */
import { type Bits, emptyBits, NO_BITS, wordsFor } from '../bits.ts';

export class CandidateClaims {
  bits: Bits = NO_BITS;
  /** The nonzero words of the bits. */
  words: Bits = NO_BITS;

  reset(claims: number): void {
    const words = wordsFor(claims);
    if (words > this.bits.length) {
      this.bits = new Int32Array(words * 2);
      this.words = emptyBits(words * 2);
    }
    this.words.fill(0);
  }
}
