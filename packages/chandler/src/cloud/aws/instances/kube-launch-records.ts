/**
 * Launch records in the cluster: an annotation of the NodeClaim. It is written with the version that was read, or, when only other
 * parts of the claim have changed, with the newest one: a process that has lost the lease without knowing it cannot replace the
 * record of its successor.
 */
import { isApiError, type KubeClient, keyOfObject, RecentMap, type Stored } from '@chandler/kube';
import { NODE_CLAIMS, type NodeClaim } from '../../../api/index.ts';

import { LAUNCH_RECORD_ANNOTATION, type LaunchRecordStore } from './aws-cloud-deps.ts';

/** The part of a store of NodeClaims that is read. */
export interface ClaimStore {
  values(): Iterable<Stored<NodeClaim>>;
}

const MAX_WRITTEN = 20_000;

export class KubeLaunchRecords implements LaunchRecordStore {
  readonly #client: () => KubeClient;
  readonly #claims: () => ClaimStore;
  /** What this process has written: the store shows it a moment later. By UID. */
  readonly #written = new RecentMap<{ readonly text: string; readonly resourceVersion: string }>(MAX_WRITTEN);

  /** Both are asked for at every use: they may exist later than the cloud. */
  constructor(options: { readonly client: () => KubeClient; readonly claims: () => ClaimStore }) {
    this.#client = options.client;
    this.#claims = options.claims;
  }

  textOf({ metadata }: Stored<NodeClaim>): string | undefined {
    const written = this.#written.get(metadata.uid);
    const isNewer = Number(written?.resourceVersion) > Number(metadata.resourceVersion);
    return isNewer ? written!.text : metadata.annotations?.[LAUNCH_RECORD_ANNOTATION];
  }

  async keep(claim: Stored<NodeClaim>, text: string, signal: AbortSignal): Promise<void> {
    const { uid, resourceVersion } = claim.metadata;
    const known = this.#written.get(uid);
    const before = this.textOf(claim);
    try {
      const version = known === undefined ? resourceVersion : newer(known.resourceVersion, resourceVersion);
      await this.#write(claim, version, text, signal);
    } catch (error) {
      if (!isApiError(error, 'conflict')) throw error;
      const { metadata } = await this.#client().withSignal(signal).get(NODE_CLAIMS, keyOfObject(claim));
      if (metadata.uid !== uid || metadata.annotations?.[LAUNCH_RECORD_ANNOTATION] !== before) throw error;
      await this.#write(claim, metadata.resourceVersion, text, signal);
    }
  }

  async #write(
    claim: Stored<NodeClaim>,
    resourceVersion: string,
    text: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { uid } = claim.metadata;
    const annotations = { [LAUNCH_RECORD_ANNOTATION]: text };
    const patched = await this.#client().patch(
      NODE_CLAIMS,
      keyOfObject(claim),
      { type: 'merge', patch: { metadata: { uid, resourceVersion, annotations } } },
      { signal },
    );
    this.#written.set(uid, { text, resourceVersion: patched.metadata.resourceVersion });
  }

  *pending(): Iterable<Stored<NodeClaim>> {
    for (const claim of this.#claims().values())
      if (!claim.status?.providerID && this.textOf(claim) !== undefined) yield claim;
  }

  ownerOf(providerID: string): Stored<NodeClaim> | undefined {
    for (const claim of this.#claims().values()) if (claim.status?.providerID === providerID) return claim;
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** Versions of the API server are numbers; where they are not, what was read decides. */
function newer(written: string, read: string): string {
  return Number(written) > Number(read) ? written : read;
}
