/** What the agent asks of the cluster itself: with the operator's kubeconfig at step 9, with the node's own token after. */

export interface ClusterAddress {
  readonly server: string;
  /** PEM, base64, as a kubeconfig carries it. */
  readonly caData: string;
}

export type ClusterCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly certificatePem: string; readonly keyPem: string };

export interface ClusterSide {
  /** `v1.33.2`. A cluster that answers nobody it does not know wants the credential too. */
  serverVersion(
    address: ClusterAddress,
    signal: AbortSignal,
    credential?: ClusterCredential,
  ): Promise<string>;
  /** SelfSubjectReview: whom the API server takes this credential for. */
  whoAmI(
    address: ClusterAddress,
    credential: ClusterCredential,
    signal: AbortSignal,
  ): Promise<{ readonly username: string; readonly groups: readonly string[] }>;
  /** Creates or corrects a ClusterRoleBinding of the user to the role. */
  bindUser(
    address: ClusterAddress,
    credential: ClusterCredential,
    binding: { readonly name: string; readonly clusterRole: string; readonly user: string },
    signal: AbortSignal,
  ): Promise<void>;
  deleteBinding(
    address: ClusterAddress,
    credential: ClusterCredential,
    name: string,
    signal: AbortSignal,
  ): Promise<boolean>;
  /** The CA that signs clients of kubelets (ConfigMap kube-system/extension-apiserver-authentication), PEM. */
  clientCa(
    address: ClusterAddress,
    credential: ClusterCredential,
    signal: AbortSignal,
  ): Promise<string | undefined>;
  node(
    address: ClusterAddress,
    credential: ClusterCredential,
    name: string,
    signal: AbortSignal,
  ): Promise<NodeFacts | undefined>;
  /** `null` takes a label away. */
  labelNode(
    address: ClusterAddress,
    credential: ClusterCredential,
    name: string,
    labels: Readonly<Record<string, string | null>>,
    signal: AbortSignal,
  ): Promise<void>;
  deleteNode(
    address: ClusterAddress,
    credential: ClusterCredential,
    name: string,
    signal: AbortSignal,
  ): Promise<boolean>;
}

export interface NodeFacts {
  readonly ready: boolean;
  /** Reason and message of the Ready condition. */
  readonly reason?: string;
  readonly message?: string;
  readonly kubeletVersion?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
