/**
 * Where programs come from: a mirror, the vendor's address or a bundle on this machine, always against a hash that was
 * known before. What a step gets is a verified file in our own folder; what it does with it is the step's business.
 */
import type { Host } from '../host/host.ts';

/** Under the names that Kubernetes' releases use. */
export type Architecture = 'amd64' | 'arm64';

export type ArtifactKind =
  | 'runc'
  | 'containerd'
  | 'kubelet'
  | 'kubectl'
  | 'kubeadm'
  /** One archive with the three of them, where the config names such an address. */
  | 'kubernetes-node'
  | 'cni-plugins'
  | 'azcmagent';

export interface ArtifactWish {
  readonly kind: ArtifactKind;
  /** Without a leading `v`. */
  readonly version: string;
  readonly architecture: Architecture;
}

export interface Artifacts {
  /** Begins fetching in the background, as many at a time as is sensible; a failure is told by `obtain`. */
  prefetch(wishes: readonly ArtifactWish[]): void;
  /** The path of the file, whole and verified. */
  obtain(wish: ArtifactWish, host: Host): Promise<VerifiedFile>;
  /** Verified files of ours that are no longer needed are deleted. */
  discard(host: Host): Promise<void>;
  /** Ends what still runs in the background. What was fetched so far is kept and gone on with next time. */
  stop?(): Promise<void>;
}

export interface VerifiedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Where it came from, without query. */
  readonly from: string;
}
