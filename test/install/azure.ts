/** A simulated Azure that the pods reach: VMs that join as nodes, and an identity that trusts the ServiceAccount of the release. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  controllerEnvironment,
  type RunningAzure,
  startAzure,
  writeControllerFiles,
} from '@chandler/cloudsim/azure';
import type { KubeObject } from '@chandler/kube';
import { pool } from '../controllers/stage.ts';
import { CONTROLLER_USER } from '../e2e/roles.ts';
import { nodeClassWith } from '../e2e/story.ts';
import { ISSUER, issuerOf, startKubelets } from './cloud-environment.ts';
import { type InstallCluster, NAMESPACE } from './cluster.ts';
import { type InstallCloud, identityToken, mounted, valuesOf } from './install-cloud.ts';

export async function startInstallAzure(cluster: InstallCluster): Promise<InstallCloud> {
  const { kubelets, environment } = await startKubelets(cluster);
  const azure = await startAzure(environment, {
    server: {
      identities: [IDENTITY],
      issuers: [issuerOf(cluster)],
      latencies: SLOW,
    },
  });
  azure.arm.context.access.grant({
    id: 'controller-in-cluster',
    principalId: IDENTITY.objectId,
    scope: '/',
    actions: ['*'],
  });
  return {
    name: 'azure',
    values: valuesFor(azure, cluster),
    objects: await objectsFor(azure, cluster),
    nodeClass: nodeClassWith(undefined),
    nodePool: pool('default', QUIET) as KubeObject,
    instances: () => azure.arm.resources.vms().map(({ id }) => `azure://${id}`.toLowerCase()),
    async stop() {
      await azure.stop();
      await kubelets.stop();
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** As the chart's documentation has it: nothing is disrupted while it is counted. */
const QUIET = { disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never' } };
/** Slow enough that a leader ends in the middle of a launch. */
const SLOW = { nicPutMs: 1000, vmCreateMs: 4000 };
const AUDIENCE = 'api://AzureADTokenExchange';
const FILES = '/etc/chandler/azure';
const TOKENS = '/var/run/secrets/azure/tokens';
const CONFIG_MAP = 'azure-endpoints';
const SECRET = 'chandler-bootstrap';

const IDENTITY = {
  name: 'chandler',
  tenantId: '00000000-0000-4000-8000-0000000000aa',
  clientId: '00000000-0000-4000-8000-0000000000d1',
  objectId: '00000000-0000-4000-8000-0000000000d2',
  federated: [{ issuer: ISSUER, subject: CONTROLLER_USER.username, audiences: [AUDIENCE] }],
};

function valuesFor(azure: RunningAzure, { plane }: InstallCluster): InstallCloud['values'] {
  const files = mounted(CONFIG_MAP, FILES);
  const token = identityToken(AUDIENCE, TOKENS);
  const variables = controllerEnvironment(
    { azure, serverUrl: plane.url, kubeconfig: '' },
    {
      envFile: '',
      caFile: `${FILES}/ca.pem`,
      clientSecretFile: '',
      tokenFile: '',
      faultHeaderFile: '',
      environmentFile: `${FILES}/environment.json`,
    },
  );
  return {
    cloud: 'azure',
    identity: { azureClientId: IDENTITY.clientId, azureTenantId: IDENTITY.tenantId },
    secrets: { kubeletBootstrapToken: { name: SECRET, key: 'token' } },
    settings: {
      ...valuesOf('azure', variables),
      azureClientId: IDENTITY.clientId,
      azureTenantId: IDENTITY.tenantId,
      azureFederatedTokenFile: token.file,
    },
    rbac: { bootstrapTokenId: azure.bootstrapToken.split('.')[0] },
    extraVolumes: [files.volume, token.volume],
    controller: { extraVolumeMounts: [files.mount, token.mount] },
  };
}

async function objectsFor(azure: RunningAzure, { plane, folder }: InstallCluster): Promise<KubeObject[]> {
  const files = await writeControllerFiles(join(folder, 'azure'), {
    azure,
    serverUrl: plane.url,
    kubeconfig: plane.kubeconfig,
  });
  const metadata = (name: string) => ({ name, namespace: NAMESPACE });
  const data = {
    'ca.pem': readFileSync(files.caFile, 'utf8'),
    'environment.json': readFileSync(files.environmentFile, 'utf8'),
  };
  const stringData = { token: azure.bootstrapToken };
  return [
    { apiVersion: 'v1', kind: 'Secret', metadata: metadata(SECRET), stringData },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata(CONFIG_MAP), data },
  ];
}
