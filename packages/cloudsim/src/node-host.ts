/**
 * What a simulated cloud needs of a cluster so that one of its VMs can become a node: something that runs a kubelet for
 * it. The clouds decide when a VM boots, what its kubelet registers and when it loses power; the caller that starts a
 * cloud decides what runs the kubelets (a stand-in, a container, nothing).
 */
import type { Labels, ResourceAmounts, Taint } from '@chandler/kube';

export interface NodeHost {
  /**
   * Starts the kubelet of a VM: it registers its Node, renews its lease and runs pods until it is stopped. Resolves when
   * the Node is registered; rejects when the API server does not accept it.
   */
  startKubelet(node: NodeRegistration): Promise<void>;
  /** The VM has lost power: its kubelet stops at once, without an update to the API server. The Node stays. */
  stopKubelet(nodeName: string): void;
  /** The VM has power again: its kubelet continues and reports Ready. */
  resumeKubelet(nodeName: string): Promise<void>;
  /** The VM does not exist any more: its kubelet stops permanently, and its Node and its lease are deleted. */
  removeNode(nodeName: string): Promise<void>;
}

/** What a kubelet reports to the API server about its node when it registers. */
export interface NodeRegistration {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly capacity: ResourceAmounts;
  /** What pods may use, where it differs from the capacity. */
  readonly allocatable: ResourceAmounts;
  /** `amd64` or `arm64`. */
  readonly architecture: string;
  /** `v1.34.2`. */
  readonly kubeletVersion: string;
  /** From registration to Ready. */
  readonly readyAfterMs: number;
}
