/**
 * The config after reading: with all defaults, and validated. `read.ts` converts both existing schemas to this type; the
 * other modules know only this one.
 */

export interface FlexConfig {
  readonly azure: AzureConfig;
  readonly agent: {
    readonly logLevel: 'debug' | 'info' | 'warning' | 'error';
    readonly logDir: string;
    /** DNS-1123 subdomain, lower case. */
    readonly nodeName: string;
  };
  readonly containerd: {
    readonly version: string;
    readonly pauseImage: string;
    readonly metricsAddress: string;
    /** TOML that is laid over config.toml: tables are merged, values replaced. */
    readonly extraConfig?: string;
  };
  readonly kubernetes: {
    readonly version: string;
    /** `{version}` and `{arch}` are filled in; a base to which `/kubelet` is added. */
    readonly urlTemplates: readonly string[];
  };
  readonly runc: { readonly version: string; readonly urlTemplates: readonly string[] };
  readonly cni: {
    readonly version: string;
    /** A network of this machine alone, for as long as the cluster's own has not come. Default: written. */
    readonly bridge?: {
      readonly write?: boolean;
      /** `10.244.7.0/24`: give every machine its own, or pods of two machines have the same address. */
      readonly podCidr?: string;
    };
  };
  readonly networking: {
    readonly dnsServiceIp: string;
    /** `false`: the config has no address, so the address of the cluster (`cluster.dnsServiceIp`) is used once it is known. */
    readonly dnsServiceIpGiven: boolean;
    readonly clusterDomain: string;
  };
  readonly node: NodeConfig;
  readonly paths: {
    readonly kubernetes: {
      readonly configDir: string;
      readonly certsDir: string;
      readonly manifestsDir: string;
      readonly volumePluginDir: string;
      readonly kubeletDir: string;
    };
    readonly cni: { readonly binDir: string; readonly confDir: string; readonly libDir: string };
  };
  readonly downloads: {
    /** Bases that are asked before the vendor's address. */
    readonly mirrors: readonly string[];
    /** A folder or file made by `flexnode bundle`; nothing is fetched then. */
    readonly bundle?: string;
    /** Hashes beyond the built-in table: `containerd/1.7.99/amd64` → sha256. */
    readonly sha256: Readonly<Record<string, string>>;
    /** A version in neither table may be checked against the checksum file that its vendor publishes. Default false. */
    readonly allowPublishedChecksums?: boolean;
  };
  readonly proxy: { readonly http?: string; readonly https?: string; readonly noProxy: readonly string[] };
  readonly security: {
    /** The original document's own choices: admin.conf 0644 kept on the machine, cluster-admin roles for the node. */
    readonly documentMode: boolean;
    /** The Arc token only obtains a node certificate; the Node authorizer and NodeRestriction then apply. */
    readonly tlsBootstrap: boolean;
  };
  readonly readiness: { readonly deadlineSeconds: number };
}

export interface AzureConfig {
  readonly subscriptionId: string;
  readonly tenantId: string;
  readonly cloud: 'AzurePublicCloud' | 'AzureUSGovernment' | 'AzureChinaCloud';
  /** Only for another address than the cloud's own. */
  readonly resourceManagerEndpoint?: string;
  readonly authorityHost?: string;
  readonly servicePrincipal?: ServicePrincipal;
  readonly arc: {
    readonly machineName: string;
    readonly resourceGroup: string;
    readonly location: string;
    readonly tags: Readonly<Record<string, string>>;
    readonly autoRoleAssignment: boolean;
    /** The agent's package is installed when it is absent. */
    readonly install: boolean;
    readonly agentVersion: string;
  };
  readonly targetCluster: {
    readonly resourceId: string;
    readonly location: string;
    readonly name: string;
    readonly resourceGroup: string;
    readonly subscriptionId: string;
  };
}

export interface ServicePrincipal {
  readonly tenantId: string;
  readonly clientId: string;
  /** The secret itself is read when it is needed, from the file (or from the config, for compatibility). */
  readonly clientSecret: { readonly from: 'config' | 'file' | 'env'; readonly read: () => Promise<string> };
}

export interface NodeConfig {
  readonly maxPods: number;
  readonly labels: Readonly<Record<string, string>>;
  /** `key=value:Effect` or `key:Effect`. */
  readonly taints: readonly string[];
  readonly kubelet: {
    readonly kubeReserved: Readonly<Record<string, string>>;
    readonly evictionHard: Readonly<Record<string, string>>;
    readonly imageGcHighThreshold: number;
    readonly imageGcLowThreshold: number;
    readonly verbosity: number;
    readonly nodeIp?: string;
    /** Fields of KubeletConfiguration, laid over what we write. */
    readonly extraConfig: Readonly<Record<string, unknown>>;
  };
}
