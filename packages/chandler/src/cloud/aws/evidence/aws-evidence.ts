/** What evidence reads from AWS, as an interface: `aws-reader.ts` implements it over the calls of `wire/`. */
import type { CapacityReservationSelectorTerm } from '../../../api/index.ts';
import type { EvidenceContext, LookupFailure, LookupResult } from '../../../causes/index.ts';

export interface AwsReader {
  instance(at: InstanceLocation): Promise<LookupResult<SeenInstance>>;
  /** The end of its console, without secrets. */
  consoleOutput(at: InstanceLocation): Promise<LookupResult<string>>;
  subnet(id: string): Promise<LookupResult<SeenSubnet>>;
  securityGroups(ids: readonly string[]): Promise<LookupResult<readonly SeenSecurityGroup[]>>;
  instanceProfile(name: string): Promise<LookupResult<SeenInstanceProfile>>;
  cluster(name: string): Promise<LookupResult<SeenCluster>>;
  /** The type of the access entry of a role, as `EC2_LINUX`; not found: it has none. */
  accessEntry(cluster: string, roleArn: string): Promise<LookupResult<string>>;
  /**
   * Free instances by id, of the reservations that these terms of a node class lead to.
   * @param zones in which the node class has reservations.
   */
  freeReserved(
    terms: readonly CapacityReservationSelectorTerm[],
    zones: readonly string[],
  ): Promise<LookupResult<ReadonlyMap<string, number>>>;
}

/** Without a reader, what the maker of a dump read. */
export interface AwsContext extends EvidenceContext {
  readonly aws: AwsReader | undefined;
  /** Why there is no reader, where there is no dump. */
  readonly missing: LookupFailure;
}

/** Why nothing was read where there is no reader. */
export function missingFrom({ reader, missing }: AwsContext): LookupFailure {
  return reader.from === 'dump' ? { why: 'notInDump' } : missing;
}

/** Of what AWS does not show: it may exist all the same. */
export const OTHER_ACCOUNT = 'the credentials may be of another account';

export interface InstanceLocation {
  readonly id: string;
  readonly zone: string;
  readonly region: string;
}

export interface SeenInstance {
  /** pending, running, shutting-down, terminated, stopping, stopped. */
  readonly state: string;
  /** `Client.InvalidKMSKey.InvalidState: …`. */
  readonly stateReason: string | undefined;
  readonly type: string | undefined;
  readonly imageId: string | undefined;
  readonly launchedAtMs: number | undefined;
  readonly subnetId: string | undefined;
  readonly securityGroupIds: readonly string[];
  readonly publicIp: boolean;
  /** The name of its instance profile, without path. */
  readonly profile: string | undefined;
  readonly clusterName: string | undefined;
  readonly httpEndpoint: string | undefined;
  readonly httpHopLimit: number | undefined;
  readonly privateDnsName: string | undefined;
  /** `instance`, `system`. */
  readonly failedChecks: LookupResult<readonly string[]>;
}

export interface SeenSubnet {
  readonly vpcId: string | undefined;
  readonly freeAddresses: number | undefined;
  /** Where the default route goes. */
  readonly defaultRoute: LookupResult<DefaultRoute>;
}

export type DefaultRoute = 'nat' | 'internetGateway' | 'transitGateway' | 'other' | 'blackhole' | 'none';

export interface SeenSecurityGroup {
  readonly id: string;
  readonly vpcId: string | undefined;
  /** Whether traffic to port 443 may leave. */
  readonly allowsHttpsOut: boolean;
  /** Security groups and CIDRs from which traffic to port 443 is admitted. */
  readonly admitsHttpsFrom: readonly string[];
}

export interface SeenInstanceProfile {
  /** Undefined: it has no role. */
  readonly roleArn: string | undefined;
  readonly roleName: string | undefined;
}

export interface SeenCluster {
  readonly status: string | undefined;
  readonly endpoint: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly version: string | undefined;
  readonly publicAccess: boolean | undefined;
  readonly privateAccess: boolean | undefined;
  readonly publicCidrs: readonly string[];
  /** API, API_AND_CONFIG_MAP, CONFIG_MAP. */
  readonly authenticationMode: string | undefined;
  readonly securityGroupId: string | undefined;
  /** Those that people have added to the control plane; what any of all admits is admitted. */
  readonly otherSecurityGroupIds: readonly string[];
  readonly vpcId: string | undefined;
}

/** `aws:///eu-west-1a/i-0123456789abcdef0`; undefined for what is no instance of EC2. */
export function instanceLocation(providerId: string): InstanceLocation | undefined {
  const [, zone, id] = /^aws:\/\/\/([^/]+)\/(i-[0-9a-f]+)$/.exec(providerId) ?? [];
  if (zone === undefined || id === undefined) return undefined;
  return { id, zone, region: regionOf(zone) };
}

/** `eu-west-1a`, `us-gov-west-1b`; also of local zones: `us-west-2-lax-1a`. */
export function regionOf(zone: string): string {
  return /^([a-z]{2}(?:-[a-z]+)+-\d)/.exec(zone)?.[1] ?? zone;
}
