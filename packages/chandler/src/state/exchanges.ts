/**
 * The exchanges of nodes that are in progress: the candidates of a command and their replacements. For the limits of a pool both
 * sides count as one, whichever is larger: the candidates stay when the command fails, and the replacements take their room when
 * it succeeds.
 */
import { KarpenterLabel, type NodeClaim } from '../api/index.ts';

export interface Exchange {
  /** Names of claims. */
  readonly candidates: readonly string[];
  /** Also those that are still to be created. */
  readonly replacements: readonly Replacement[];
}

export type Replacement = Pick<NodeClaim, 'spec'> & {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
};

/** The side of an exchange that a claim is on. */
export interface Side {
  readonly id: string;
  readonly side: 'candidates' | 'replacements';
}

export class Exchanges {
  readonly #exchanges = new Map<string, Exchange>();
  readonly #sides = new Map<string, Side>();

  begin(id: string, exchange: Exchange): void {
    this.end(id);
    this.#exchanges.set(id, exchange);
    for (const { metadata } of exchange.replacements)
      this.#sides.set(metadata.name, { id, side: 'replacements' });
    for (const claim of exchange.candidates) this.#sides.set(claim, { id, side: 'candidates' });
  }

  end(id: string): void {
    const exchange = this.#exchanges.get(id);
    if (exchange === undefined) return;
    this.#exchanges.delete(id);
    const claims = [...exchange.candidates, ...exchange.replacements.map(({ metadata }) => metadata.name)];
    for (const claim of claims) if (this.#sides.get(claim)?.id === id) this.#sides.delete(claim);
  }

  sideOf(claim: string): Side | undefined {
    return this.#sides.get(claim);
  }

  /** All replacements of a pool, with the exchange that they belong to. */
  *replacementsIn(nodePool: string): Generator<readonly [id: string, replacement: Replacement]> {
    for (const [id, { replacements }] of this.#exchanges)
      for (const replacement of replacements)
        if (replacement.metadata.labels?.[KarpenterLabel.nodePool] === nodePool) yield [id, replacement];
  }
}
