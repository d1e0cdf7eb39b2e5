/** All resources of one account in one region, in memory. It holds them; what may be done with them is decided elsewhere. */
import type { Random } from '@chandler/kube';
import type { Queue } from './queue.ts';
import type {
  CapacityReservation,
  EventRuleRecord,
  Image,
  InstanceProfileRecord,
  InstanceRecord,
  KeyRecord,
  LaunchTemplateRecord,
  ManagedPolicyRecord,
  OidcProviderRecord,
  ParameterRecord,
  PlacementGroup,
  RoleRecord,
  SecurityGroup,
  Tag,
  Vpc,
  VpcEndpoint,
} from './records.ts';
import { SubnetRecord } from './subnet-record.ts';

export class Account {
  readonly vpcs = new Map<string, Vpc>();
  readonly subnets = new Map<string, SubnetRecord>();
  readonly securityGroups = new Map<string, SecurityGroup>();
  readonly images = new Map<string, Image>();
  readonly capacityReservations = new Map<string, CapacityReservation>();
  readonly placementGroups = new Map<string, PlacementGroup>();
  readonly launchTemplates = new Map<string, LaunchTemplateRecord>();
  readonly instances = new Map<string, InstanceRecord>();
  readonly instanceProfiles = new Map<string, InstanceProfileRecord>();
  readonly roles = new Map<string, RoleRecord>();
  /** By ARN. */
  readonly policies = new Map<string, ManagedPolicyRecord>();
  /** By ARN. */
  readonly oidcProviders = new Map<string, OidcProviderRecord>();
  /** By id. */
  readonly keys = new Map<string, KeyRecord>();
  readonly vpcEndpoints = new Map<string, VpcEndpoint>();
  /** Whether new volumes are encrypted whatever a launch says. */
  encryptsVolumes = false;
  readonly parameters = new Map<string, ParameterRecord>();
  /** By name. */
  readonly queues = new Map<string, Queue>();
  /** By name: when the queue was deleted. */
  readonly deletedQueues = new Map<string, number>();
  /** By name. */
  readonly eventRules = new Map<string, EventRuleRecord>();
  /** Security groups whose members do not reach the API server. */
  readonly isolatedGroups = new Set<string>();
  /** By name of the zone: EC2 does not show its instances meanwhile, and cannot end them. */
  readonly impairedZones = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();
  /** Whether AWSServiceRoleForEC2Spot exists. */
  spotServiceRole = true;
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** `i-0123456789abcdef0`. */
  newId(prefix: string): string {
    return `${prefix}-0${this.#random.uuid().replaceAll('-', '').slice(0, 16)}`;
  }

  newUniqueId(prefix: string): string {
    return `${prefix}${this.#random.uuid().replaceAll('-', '').slice(0, 17).toUpperCase()}`;
  }

  addSubnet(subnet: ConstructorParameters<typeof SubnetRecord>[0]): SubnetRecord {
    const record = new SubnetRecord(subnet);
    this.subnets.set(record.id, record);
    return record;
  }

  templateNamed(name: string): LaunchTemplateRecord | undefined {
    for (const record of this.launchTemplates.values())
      if (record.template.LaunchTemplateName === name) return record;
    return undefined;
  }

  profileByArn(arn: string): InstanceProfileRecord | undefined {
    for (const profile of this.instanceProfiles.values()) if (profile.arn === arn) return profile;
    return undefined;
  }

  /** Instances that use vCPUs of the quota. */
  *active(): Iterable<InstanceRecord> {
    for (const instance of this.instances.values())
      if (instance.state !== 'terminated' && instance.state !== 'shutting-down') yield instance;
  }
}

/** Later values replace earlier ones; the order of the first is kept. */
export function mergedTags(...lists: readonly (readonly Tag[] | undefined)[]): readonly Tag[] {
  const merged = new Map<string, Tag>();
  for (const list of lists) for (const tag of list ?? []) merged.set(tag.Key ?? '', tag);
  return [...merged.values()];
}
