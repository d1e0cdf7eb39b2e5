/** Launch records in an annotation of their NodeClaims, read from the store of claims. */
import { isApiError, type KubeClient, keyOfObject, type Stored } from '@chandler/kube';
import { NODE_CLAIMS, type NodeClaim, writeAnnotations } from '../../../api/index.ts';
import type { CloudControllerContext, CloudStores } from '../../index.ts';
import { LAUNCH_RECORD_ANNOTATION, type LaunchRecordStore } from '../instances/index.ts';

export class ClaimRecords implements LaunchRecordStore {
  #client: KubeClient | undefined;
  #claims: CloudStores['claims'] | undefined;

  /** Until then there are no claims: nothing is launched before the controllers are made. */
  use({ client, stores }: Pick<CloudControllerContext, 'client' | 'stores'>): void {
    this.#client = client;
    this.#claims = stores.claims;
  }

  textOf({ metadata }: Stored<NodeClaim>): string | undefined {
    return metadata.annotations?.[LAUNCH_RECORD_ANNOTATION];
  }

  /**
   * To the claim as it is now, whatever else was written to it since the launch began. @throws when it is gone, or changes all the
   * time.
   */
  async keep(claim: Stored<NodeClaim>, text: string, signal: AbortSignal): Promise<void> {
    if (this.#client === undefined) throw new Error('a launch began before the controllers were made');
    const client = this.#client.withSignal(signal);
    const key = keyOfObject(claim);
    const isOwn = (found: Stored<NodeClaim> | undefined) => found?.metadata.uid === claim.metadata.uid;
    const known = this.#claims?.store.get(key);
    const annotations = { [LAUNCH_RECORD_ANNOTATION]: text };
    try {
      await writeAnnotations(client, NODE_CLAIMS, isOwn(known) ? known! : claim, annotations);
    } catch (error) {
      if (!isApiError(error, 'conflict')) throw error;
      const newest = await client.get(NODE_CLAIMS, key);
      if (!isOwn(newest)) throw error;
      await writeAnnotations(client, NODE_CLAIMS, newest, annotations);
    }
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
