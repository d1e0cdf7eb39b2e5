/**
 * AWS as a `Cloud`: joins the market, the cluster and launch templates with the life of EC2 instances. Decisions are made by
 * the neighbours; here is only who asks whom.
 */
import { conditionOf, isProgramError, rethrowProgramError, type Stored } from '@chandler/kube';
import { type EC2NodeClass, KubernetesLabel, type NodeClaim } from '../../api/index.ts';
import { type Cloud, CloudError, type DriftRequest, orAbortReason, unlessAborted } from '../index.ts';

import { awsDrift, DriftReason, type DriftValues, lastDriftOfInstance } from './drift/index.ts';
import { asCloudError } from './errors/index.ts';
import { imageForType } from './images/index.ts';
import { AddressCounts } from './instances/address-counts.ts';
import { attribute } from './instances/attribution.ts';
import { ClaimNames } from './instances/claim-names.ts';
import { Deleter } from './instances/deleter.ts';
import { LISTS_COMPLETE_MS } from './instances/doubt.ts';
import { dryRunRequests } from './instances/dry-run.ts';
import { FleetBatches } from './instances/fleet-batches.ts';
import { FleetSender } from './instances/fleet-sender.ts';
import {
  type AwsCloudDeps,
  type InstanceFacts,
  NODE_NAME_ANNOTATION,
  parseProviderId,
} from './instances/index.ts';
import { toInstance } from './instances/instance.ts';
import { isEnding } from './instances/instance-facts.ts';
import { type BatchName, instanceMetrics } from './instances/instance-metrics.ts';
import { InstanceReader } from './instances/instance-reader.ts';
import { Launcher } from './instances/launcher.ts';
import { Launches } from './instances/launches.ts';
import { RecentInstances } from './instances/recent-instances.ts';
import { RepeatedRequests } from './instances/repeated-requests.ts';
import { Restarter } from './instances/restarter.ts';
import { type KnownZone, ShiftedZones } from './instances/shifted-zones.ts';
import { Terminator } from './instances/terminator.ts';
import { TemplateStore, UserDataGauge } from './launch-templates/index.ts';
import type { FindDryRunRequests } from './node-class/index.ts';
import { awsTraits } from './traits.ts';

export interface AwsCloud extends Cloud {
  /** The launch templates of the cluster. */
  readonly templates: Pick<TemplateStore, 'deleteOfClass' | 'profiles'>;
  /** Deletes launch templates that no launch needs: the leader calls it from time to time. @throws {CloudError} */
  collectTemplates(signal: AbortSignal): Promise<void>;
  /** Launches that this process has in mind, for metrics. */
  readonly launchesInFlight: number;
  /** Subnets were read for another reason: launches choose by their free addresses. */
  subnetsRead(subnets: readonly ReadSubnet[]): void;
  /** What a launch from the class would request. @throws {CloudError} when the class leads to no request. */
  readonly dryRunRequests: FindDryRunRequests;
}

export interface ReadSubnet extends KnownZone {
  readonly id: string;
  readonly freeAddresses: number;
}

export function createAwsCloud(deps: AwsCloudDeps): AwsCloud {
  const { world, ec2, records, cluster } = deps;
  const { clock, log } = world;
  const clusterName = () => cluster.current().name.value;
  const launches = new Launches(clock);
  const batches = new FleetBatches();
  const recent = new RecentInstances(clock);
  const metrics = instanceMetrics(world);
  const observed = (name: BatchName) => ({
    clock,
    sent: (size: number, waitedMs: number) => metrics.batchSent(name, size, waitedMs),
  });
  const reader = new InstanceReader({ ec2, clusterName, observed: observed('describe_instances') });
  const names = new ClaimNames(reader);
  const terminator = new Terminator(ec2, observed('terminate_instances'));
  const userData = new UserDataGauge(world.metrics);
  const templates = new TemplateStore({ clock, log, ec2, clusterName, userData });
  const counts = new AddressCounts({ clock, log, ec2 });
  const { addresses } = counts;
  const shifted = new ShiftedZones(deps.zonalShift);
  const sender = new FleetSender({
    deps,
    batches,
    launches,
    templates,
    addresses,
    recent,
    terminator,
    metrics,
    zoneId: (zone) => shifted.idOf(zone),
  });
  const ensureMarket = (signal: AbortSignal) => marketReady(deps, signal);
  const launcher = new Launcher({
    deps,
    launches,
    batches,
    sender,
    reader,
    templates,
    counts,
    recent,
    names,
    shifted,
    repeated: new RepeatedRequests(clock),
    ensureMarket,
  });
  const deleter = new Deleter({
    deps,
    launches,
    sender,
    reader,
    terminator,
    recent,
    names,
    terminationFailed(claim) {
      const { zone = '' } = parseProviderId(claim.status?.providerID) ?? {};
      metrics.terminationFailed({ zone, zoneId: shifted.idOf(zone) });
    },
  });
  const restarter = new Restarter(ec2);
  return {
    ...awsTraits(() => caBundleOf(deps)),
    templates,
    async collectTemplates(signal) {
      launches.forgetAbandoned((uid, launch) => sender.abandon(uid, launch));
      await templates.collect(signal);
    },
    get launchesInFlight() {
      return launches.size;
    },
    instanceTypes: ({ nodeClass }, signal) =>
      orAbortReason(signal, async () => {
        await ensureMarket(signal);
        return deps.market.typesFor(asNodeClass(nodeClass));
      }),
    create: (request, signal) => orAbortReason(signal, () => launcher.step(request, signal)),
    delete: (claim, signal) =>
      orAbortReason(signal, async () => {
        if (shifted.hasInstanceOf(claim)) throw notNow(shifted, claim, 'terminated');
        return deleter.step(claim, signal);
      }),
    reboot: (claim, operationId, signal) =>
      orAbortReason(signal, async () => {
        if (shifted.hasInstanceOf(claim)) throw notNow(shifted, claim, 'rebooted');
        return restarter.restart(claim, operationId, signal);
      }),
    nodeName,
    get: (providerID, signal) =>
      orAbortReason(signal, async () => {
        const facts = await factsOf(providerID, reader, recent, signal);
        const zone = parseProviderId(providerID)?.zone;
        if (facts === undefined && zone !== undefined && shifted.has(zone))
          throw shifted.error(zone, `EC2 does not show instance ${providerID}, which may exist`);
        if (facts === undefined && isNew(records.ownerOf(providerID), clock.now()))
          throw new CloudError('Unreachable', `EC2 does not show instance ${providerID} yet, which is new`, {
            reason: 'InstanceNotShown',
          });
        if (facts === undefined) throw new CloudError('NotFound', `instance ${providerID} does not exist`);
        return toInstance(facts, { claim: launches.owners().get(facts.id) });
      }),
    list: (signal) =>
      orAbortReason(signal, async () => {
        const instances = recent.correct(await reader.list(signal));
        const owners = attribute(instances, records, launches.owners());
        return instances.map((facts) => toInstance(facts, { claim: owners.get(facts.id) }));
      }),
    drift: (request, signal) => orAbortReason(signal, () => driftOf(deps, reader, shifted, request, signal)),
    subnetsRead(subnets) {
      counts.observe(subnets);
      shifted.observe(subnets);
    },
    dryRunRequests: (nodeClass, pools, signal) =>
      orAbortReason(signal, async () => {
        await ensureMarket(signal);
        return dryRunRequests(deps, templates, nodeClass as Stored<EC2NodeClass>, pools);
      }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function asNodeClass(nodeClass: Stored): Stored<EC2NodeClass> {
  return nodeClass as Stored as Stored<EC2NodeClass>;
}

/** While it is not known the hash of a class is not written. */
function caBundleOf({ cluster }: AwsCloudDeps): string | undefined {
  return cluster.current().caBundle.value;
}

/** EC2 names instances; until it has, no node has the name of the claim. */
function nodeName(claim: Stored<NodeClaim>): string {
  return (
    claim.status?.nodeName ||
    claim.metadata.annotations?.[NODE_NAME_ANNOTATION] ||
    parseProviderId(claim.status?.providerID)?.id ||
    claim.metadata.name
  );
}

/** EC2 may not be able to act there; it is asked when the shift is over. */
function notNow(shifted: ShiftedZones, claim: Stored<NodeClaim>, done: string): CloudError {
  const { zone = '', id = '' } = parseProviderId(claim.status?.providerID) ?? {};
  return shifted.error(zone, `instance ${id} is ${done} when the shift is over`);
}

/** Launched so recently, perhaps by another process, that EC2's lists may lack it. */
function isNew(claim: Stored<NodeClaim> | undefined, nowMs: number): boolean {
  const launched = claim === undefined ? undefined : conditionOf(claim, 'Launched');
  return (
    launched?.status === 'True' && nowMs - Date.parse(launched.lastTransitionTime ?? '') < LISTS_COMPLETE_MS
  );
}

/** Undefined for what is no instance of EC2, is terminated, or does not exist. */
async function factsOf(
  providerID: string,
  reader: InstanceReader,
  recent: RecentInstances,
  signal: AbortSignal,
): Promise<InstanceFacts | undefined> {
  const named = parseProviderId(providerID);
  if (named === undefined) return undefined;
  const facts = (await reader.get(named.id, signal)) ?? recent.get(named.id);
  return facts?.state === 'terminated' ? undefined : facts;
}

/** What the class alone tells comes first in Karpenter's order, too: EC2 is asked only when it tells nothing. */
async function driftOf(
  deps: AwsCloudDeps,
  reader: InstanceReader,
  shifted: ShiftedZones,
  { claim, nodeClass, nodePool }: DriftRequest,
  signal: AbortSignal,
): Promise<ReturnType<typeof awsDrift>> {
  const own = asNodeClass(nodeClass);
  const question = { claim, nodeClass: own, nodePool };
  const values: DriftValues = {
    caBundle: caBundleOf(deps),
    image: imageOf(deps, own, claim),
    reservedCapacity: deps.options().reservedCapacity,
  };
  const early = awsDrift(question, values);
  if (early?.reason === DriftReason.nodeClass || early?.reason === DriftReason.ami) return early;
  const id = parseProviderId(claim.status?.providerID)?.id;
  const isShifted = shifted.hasInstanceOf(claim);
  const facts = id === undefined || isShifted ? undefined : await reader.get(id, signal);
  // EC2 shows an instance that has ended for an hour, without its network.
  const instance = facts === undefined || isEnding(facts) ? undefined : facts.described;
  const drift = awsDrift(question, { ...values, instance, placementGroup: placementGroupOf(deps, own) });
  return drift ?? (isShifted ? lastDriftOfInstance(question) : undefined);
}

/** Undefined while it is not known. */
function imageOf(
  { market }: AwsCloudDeps,
  nodeClass: Stored<EC2NodeClass>,
  claim: Stored<NodeClaim>,
): DriftValues['image'] {
  const name = claim.metadata.labels?.[KubernetesLabel.instanceType];
  if (!market.loaded || name === undefined || (nodeClass.status?.subnets ?? []).length === 0)
    return undefined;
  const type = market.typesFor(nodeClass).find((each) => each.name === name);
  return type === undefined ? undefined : { id: imageForType(nodeClass.status?.amis ?? [], type)?.id };
}

function placementGroupOf(
  deps: AwsCloudDeps,
  nodeClass: Stored<EC2NodeClass>,
): DriftValues['placementGroup'] {
  if (nodeClass.spec?.placementGroupSelector === undefined) return { id: undefined };
  const group = deps.placementGroupOf?.(nodeClass);
  return group === undefined ? undefined : { id: group.id };
}

const WATCHED = new WeakSet<Promise<unknown>>();

/** Types are read when they are due. Nobody waits for that while there are old ones, which will do. */
async function marketReady({ market, world }: AwsCloudDeps, signal: AbortSignal): Promise<void> {
  const refreshed = market.refreshIfDue(signal);
  if (market.loaded) {
    // All that ask meanwhile may have the same promise.
    if (!WATCHED.has(refreshed)) {
      WATCHED.add(refreshed);
      refreshed.catch((error: unknown) => {
        const level = isProgramError(error) ? 'error' : 'warn';
        world.log[level]('instance types could not be refreshed; using the previous list', { error });
      });
    }
    return;
  }
  try {
    await unlessAborted(signal, refreshed);
  } catch (error) {
    signal.throwIfAborted();
    rethrowProgramError(error);
    throw asCloudError(error);
  }
}
