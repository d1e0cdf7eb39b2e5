/**
 * Azure as a `Cloud`: joins sizes, images, bootstrap data, disk encryption and cluster values with the life of
 * virtual machines. Decisions are made by the neighbours; here is only who asks whom.
 */
import { isProgramError, type KubeObject, rethrowProgramError, type Stored } from '@chandler/kube';
import { KarpenterLabel, type NodeClaim } from '../../api/index.ts';
import { type Cloud, CloudError, type DeleteStep, type LaunchRequest, type LaunchStep } from '../index.ts';

import { orAbortReason, unlessAborted } from './abort.ts';
import { type AdoptRequest, adopt, driftExemptPools, driftOf } from './azure-cloud-adoption.ts';
import { type LaunchCounters, launchCounters } from './azure-cloud-metrics.ts';
import type { AzureCloudDeps } from './azure-cloud-options.ts';
import { bootstrapReader } from './bootstrap-outcome/index.ts';
import type { DriftExemptPool } from './drift/index.ts';
import {
  asCloudError,
  blockOfferings,
  CAPACITY_ROWS,
  type FailedOffering,
  refusesEphemeralDisk,
} from './errors/index.ts';
import { EphemeralRefusals } from './instance-types/index.ts';
import { type LaunchSteps, launchSteps } from './launch-steps.ts';
import { asNodeClass, inPlaceGoal, launchedInstance } from './launch-values.ts';
import { REGIONAL_ZONE, zoneLabel } from './sizes/index.ts';
import { AZURE_TRAITS } from './traits.ts';
import { DeletePace } from './vm/delete-pace.ts';
import { deleteStep } from './vm/deleter.ts';
import { DiskSetCache } from './vm/disk-set-cache.ts';
import { BILLING_EXTENSION, CUSTOM_SCRIPT_EXTENSION } from './vm/extension-object.ts';
import { type GarbageCollector, garbageCollector } from './vm/garbage-collection.ts';
import { type GraphListOptions, listVms } from './vm/graph-list.ts';
import { InPlaceMemory } from './vm/in-place-memory.ts';
import { type InPlaceResult, updateVm } from './vm/in-place-update.ts';
import { toInstance } from './vm/instance.ts';
import type { FixedOffering, LauncherOptions, RefusedFacts } from './vm/launch-context.ts';
import { VmLauncher } from './vm/launcher.ts';
import { LoadBalancerPools } from './vm/load-balancers.ts';
import { OtherClusters } from './vm/other-clusters.ts';
import { isOfAks, managedByAks, ownTarget, targetName, vmHere } from './vm/own-vm.ts';
import { RecentVms } from './vm/recent-vms.ts';
import { VmRestarter } from './vm/restarter.ts';
import { readTag, Tag } from './vm/tags.ts';
import { createVmApi, type VmApi } from './vm/vm-api.ts';
import { shownFacts } from './vm/vm-facts.ts';
import { failedOffering, planVm } from './vm-planner.ts';

export interface AzureCloud extends Cloud {
  readonly garbage: GarbageCollector;
  /** Brings tags and identities of a running VM up to date; answers with the annotations for its claim. */
  updateInPlace(request: LaunchRequest, signal: AbortSignal): Promise<InPlaceResult>;
  /** Annotations that a claim of another controller lacks, with what its VM really has; none when it has all. */
  adopt(request: AdoptRequest, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
  /** Adopted claims whose disk encryption set differs and that are left alone, with the text for an event. */
  driftExemptPools(
    claims: readonly Stored<NodeClaim>[],
    nodeClassOf: (claim: Stored<NodeClaim>) => KubeObject | undefined,
  ): readonly DriftExemptPool[];
  /** Launches that this process has in mind, for metrics. */
  readonly launchesInFlight: number;
}

export function createAzureCloud(deps: AzureCloudDeps): AzureCloud {
  const { world, clients } = deps;
  const { clock, log } = world;
  const region = deps.options().location.value;
  const resourceGroup = deps.options().nodeResourceGroup.value;
  const bare = createVmApi(clients, resourceGroup);
  const ephemeralRefusals = new EphemeralRefusals();
  const decorated = launchSteps(
    { options: deps.options, putNewVm: (own, name, vm) => own.putNewVm(name, vm) },
    deps.decorateLaunch,
  );
  const steps: LaunchSteps = {
    ...decorated,
    buildLaunchTemplate: (request) => decorated.buildLaunchTemplate({ ...request, ephemeralRefusals }),
  };
  const api = withPutNewVm(bare, steps.putNewVm);
  const recent = new RecentVms(clock);
  const diskSets = new DiskSetCache(clock);
  const memory = new InPlaceMemory();
  const graph: GraphListOptions = { clients, log, resourceGroup, region };
  const clusterName = () => deps.options().clusterName.value;
  const others = new OtherClusters({ log, resourceGroup, clusterName });
  const bootstrap = bootstrapReader({
    clock,
    log,
    clients,
    resourceGroup,
    fetch: deps.fetch ?? world.fetch,
    mode: deps.bootstrapper.mode,
    launches: () => launcher.inFlight,
    aftermath: () => ({
      keepClaimMs: deps.options().failedClaimRetention.value,
      keepInstance: deps.options().keepFailedVm.value,
    }),
  });
  const counters = launchCounters(world.metrics);
  const launcher: VmLauncher = new VmLauncher({
    clock,
    log,
    api,
    region,
    readsPerSecond: clients.rates.read.perSecond,
    pools: new LoadBalancerPools({ clients, clock, resourceGroup }),
    plan: async (request, signal, trace, fixed) => {
      await ensureSizes(deps, signal);
      return planVm(deps, steps, request, trace, fixed).catch((error: unknown) => {
        if (error instanceof CloudError && error.reason === 'ImageNotFound')
          counters.noImage(imageFamilyOf(request.nodeClass));
        throw error;
      });
    },
    evidenceOf: (claim, error, signal) => bootstrap.evidenceOf(claim, error, signal),
    extensionNames: () => extensionNames(deps),
    offeringOf: (facts, signal) => offeringOf(deps, facts, region, signal),
    vmObject: steps.vmObject,
    ...reactions(deps, recent, counters, ephemeralRefusals),
  });
  const pace = new DeletePace({
    clock,
    readsPerSecond: clients.rates.read.perSecond,
    launches: () => launcher.inFlight,
  });
  const restarter = new VmRestarter(log);
  return {
    ...AZURE_TRAITS,
    garbage: garbageCollector({ api, graph, log, clock, recent, pace, others }),
    bootstrap,
    get launchesInFlight() {
      return launcher.inFlight;
    },
    async instanceTypes({ nodeClass }, signal) {
      await ensureSizes(deps, signal);
      return deps.instanceTypes.forNodeClass(asNodeClass(nodeClass));
    },
    // AKS creates its VM. A second VM would cost money, and no controller would delete it.
    create: async (request, signal) =>
      isOfAks(request.claim)
        ? { state: 'waiting', retryAfterMs: LEFT_TO_AKS_MS, stages: [] }
        : orAbortReason(signal, () => create(deps, launcher, request, signal)),
    async delete(claim, signal) {
      const step = await orAbortReason(signal, () => removeVm(claim, api.withSignal(signal), log, pace));
      if (step.state === 'gone') {
        launcher.forget(claim.metadata.uid);
        recent.gone(api.vmId(targetName(claim)));
      }
      return step;
    },
    reboot: (claim, operationId, signal) =>
      orAbortReason(signal, () => {
        const own = api.withSignal(signal);
        return restarter.restart(own, ownTarget(claim, own), operationId);
      }),
    nodeName: (claim) => targetName(claim).toLowerCase(),
    async get(providerID, signal) {
      const named = vmHere('a node', providerID, api);
      if (named === undefined) throw notFound(providerID);
      const vm = await api
        .withSignal(signal)
        .getVm(named.name)
        .catch((error: unknown) => {
          signal.throwIfAborted();
          throw asCloudError(error);
        });
      if (vm === undefined) throw notFound(providerID);
      // The VM exists. If it were treated as deleted, its node would not be drained.
      if (readTag(vm.vm.tags, Tag.aksMachine) !== undefined) throw managedByAks(named.name);
      return toInstance(shownFacts(vm.vm, region));
    },
    async list(signal) {
      try {
        const machines = recent.correct(await listVms({ ...graph, signal }));
        return others.without(machines).map((machine) => toInstance(machine));
      } catch (error) {
        signal.throwIfAborted();
        throw asCloudError(error);
      }
    },
    drift: async (request) => driftOf(deps, request),
    adopt: (request, signal) =>
      orAbortReason(signal, () => adopt(deps, api.withSignal(signal), diskSets, request)),
    driftExemptPools: (claims, nodeClassOf) => driftExemptPools(deps, claims, nodeClassOf),
    updateInPlace: async (request, signal) =>
      isOfAks(request.claim)
        ? { state: 'same', annotations: {} }
        : orAbortReason(signal, () =>
            updateVm({
              api: api.withSignal(signal),
              log,
              memory,
              claim: request.claim,
              goal: inPlaceGoal(deps.options(), request),
              extensionNames: extensionNames(deps),
            }),
          ),
  };
}

// ---------------------------------------------------------------------------------------------------

const LEFT_TO_AKS_MS = 60_000;

function withPutNewVm(api: VmApi, putNewVm: LaunchSteps['putNewVm']): VmApi {
  return {
    ...api,
    putNewVm: (name, vm) => putNewVm(api, name, vm),
    withSignal: (signal) => withPutNewVm(api.withSignal(signal), putNewVm),
  };
}

async function create(
  deps: AzureCloudDeps,
  launcher: VmLauncher,
  request: LaunchRequest,
  signal: AbortSignal,
): Promise<LaunchStep> {
  const outcome = await launcher.step(request, signal);
  if (outcome.state === 'waiting') return outcome;
  const { machine, values, settled, retryAfterMs, stages } = outcome;
  // What the VM of an earlier process has is known from its size. The VM is there also without it.
  if (values === undefined) await ensureSizesIfPossible(deps, signal);
  const instance = launchedInstance(deps, request, machine, values);
  return settled || retryAfterMs === undefined
    ? { state: 'launched', instance, settled: true, stages }
    : { state: 'launched', instance, settled: false, retryAfterMs, stages };
}

/** Notifies other modules of the responses of Azure. */
function reactions(
  deps: AzureCloudDeps,
  recent: RecentVms,
  counters: LaunchCounters,
  ephemeralRefusals: EphemeralRefusals,
): Pick<LauncherOptions, 'accepted' | 'lastRefusal' | 'onProvisioned' | 'refused'> {
  return {
    accepted({ offering }, facts) {
      recent.made(facts);
      deps.quota.launched(offering.family, offering.vcpus, facts.capacityType);
      counters.started({ ...facts, nodePool: readTag(facts.tags, Tag.nodePool) });
    },
    lastRefusal: (set) =>
      set === undefined
        ? undefined
        : deps.launchEvidence.current(set, deps.world.clock.now())?.problem.message,
    onProvisioned({ diskEncryptionSetId, createdAtMs }) {
      if (diskEncryptionSetId !== undefined)
        deps.launchEvidence.accepted(diskEncryptionSetId, createdAtMs ?? deps.world.clock.now());
    },
    refused({ block, arm, error, row }, phase, facts) {
      const { offering, diskEncryptionSetId, part, createdAtMs } = facts;
      if (block !== undefined && offering !== undefined) {
        blockOfferings(deps.unavailable, block, offering, error.reason, arm.text);
      }
      // What is out of stock is so with any disk.
      if (part === 'vm' && diskEncryptionSetId !== undefined && !CAPACITY_ROWS.includes(row)) {
        deps.launchEvidence.refused(diskEncryptionSetId, arm, deps.world.clock.now(), createdAtMs);
      }
      const placement = facts.osDisk?.ephemeralPlacement;
      if (placement !== undefined && offering !== undefined && refusesEphemeralDisk(arm))
        ephemeralRefusals.refused(offering.instanceType, placement, facts.osDisk!.sizeGB);
      counters.failed(countedOf(facts), phase, arm.code);
    },
  };
}

function imageFamilyOf(nodeClass: KubeObject): string {
  return asNodeClass(nodeClass).spec?.imageFamily ?? 'Ubuntu';
}

function countedOf({ claim, offering, imageId }: RefusedFacts) {
  return {
    size: offering?.instanceType ?? '',
    zone: offering?.zone ?? '',
    capacityType: offering?.capacityType === 'spot' ? ('spot' as const) : ('on-demand' as const),
    imageId,
    nodePool: claim.metadata.labels?.[KarpenterLabel.nodePool],
  };
}

async function removeVm(
  claim: Stored<NodeClaim>,
  api: VmApi,
  log: AzureCloudDeps['world']['log'],
  pace: DeletePace,
): Promise<DeleteStep> {
  return deleteStep(api, log, ownTarget(claim, api), pace);
}

const WATCHED = new WeakSet<Promise<unknown>>();

/** Sizes are read when they are due. Nobody waits for that while there are old ones, which will do. */
async function ensureSizes(deps: AzureCloudDeps, signal: AbortSignal): Promise<void> {
  const refreshed = deps.instanceTypes.refreshIfDue();
  if (deps.instanceTypes.loaded) {
    // All that ask meanwhile have the same promise.
    if (!WATCHED.has(refreshed)) {
      WATCHED.add(refreshed);
      refreshed.catch((error: unknown) => {
        const level = isProgramError(error) ? 'error' : 'warn';
        deps.world.log[level]('VM sizes could not be refreshed; using the previous list', { error });
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

async function ensureSizesIfPossible(deps: AzureCloudDeps, signal: AbortSignal): Promise<void> {
  await ensureSizes(deps, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    rethrowProgramError(error);
  });
}

async function offeringOf(
  deps: AzureCloudDeps,
  facts: FixedOffering,
  region: string,
  signal: AbortSignal,
): Promise<FailedOffering | undefined> {
  // Without sizes nothing can be blocked; the VM has failed all the same.
  await ensureSizesIfPossible(deps, signal);
  const sku = deps.instanceTypes.get(facts.size);
  if (sku === undefined) return undefined;
  const zones = [...sku.zones.map((zone) => zoneLabel(region, zone)), REGIONAL_ZONE];
  const offerings = zones.map((zone) => ({ zone }));
  return failedOffering({ name: sku.name, sku, offerings }, facts);
}

function extensionNames(deps: AzureCloudDeps): readonly string[] {
  return [
    ...(deps.bootstrapper.mode === 'bootstrappingclient' ? [CUSTOM_SCRIPT_EXTENSION] : []),
    ...(deps.clients.environment.aksBilling ? [BILLING_EXTENSION] : []),
  ];
}

function notFound(providerID: string): CloudError {
  return new CloudError('NotFound', `virtual machine ${providerID} does not exist`);
}
