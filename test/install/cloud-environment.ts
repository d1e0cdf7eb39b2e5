/**
 * What both simulated clouds get: the address that pods reach, kubelets for their VMs (stand-ins; the nodes of the cluster have real
 * ones, and everything else is real), and the issuer of ServiceAccount tokens, whose keys the cluster publishes.
 */
import { type Standins, startStandins } from '@chandler/apiserver/standins';
import type { NodeHost } from '@chandler/cloudsim';
import { systemWorld, type Transport, type World } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { standinNodeHost } from '../../packages/chandler/src/playground/index.ts';
import { KUBERNETES_VERSION } from '../cluster/control-plane/binaries.ts';
import type { InstallCluster } from './cluster.ts';
import { GATEWAY } from './network.table.ts';

export interface CloudEnvironment {
  readonly world: World;
  readonly nodeHost: NodeHost;
  readonly kubernetesVersion: string;
  readonly transport: Transport;
  readonly apiServer: { readonly url: string; readonly caPem: string };
  readonly host: string;
}

/** Of the control plane. */
export const ISSUER = 'https://kubernetes.default.svc';

export async function startKubelets(
  cluster: InstallCluster,
): Promise<{ readonly kubelets: Standins; readonly environment: CloudEnvironment }> {
  const { log, metrics } = virtualWorld();
  const world = systemWorld({ log, metrics });
  const { transport, plane, caPem } = cluster;
  const kubelets = await startStandins({
    world,
    transport,
    without: ['scheduler', 'workloads', 'disruption', 'node-lifecycle', 'volumes', 'service-accounts'],
  });
  const environment = {
    world,
    nodeHost: standinNodeHost(kubelets),
    kubernetesVersion: KUBERNETES_VERSION,
    transport,
    apiServer: { url: plane.url, caPem },
    host: GATEWAY,
  };
  return { kubelets, environment };
}

export function issuerOf({ transport }: InstallCluster) {
  return {
    issuer: ISSUER,
    async keys(): Promise<readonly Readonly<Record<string, unknown>>[]> {
      const answer = await transport({ method: 'GET', path: '/openid/v1/jwks' });
      return (JSON.parse(await answer.text()) as { keys: Readonly<Record<string, unknown>>[] }).keys;
    },
  };
}
