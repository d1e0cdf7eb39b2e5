/**
 * The sources of programs: a mirror, the URL of the vendor, or a bundle on this machine. Every file is verified against a
 * hash that is known in advance. A step gets a verified file in a directory of the agent; the step installs it.
 */
import type { Host } from '../host/host.ts';

/** The names that Kubernetes releases use. */
export type Architecture = 'amd64' | 'arm64';

export type ArtifactKind =
  | 'runc'
  | 'containerd'
  | 'kubelet'
  | 'kubectl'
  | 'kubeadm'
  /** One archive with all three binaries, if the config names such a URL. */
  | 'kubernetes-node'
  | 'cni-plugins'
  | 'azcmagent';

export interface ArtifactRequest {
  readonly kind: ArtifactKind;
  /** Without a leading `v`. */
  readonly version: string;
  readonly architecture: Architecture;
}

export interface Artifacts {
  /** Starts downloads in the background, a few at a time; `obtain` reports a failure. */
  prefetch(requests: readonly ArtifactRequest[]): void;
  /** The path of the complete, verified file. */
  obtain(request: ArtifactRequest, host: Host): Promise<VerifiedFile>;
  /** Deletes verified files that are no longer needed. */
  discard(host: Host): Promise<void>;
  /** Stops the background downloads. Partial files are kept and resumed by the next run. */
  stop?(): Promise<void>;
}

export interface VerifiedFile {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** The source URL, without its query. */
  readonly from: string;
}
