/**
 * What a claim of today would be launched with, held against what claims of yesterday have: drift, and the adoption of
 * claims that another controller made. What is not known is never taken for "none": a cluster that does not answer
 * must not look like one that gave up its key, or every node would be replaced.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import type { AKSNodeClass, NodeClaim, NodePool } from '../../api/index.ts';
import { CloudError, type Drift, type DriftRequest } from '../index.ts';

import { type AzureCloudDeps, adoptedDriftMode } from './azure-cloud-options.ts';
import {
  adoptionRecords,
  azureDrift,
  type DriftExemptPool,
  exemptByAdoption,
  isAdopted,
} from './drift/index.ts';
import { asCloudError } from './errors/index.ts';
import type { DiskSet, DiskSetCache } from './vm/disk-set-cache.ts';
import { isOfAks, namedVm } from './vm/own-vm.ts';
import type { VmApi } from './vm/vm-api.ts';
import { shownFacts } from './vm/vm-facts.ts';
import { diskEncryptionOf } from './vm-planner.ts';

export interface AdoptRequest {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: Stored;
  readonly nodePool?: Stored<NodePool>;
  /** Its kubelet says which version it really has. */
  readonly node?: KubeObject;
}

type Annotations = Readonly<Record<string, string>>;

export function driftOf(
  deps: AzureCloudDeps,
  { claim, nodeClass, nodePool, node }: DriftRequest,
): Drift | undefined {
  if (isOfAks(claim)) return undefined;
  const options = deps.options();
  const typed = nodeClass as KubeObject as AKSNodeClass;
  return azureDrift(
    { claim, nodeClass: typed, nodePool, node },
    {
      kubeletIdentityClientID: options.kubeletIdentityClientId.value,
      diskEncryptionSet: diskEncryptionNow(deps, typed),
      diskEncryptionSetDrift: adoptedDriftMode(options),
      cluster: deps.cluster.current().facts,
    },
  );
}

/** The records that a claim lacks. Azure is asked only where its VM's disk is not on record. */
export async function adopt(
  deps: AzureCloudDeps,
  api: VmApi,
  diskSets: DiskSetCache,
  { claim, nodeClass, node }: AdoptRequest,
): Promise<Annotations> {
  if (isOfAks(claim)) return {};
  const cluster = deps.cluster.current().facts;
  const now = diskEncryptionNow(deps, nodeClass as KubeObject as AKSNodeClass);
  const shared = { claim, node, cluster };
  if (now === undefined || isAdopted(claim)) return adoptionRecords(shared);
  const named = namedVm(claim, api);
  if (named === undefined) return {};
  const key = `${claim.metadata.uid} ${claim.status?.providerID}`;
  const set = await diskSets.of(key, () => diskSetOf(deps, api, named.name));
  if (set === 'ofAks') return {};
  const diskEncryptionSet = { actual: set.id, now: now.id };
  return adoptionRecords({ ...shared, diskEncryptionSet });
}

/** Adopted claims that have another set than they would get, and are left alone: for one event on each pool. */
export function driftExemptPools(
  deps: AzureCloudDeps,
  claims: readonly Stored<NodeClaim>[],
  nodeClassOf: (claim: Stored<NodeClaim>) => KubeObject | undefined,
): readonly DriftExemptPool[] {
  if (adoptedDriftMode(deps.options()) === 'actual') return [];
  return exemptByAdoption(claims, (claim) => {
    const nodeClass = nodeClassOf(claim);
    return nodeClass === undefined ? undefined : diskEncryptionNow(deps, nodeClass as AKSNodeClass);
  });
}

// ---------------------------------------------------------------------------------------------------

/** What a launch for the class would use; no answer when that cannot be said. */
function diskEncryptionNow(
  deps: AzureCloudDeps,
  nodeClass: AKSNodeClass,
): { readonly id: string | undefined } | undefined {
  const { facts, problems } = deps.cluster.current();
  const { chosen, malformed } = diskEncryptionOf(nodeClass, deps.options(), facts);
  if (malformed !== undefined) return undefined;
  if (chosen !== undefined) return { id: chosen.value };
  return problems.some(({ fact }) => fact === 'diskEncryptionSetId') ? undefined : { id: undefined };
}

async function diskSetOf(deps: AzureCloudDeps, api: VmApi, name: string): Promise<DiskSet> {
  const vm = await api.getVm(name).catch((error: unknown) => {
    throw asCloudError(error);
  });
  if (vm === undefined) throw new CloudError('NotFound', `virtual machine ${name} does not exist`);
  if (vm.ofAks === true) return 'ofAks';
  return { id: shownFacts(vm.vm, deps.options().location.value).diskEncryptionSetId };
}
