/** A cluster as EKS knows it: what it shows, and what a test may change about it. */

export type AccessEntryType = 'EC2_LINUX' | 'EC2_WINDOWS' | 'STANDARD' | 'FARGATE_LINUX';

export interface ZonalShift {
  readonly startMs: number;
  /** AWS ends an autoshift itself; its end is not shown. */
  readonly endMs: number;
  /** AWS started it. */
  readonly auto?: true;
  /** Another one counts. */
  readonly notApplied?: true;
}

/** The cluster as EKS knows it. */
export interface ClusterRecord {
  readonly name: string;
  readonly arn: string;
  /** `1.36`. */
  version: string;
  endpoint: string;
  /** Base64 of the PEM. */
  certificateAuthority: string;
  readonly serviceIpv4Cidr: string;
  ipFamily: 'ipv4' | 'ipv6';
  readonly vpcId: string;
  readonly subnetIds: readonly string[];
  readonly securityGroupId: string;
  /** Further groups of the control plane: what one of all admits, reaches the private endpoint. */
  otherSecurityGroupIds?: readonly string[];
  readonly oidcIssuer: string;
  authenticationMode: 'API' | 'API_AND_CONFIG_MAP' | 'CONFIG_MAP';
  /** Whether its endpoint has addresses outside of the VPC. Default true. */
  publicAccess?: boolean;
  /** Whether its endpoint has addresses inside the VPC. Default true. */
  privateAccess?: boolean;
  readonly createdMs: number;
  /** By ARN of the principal. */
  readonly accessEntries: Map<string, AccessEntryType>;
  /** By ARN of the principal: of entries that callers created. */
  readonly entryDetails: Map<string, AccessEntryDetails>;
  /** Whether ARC zonal shift knows the cluster. Default true. */
  zonalShift?: boolean;
  /** By ID of the zone that the cluster is shifted away from. */
  readonly shiftedZones: Map<string, ZonalShift>;
  addons: readonly string[];
  podIdentityAssociations: readonly PodIdentityAssociation[];
  /** Whether EKS itself launches nodes (Auto Mode). Default false. */
  autoMode?: boolean;
  /** Which addresses reach the public endpoint. Default all. */
  publicCidrs?: readonly string[];
  tags?: Readonly<Record<string, string>>;
}

export interface AccessEntryDetails {
  readonly groups: readonly string[];
  readonly username: string | undefined;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdMs: number;
}

export interface PodIdentityAssociation {
  readonly id: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roleArn: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly createdMs?: number;
}
