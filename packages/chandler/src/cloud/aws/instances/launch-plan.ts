/**
 * Plans the launch of a claim: types, subnets, user data, launch templates and the request of CreateFleet. Everything that is
 * decided before EC2 is asked, each decision a stage of the journey. What a plan holds (addresses), its user gives back.
 */
import type { Stored } from '@chandler/kube';
import {
  AwsAnnotation,
  type EC2NodeClass,
  KarpenterAnnotation,
  KarpenterLabel,
  type NodeClaim,
} from '../../../api/index.ts';
import { overlaidTypes } from '../../../scheduling/index.ts';
import { CloudError, type LaunchRequest } from '../../index.ts';

import type { AwsClusterFacts } from '../cluster/index.ts';
import { nodeClassHashing } from '../drift/index.ts';
import { blockDeviceMappings, imageFamily, imageForType } from '../images/index.ts';
import type { AwsInstanceType } from '../instance-types/index.ts';
import {
  type AddressHold,
  addressesPerZone,
  type CreateFleetRequest,
  type CreateLaunchTemplateRequest,
  chooseTypes,
  EFA_RESOURCE,
  ENCLAVE_RESOURCE,
  type FleetContext,
  fleetRequest,
  type LaunchChoice,
  launchTags,
  launchTemplate,
  type SubnetAddresses,
  type Tags,
  type TemplateGroup,
  templateGroups,
} from '../launch/index.ts';
import { nodeUserData } from '../launch-templates/index.ts';
import { type AwsOffering, subnetRef } from '../offerings/index.ts';
import type { AwsStageTrace } from '../stages.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import { assertUsable, instanceProfileOf } from './usable-class.ts';

export interface LaunchPlan {
  /** For one instance, without a client token. */
  readonly request: CreateFleetRequest;
  readonly templates: readonly CreateLaunchTemplateRequest[];
  readonly hold: AddressHold;
  readonly context: FleetContext;
  readonly tags: Tags;
  /** With all offerings, as the overlays of the launch have them: what the instance is described by. */
  readonly types: readonly AwsInstanceType[];
}

export type PlanDeps = Pick<
  AwsCloudDeps,
  'cluster' | 'market' | 'options' | 'placementGroupOf' | 'unavailable'
> & {
  readonly addresses: SubnetAddresses;
  readonly nowMs: () => number;
};

/** @throws {CloudError} with the reason for the claim; then nothing is held. */
export function planLaunch(deps: PlanDeps, request: LaunchRequest, trace: AwsStageTrace): LaunchPlan {
  const { claim } = request;
  const nodeClass = request.nodeClass as Stored as Stored<EC2NodeClass>;
  const cluster = deps.cluster.current();
  const options = deps.options();
  const profile = traced(trace, 'nodeClass', { name: nodeClass.metadata.name }, () => {
    assertUsable(nodeClass);
    return instanceProfileOf(nodeClass);
  });
  const tags = launchTags({
    clusterName: cluster.name.value,
    nodePool: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '',
    nodeClass: nodeClass.metadata.name,
    own: nodeClass.spec?.tags,
  });
  const types = launchTypes(deps, request);
  const choice = choose(types, claim, options.minValuesPolicy, trace);
  const groupId = deps.placementGroupOf?.(nodeClass)?.id;
  const templates = templatesOf(
    { claim, nodeClass, cluster, choice, profile, tags, groupId, ...options },
    trace,
  );
  const hold = holdAddresses(deps, nodeClass, choice, trace);
  try {
    return {
      request: fleetRequest({
        capacityType: choice.capacityType,
        reservation: choice.reservation,
        templates: templates.map(({ request: { LaunchTemplateName: name }, group }) => ({ name, group })),
        subnets: hold.subnets,
        tags,
        context: nodeClass.spec?.context,
        minValuesRelaxed: claim.metadata.annotations?.[KarpenterAnnotation.minValuesRelaxed] === 'true',
        priceOverlay: hasOverlaidPrice(choice.types, deps.market.typesFor(nodeClass)),
      }),
      templates: templates.map((template) => template.request),
      hold,
      context: {
        capacityType: choice.capacityType,
        tenancy: choice.tenancy,
        types: choice.types,
        placementGroupId: groupId,
        partition: choice.partition,
      },
      tags,
      types,
    };
  } catch (error) {
    deps.addresses.settle(hold, undefined);
    throw error;
  }
}

/** The types of the class with the overlays of the request. Without a pool there is no template that one could select. */
export function launchTypes(
  { market }: Pick<AwsCloudDeps, 'market'>,
  { nodeClass, nodePool, overlays = [] }: LaunchRequest,
): readonly AwsInstanceType[] {
  const types = market.typesFor(nodeClass as Stored as Stored<EC2NodeClass>);
  if (nodePool === undefined || overlays.length === 0) return types;
  return overlaidTypes(types, nodePool, overlays).map((type, index) =>
    type.capacity === types[index]?.capacity ? type : withCapacity(type, types[index]!),
  );
}

/** Annotations of the claim of a new instance. */
export function launchAnnotations(
  nodeClass: Stored<EC2NodeClass>,
  { caBundle }: Pick<AwsClusterFacts, 'caBundle'>,
): Readonly<Record<string, string>> {
  const { hashKey, versionKey, version, hash } = nodeClassHashing(caBundle.value);
  const profile = nodeClass.status?.instanceProfile;
  return {
    [hashKey]: hash(nodeClass),
    [versionKey]: version,
    ...(profile === undefined ? {} : { [AwsAnnotation.instanceProfileName]: profile }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Overlays add devices, of which nothing is reserved. */
function withCapacity(type: AwsInstanceType, before: AwsInstanceType): AwsInstanceType {
  const changed = Object.entries(type.capacity).filter(([name, amount]) => before.capacity[name] !== amount);
  return { ...type, allocatable: { ...type.allocatable, ...Object.fromEntries(changed) } };
}

function hasOverlaidPrice(types: readonly AwsInstanceType[], usual: readonly AwsInstanceType[]): boolean {
  const prices = new Map(usual.map((type) => [type.name, type]));
  return types.some((type) => {
    const own = prices.get(type.name);
    if (own === undefined || own.offerings === type.offerings) return false;
    const known = new Set(own.offerings.map(offeringKey));
    return type.offerings.some((offering) => !known.has(offeringKey(offering)));
  });
}

function offeringKey({ zone, capacityType, partition, capacityReservation, price }: AwsOffering): string {
  return [zone, capacityType, partition, capacityReservation?.id, price].join(' ');
}

function traced<T>(
  trace: AwsStageTrace,
  stage: 'nodeClass' | 'instanceTypes' | 'userData' | 'subnets',
  facts: Readonly<Record<string, string>>,
  decide: () => T,
): T {
  try {
    const decided = decide();
    if (stage === 'nodeClass') trace.add(stage, 'ok', facts);
    return decided;
  } catch (error) {
    if (error instanceof CloudError)
      trace.add(stage, 'failed', { ...facts, reason: error.reason }, error.message);
    throw error;
  }
}

function choose(
  types: readonly AwsInstanceType[],
  claim: Stored<NodeClaim>,
  minValuesPolicy: 'Strict' | 'BestEffort',
  trace: AwsStageTrace,
): LaunchChoice<AwsInstanceType> {
  const choice = traced(trace, 'instanceTypes', {}, () =>
    chooseTypes({
      types,
      requirements: claim.spec.requirements,
      requests: claim.spec.resources?.requests,
      minValuesPolicy,
    }),
  );
  const cheapest = choice.types[0]?.name;
  trace.add(
    'instanceTypes',
    'ok',
    { count: choice.types.length, cheapest, capacityType: choice.capacityType, tenancy: choice.tenancy },
    choice.warnings.length === 0 ? undefined : choice.warnings.join('; '),
  );
  return choice;
}

export interface TemplatesInput {
  readonly claim: Pick<NodeClaim, 'metadata' | 'spec'>;
  readonly nodeClass: Stored<EC2NodeClass>;
  readonly cluster: AwsClusterFacts;
  readonly choice: Omit<LaunchChoice<AwsInstanceType>, 'rejected' | 'warnings'>;
  readonly profile: string;
  readonly tags: Tags;
  readonly groupId: string | undefined;
  readonly reservedCapacity: boolean;
}

export interface PlannedTemplate {
  readonly request: CreateLaunchTemplateRequest;
  readonly group: TemplateGroup<AwsInstanceType>;
}

export function templatesOf(input: TemplatesInput, trace: AwsStageTrace): readonly PlannedTemplate[] {
  const { nodeClass, choice, claim } = input;
  const images = nodeClass.status?.amis ?? [];
  const wants = (resource: string) => Number(claim.spec.resources?.requests?.[resource] ?? 0) > 0;
  const withEfa = wants(EFA_RESOURCE);
  const groups = templateGroups(choice.types, (type) => ({
    imageId: imageForType(images, type)?.id,
    efaCount: withEfa ? Number(type.capacity[EFA_RESOURCE] ?? 0) : 0,
    maxPods: Number(type.capacity['pods'] ?? 0),
    ...type.kubelet,
  }));
  if (groups.length === 0) {
    const error = new CloudError(
      'InsufficientCapacity',
      `no image of EC2NodeClass ${nodeClass.metadata.name} suits any of ${choice.types.length} instance types of the claim`,
      { reason: 'AMINotFound' },
    );
    trace.add('userData', 'failed', { reason: error.reason }, error.message);
    throw error;
  }
  let bytes = 0;
  const templates = groups.map((group) => {
    const rendered = traced(trace, 'userData', {}, () =>
      nodeUserData({ ...input, ...group, capacityType: choice.capacityType }),
    );
    bytes = Math.max(bytes, rendered.bytes);
    return { group, request: templateRequest(input, group, rendered.base64, wants(ENCLAVE_RESOURCE)) };
  });
  trace.add('userData', 'ok', { image: groups[0]!.imageId, bytes });
  return templates;
}

function templateRequest(
  { nodeClass, cluster, choice, profile, tags, groupId, reservedCapacity }: TemplatesInput,
  group: TemplateGroup<AwsInstanceType>,
  userData: string,
  enclaves: boolean,
): CreateLaunchTemplateRequest {
  const spec = nodeClass.spec!;
  const family = imageFamily(spec);
  return launchTemplate({
    region: cluster.region.value,
    ipFamily: cluster.ipFamily,
    spec,
    blockDeviceMappings:
      'problem' in family ? [] : blockDeviceMappings(family.family, spec.blockDeviceMappings),
    imageId: group.imageId,
    userData,
    instanceProfile: profile,
    securityGroupIds: (nodeClass.status?.securityGroups ?? []).map(({ id }) => id),
    tags,
    efaCount: group.efaCount,
    enclaves,
    capacityType: choice.capacityType,
    reservation:
      group.reservationId === undefined || choice.reservation === undefined
        ? undefined
        : { ...choice.reservation, id: group.reservationId },
    tenancy: choice.tenancy,
    placementGroupId: groupId,
    partition: choice.partition,
    reservedCapacity,
  });
}

/** A subnet that had no address left a moment ago is used only where its zone has no other. */
function holdAddresses(
  { addresses, unavailable, nowMs }: PlanDeps,
  nodeClass: Stored<EC2NodeClass>,
  choice: LaunchChoice<AwsInstanceType>,
  trace: AwsStageTrace,
): AddressHold {
  const all = nodeClass.status?.subnets ?? [];
  const usable = all.filter(({ id }) => unavailable.why(subnetRef(id)) === undefined);
  const zones = new Set(usable.map(({ zone }) => zone));
  const subnets = [...usable, ...all.filter(({ zone }) => !zones.has(zone))];
  const hold = addresses.hold(subnets, addressesPerZone(choice.types, choice.capacityType), nowMs());
  const chosen = [...hold.subnets].map(([zone, { id }]) => `${zone}=${id}`).sort();
  trace.add('subnets', 'ok', { subnets: chosen.join(' ') });
  return hold;
}

/** For the labels of a claim. */
export function zoneIdOf(nodeClass: EC2NodeClass, zone: string): string | undefined {
  return nodeClass.status?.subnets?.find((subnet) => subnet.zone === zone)?.zoneID || undefined;
}
