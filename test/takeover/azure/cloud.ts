/** Taking over from Karpenter on AKS: the stage, the cluster, and what only Azure has. */
import { controllerEnvironment, filesIn } from '@chandler/cloudsim/azure';
import type { ArmServer } from '@chandler/cloudsim/azure/testing';
import type { KubeObject } from '@chandler/kube';
import { createAuthority } from '@chandler/kube/tls';
import { expect } from 'vitest';
import {
  AKS_NODE_CLASSES,
  aksNodeClassHash,
  type Hashable,
  NODE_CLAIMS,
} from '../../../packages/chandler/src/api/index.ts';
import { azureProvider } from '../../../packages/chandler/src/cloud/azure/index.ts';
import type { Playground } from '../../../packages/chandler/src/playground/index.ts';
import { FEW_SIZES } from '../../operator/azure-stage.ts';
import { withTeam } from '../objects.ts';
import { type CloudAccess, type StageCloud, type TakeoverStage, takeoverStage } from '../stage.ts';
import type { LaunchedNode, TakeoverCloud, UpstreamCluster } from '../upstream-cluster.ts';
import { create } from '../writing.ts';
import { type AksOwners, addNodes, upstreamEnvironment, upstreamOwners } from './cluster.ts';
import { claimOf } from './nodes.ts';
import { CLASS_HASH, inPlaceHash, type Place, poolHash, vmTags } from './objects.ts';
import { putMachine } from './vms.ts';

export const IN_PLACE = 'karpenter.azure.com/in-place-update-hash';

export const AZURE: TakeoverCloud = {
  title: 'Azure',
  nodeClasses: AKS_NODE_CLASSES,
  classHash: { key: CLASS_HASH, version: 'v3' },
  reconciles: (nodes) => ({ 'nodeclaim.inplaceupdate': nodes }),
  start: aksCluster,
};

export interface AksCluster extends UpstreamCluster {
  readonly stage: TakeoverStage & { readonly arm: ArmServer };
  readonly owners: AksOwners;
}

export async function aksCluster(nodes: number): Promise<AksCluster> {
  const ca = (await createAuthority(() => Date.now())).certificatePem;
  const started = await takeoverStage(stageCloud(ca));
  const stage = { ...started, arm: started.playground.azure!.arm };
  const owners = await upstreamOwners(stage);
  const { place, ofClass, pools } = owners;
  const names = await addNodes(stage, owners, nodes);
  return {
    stage,
    owners,
    names,
    env: upstreamEnvironment(place),
    time: place.time,
    hashes: {
      pools: { general: poolHash(pools.general), spot: poolHash(pools.spot) },
      changedPool: poolHash(withTeam(pools.general, 'other')),
      nodeClass: aksNodeClassHash(ofClass as Hashable),
    },
    nodeNameOf: ({ metadata }) => `aks-${metadata.name}`,
    async beginLaunch(name) {
      const own = { place, pool: pools.general, nodeClass: ofClass };
      await stage.inTime(putMachine(stage, own, name, 1));
      const begun = claimOf(own, name, 1);
      delete begun.metadata.annotations![IN_PLACE];
      await create(stage, NODE_CLAIMS, begun);
    },
    mismatch: (claims) => mismatch(stage.arm, claims),
    expectAccepted: (launched) => expectAccepted(stage.arm, place, launched),
  };
}

// ---------------------------------------------------------------------------------------------------

/** Tokens are requested and Resource Graph is queried by POST. */
const READING_POSTS = /\/token|providers\/Microsoft\.ResourceGraph\/resources/i;
const PATHS = filesIn('/azure');

function stageCloud(ca: string): StageCloud {
  return {
    simulated: {
      azure: {
        azure: { catalogue: { ...FEW_SIZES, quota: { family: 100_000, regional: 100_000 } } },
        server: { tokenLifetimeMs: 30 * 24 * 3600_000 },
      },
    },
    roles: 'rbac.yaml',
    calls(playground) {
      const { resources } = playground.azure!.arm;
      return {
        get total() {
          return resources.totalCalls;
        },
        list: () =>
          resources.calls().map(({ method, path }) => ({
            line: `${method} ${path}`,
            writes: method !== 'GET' && !READING_POSTS.test(path),
          })),
      };
    },
    access: (playground) => accessOf(playground, ca),
  };
}

function accessOf({ azure }: Playground, ca: string): CloudAccess {
  const { arm, bootstrapToken } = azure!;
  const around = { azure: azure!, serverUrl: 'https://127.0.0.1:6443', kubeconfig: '' };
  return {
    provider: azureProvider,
    fetch: arm.fetch,
    env: {
      ...controllerEnvironment(around, PATHS),
      CLUSTER_CA_BUNDLE: Buffer.from(ca).toString('base64'),
    },
    files: {
      [PATHS.clientSecretFile]: arm.credentials.clientSecret,
      [PATHS.tokenFile]: bootstrapToken,
      [PATHS.caFile]: ca,
      [PATHS.environmentFile]: JSON.stringify({
        name: 'AzurePublicCloud',
        resourceManagerEndpoint: arm.url,
        activeDirectoryEndpoint: arm.url,
        tokenAudience: arm.url,
      }),
    },
  };
}

/** A VM and a network interface for every claim, and none besides. */
function mismatch({ resources }: ArmServer, claims: readonly KubeObject[]): readonly string[] {
  const wanted = new Set(claims.map(({ metadata }) => `aks-${metadata.name}`));
  return [resources.vms(), resources.nics()].flatMap((parts) => [
    ...new Set(parts.map(({ name }) => name)).symmetricDifference(wanted),
  ]);
}

function expectAccepted({ resources }: ArmServer, place: Place, { claim, poolName }: LaunchedNode): void {
  expect(claim.metadata.annotations?.[IN_PLACE]).toBe(inPlaceHash(place, poolName));
  const vm = resources.vms().find(({ name }) => name === `aks-${claim.metadata.name}`)!;
  const ours = Object.entries(vm.tags ?? {}).filter(([key]) => !/^chandler\.sh[_/]/.test(key));
  expect(Object.fromEntries(ours)).toEqual(vmTags(place, poolName));
  const { nodeResourceGroup: group } = place;
  expect((claim['status'] as { providerID: string }).providerID).toBe(
    `azure://${vm.id.replace(group, group.toLowerCase())}`,
  );
}
