/**
 * What a controller needs to run against the Azure of a playground: its environment, as variables and as files next to
 * the kubeconfig. Each secret is in a separate file that only its owner can read.
 */
import { chmod, mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RETAIL_PRICES_PATH } from './catalogue/retail-prices.ts';
import { clusterSubnetId } from './network/cluster-network.ts';
import { KUBELET_CLIENT_ID, type RunningAzure } from './simulated-azure.ts';

export interface ControllerFiles {
  /** All variables, for `set -a; . azure.env`. */
  readonly envFile: string;
  readonly caFile: string;
  readonly clientSecretFile: string;
  readonly tokenFile: string;
  /** The header with the secret of `/playground/faults`, for `curl -H @FILE`. */
  readonly faultHeaderFile: string;
  /** The description of the cloud. */
  readonly environmentFile: string;
}

export interface ControllerEnvironment {
  readonly azure: Pick<RunningAzure, 'arm' | 'bootstrapToken'>;
  /** Of the API server. */
  readonly serverUrl: string;
  readonly kubeconfig: string;
  /** Of the controller. Default kube-system. */
  readonly namespace?: string;
}

export function filesIn(folder: string): ControllerFiles {
  return {
    envFile: join(folder, 'azure.env'),
    caFile: join(folder, 'ca.pem'),
    clientSecretFile: join(folder, 'client-secret'),
    tokenFile: join(folder, 'bootstrap-token'),
    faultHeaderFile: join(folder, 'fault-header'),
    environmentFile: join(folder, 'environment.json'),
  };
}

/** By the names of the controller's options; no value is a secret. */
export function controllerEnvironment(
  { azure: { arm }, serverUrl, kubeconfig, namespace = 'kube-system' }: ControllerEnvironment,
  files: ControllerFiles,
): Readonly<Record<string, string>> {
  const { settings, credentials, url } = arm;
  return {
    KUBECONFIG: kubeconfig,
    SYSTEM_NAMESPACE: namespace,
    CLUSTER_NAME: settings.clusterName,
    CLUSTER_ENDPOINT: serverUrl,
    LOCATION: settings.region,
    AZURE_NODE_RESOURCE_GROUP: settings.nodeResourceGroup,
    ARM_RESOURCE_GROUP: settings.clusterResourceGroup,
    AZURE_SUBSCRIPTION_ID: settings.subscriptionId,
    AZURE_TENANT_ID: credentials.tenantId,
    AZURE_CLIENT_ID: credentials.clientId,
    AZURE_CLIENT_SECRET_FILE: files.clientSecretFile,
    AZURE_AUTHORITY_HOST: credentials.authorityHost,
    AZURE_ENVIRONMENT_FILEPATH: files.environmentFile,
    ARM_CA_FILE: files.caFile,
    PRICING_URL: `${url}${RETAIL_PRICES_PATH}`,
    NODEBOOTSTRAPPING_SERVER_URL: url,
    VNET_SUBNET_ID: clusterSubnetId(arm),
    SSH_PUBLIC_KEY: PLACEHOLDER_SSH_KEY,
    KUBELET_IDENTITY_CLIENT_ID: KUBELET_CLIENT_ID,
    KUBELET_BOOTSTRAP_TOKEN_FILE: files.tokenFile,
  };
}

/** Creates the folder with access for its owner only, and writes the files. */
export async function writeControllerFiles(
  folder: string,
  environment: ControllerEnvironment,
): Promise<ControllerFiles> {
  const files = filesIn(folder);
  const { arm, bootstrapToken } = environment.azure;
  const variables = Object.entries(controllerEnvironment(environment, files));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await Promise.all([
    writeOwn(files.caFile, arm.caPem ?? ''),
    writeOwn(files.clientSecretFile, arm.credentials.clientSecret),
    writeOwn(files.tokenFile, bootstrapToken),
    writeOwn(files.faultHeaderFile, `Authorization: Bearer ${arm.faultSecret}\n`),
    writeOwn(files.environmentFile, `${JSON.stringify(cloudOf(arm.url), undefined, 2)}\n`),
    writeOwn(files.envFile, variables.map(([name, value]) => `${name}=${shellWord(value)}\n`).join('')),
  ]);
  return files;
}

export async function removeControllerFiles(folder: string): Promise<void> {
  await Promise.all(Object.values(filesIn(folder)).map((file) => rm(file, { force: true })));
  // Files of others are not removed.
  await rmdir(folder).catch(() => undefined);
}

// ---------------------------------------------------------------------------------------------------

/** A public key without a private key: the VMs are simulated, and nobody can log in to them. */
const PLACEHOLDER_SSH_KEY =
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMsJ0XKFB/NaMwVcKtD1StfIuNm1OUP3qg90/6+fR3rU playground';

/** As Azure's own tools describe a cloud. */
function cloudOf(url: string): Readonly<Record<string, string>> {
  return {
    name: 'AzurePublicCloud',
    resourceManagerEndpoint: url,
    activeDirectoryEndpoint: url,
    tokenAudience: url,
    keyVaultDNSSuffix: 'vault.azure.net',
    storageEndpointSuffix: 'core.windows.net',
  };
}

async function writeOwn(file: string, content: string): Promise<void> {
  await writeFile(file, content, { mode: 0o600 });
  // An existing file would otherwise keep its mode.
  await chmod(file, 0o600);
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
