/** Connects the controller command to the cluster, and reads the settings before the controller starts. */

import {
  CONFIG_MAPS,
  type Credentials,
  CredentialsError,
  isApiError,
  KubeClient,
  loadCredentials,
  shapedTransport,
  type Transport,
  TransportError,
  undiciTransport,
  type World,
} from '@chandler/kube';
import { CONTROLLER_USER_AGENT } from '../../api/index.ts';
import { type Environment, GLOBAL_SETTINGS_NAME, type SettingsData } from '../../settings/index.ts';

import { loginTerminal } from '../login-terminal.ts';
import { Failure } from '../verb.ts';

export interface ClusterRequest {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Environment;
  readonly world: World;
}

export interface ClusterConnection {
  readonly credentials: Credentials;
  readonly transport: Transport;
  readonly host: string;
  /** Environment of the process; it also names the proxy for the cloud. */
  readonly env: Environment;
  close(): Promise<void>;
}

/** @throws {Failure} */
export async function connectToCluster({
  kubeconfig,
  context,
  env,
  world,
}: ClusterRequest): Promise<ClusterConnection> {
  try {
    const credentials = await loadCredentials({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      env,
      clock: world.clock,
      terminal: loginTerminal(),
    });
    const wire = undiciTransport(credentials);
    const host = new URL(credentials.server).host;
    return { credentials, host, env, transport: wire.send, close: () => wire.close() };
  } catch (error) {
    if (error instanceof CredentialsError) throw new Failure(error.message);
    throw error;
  }
}

/**
 * The namespace of the settings, the lease and the maintenance window. Outside a pod it is the namespace in which AKS runs
 * Karpenter: with a lease in another namespace, both would act at the same time.
 */
export function homeNamespace(
  systemNamespace: string,
  { podNamespace }: Pick<Credentials, 'namespace' | 'podNamespace'>,
): string {
  return systemNamespace || podNamespace || DEFAULT_NAMESPACE;
}

/** `data` of the ConfigMap; undefined when it does not exist. @throws {Failure} when it cannot be read. */
export async function readSettings(
  connection: ClusterConnection,
  namespace: string,
  world: World,
  signal: AbortSignal,
): Promise<SettingsData | undefined> {
  const { host } = connection;
  const client = new KubeClient({
    transport: shapedTransport(connection.transport, { world, host, userAgent: CONTROLLER_USER_AGENT }),
  });
  try {
    const found = await client.find(CONFIG_MAPS, { namespace, name: GLOBAL_SETTINGS_NAME }, { signal });
    return found === undefined ? undefined : ((found['data'] ?? {}) as SettingsData);
  } catch (error) {
    const known = error instanceof CredentialsError || error instanceof TransportError || isApiError(error);
    if (!known) throw error;
    throw new Failure(
      `cannot read ConfigMap ${namespace}/${GLOBAL_SETTINGS_NAME}: ${error.message}; use --settings-file to read the settings from a file`,
    );
  }
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_NAMESPACE = 'kube-system';
