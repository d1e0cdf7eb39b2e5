/** Launch records in an annotation of their NodeClaims, read from the store of claims. */
import type { KubeClient, Stored } from '@chandler/kube';
import { NODE_CLAIMS, type NodeClaim, writeAnnotations } from '../../../api/index.ts';
import type { CloudStores } from '../../index.ts';
import { LAUNCH_RECORD_ANNOTATION, type LaunchRecordStore } from '../instances/index.ts';

export class ClaimRecords implements LaunchRecordStore {
  readonly #client: KubeClient;
  #claims: CloudStores['claims'] | undefined;

  constructor(client: KubeClient) {
    this.#client = client;
  }

  /** Until then there are no claims: nothing is launched before the controllers are made. */
  use({ claims }: Pick<CloudStores, 'claims'>): void {
    this.#claims = claims;
  }

  textOf({ metadata }: Stored<NodeClaim>): string | undefined {
    return metadata.annotations?.[LAUNCH_RECORD_ANNOTATION];
  }

  /** A claim that has changed meanwhile is not written: what is launched for it follows from what it is now. */
  async keep(claim: Stored<NodeClaim>, text: string, signal: AbortSignal): Promise<void> {
    const annotations = { [LAUNCH_RECORD_ANNOTATION]: text };
    await writeAnnotations(this.#client.withSignal(signal), NODE_CLAIMS, claim, annotations);
  }

  *pending(): Iterable<Stored<NodeClaim>> {
    for (const claim of this.#all())
      if (this.textOf(claim) !== undefined && (claim.status?.providerID ?? '') === '') yield claim;
  }

  isNamed(providerID: string): boolean {
    for (const claim of this.#all()) if (claim.status?.providerID === providerID) return true;
    return false;
  }

  #all(): Iterable<Stored<NodeClaim>> {
    return this.#claims?.store.values() ?? [];
  }
}
