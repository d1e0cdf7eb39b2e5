/** The API server operations of the agent, with the kubeconfig of the operator in step 9 and the token of the node after it. */

export interface ClusterAddress {
  readonly server: string;
  /** PEM as base64, as in a kubeconfig. */
  readonly caData: string;
}

export type ClusterCredential =
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'certificate'; readonly certificatePem: string; readonly keyPem: string };

/**
 * `unlessHeld`: the verb `bind` is missing for a role. Then Kubernetes accepts the binding only from somebody who has
 * every permission of the role.
 */
export type BindAccess = 'yes' | 'unlessHeld' | 'no';

export interface ClusterClient {
  /** It sends nothing, so that no credential has to be requested for it. */
  readonly isDryRun?: true;
  /** `v1.33.2`. The credential is needed if the cluster disables anonymous access. */
  serverVersion(
    address: ClusterAddress,
    signal: AbortSignal,
    credential?: ClusterCredential,
  ): Promise<string>;
  /** SelfSubjectReview: the user that the API server sees for this credential. */
  whoAmI(
    address: ClusterAddress,
    credential: ClusterCredential,
    signal: AbortSignal,
  ): Promise<{ readonly username: string; readonly groups: readonly string[] }>;
  /** SelfSubjectAccessReview: whether the credential may create ClusterRoleBindings to these roles. */
  mayBind(
    address: ClusterAddress,
    credential: ClusterCredential,
    clusterRoles: readonly string[],
    signal: AbortSignal,
  ): Promise<BindAccess>;
  /** Creates or updates a ClusterRoleBinding of the user to the role. */
  bindUser(
    address: ClusterAddress,
    credential: ClusterCredential,
    binding: { readonly name: string; readonly clusterRole: string; readonly user: string },
    signal: AbortSignal,
  ): Promise<void>;
  binding(
    address: ClusterAddress,
    credential: ClusterCredential,
    name: string,
    signal: AbortSignal,
  ): Promise<BindingFacts | undefined>;
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
  /** `null` removes a label. */
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

export interface BindingFacts {
  readonly clusterRole: string;
  /** Of the first subject. */
  readonly user: string;
}

export interface NodeFacts {
  readonly ready: boolean;
  /**
   * When the kubelet last reported its status, in whole seconds, by its own clock. It reports when it starts, when its
   * status changes, and otherwise only every five minutes.
   */
  readonly heartbeat?: string;
  /** Reason and message of the Ready condition. */
  readonly reason?: string;
  readonly message?: string;
  readonly kubeletVersion?: string;
  /** Of the machine whose kubelet reports the Node. */
  readonly machineId?: string;
  readonly systemUuid?: string;
  readonly labels?: Readonly<Record<string, string>>;
}
