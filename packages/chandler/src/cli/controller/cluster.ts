/** How the controller's commands reach the cluster, and what they read there before anything runs. */

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

import { Failure } from '../verb.ts';

export interface ClusterRequest {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Environment;
  readonly world: World;
}

export interface ClusterDoor {
  readonly credentials: Credentials;
  readonly transport: Transport;
  readonly host: string;
  /** Of the process: it also says which proxy leads to the cloud. */
  readonly env: Environment;
  close(): Promise<void>;
}

/** @throws {Failure} */
export async function openCluster({ kubeconfig, context, env, world }: ClusterRequest): Promise<ClusterDoor> {
  try {
    const credentials = await loadCredentials({
      ...(kubeconfig === undefined ? {} : { kubeconfig }),
      ...(context === undefined ? {} : { context }),
      env,
      clock: world.clock,
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
 * Where the settings, the lease and the maintenance window are. Outside a pod it is where AKS has Karpenter: a lease
 * elsewhere would keep nobody from acting beside it.
 */
export function homeNamespace(
  systemNamespace: string,
  { podNamespace }: Pick<Credentials, 'namespace' | 'podNamespace'>,
): string {
  return systemNamespace || podNamespace || USUAL_NAMESPACE;
}

/** `data` of the settings; undefined when there are none. @throws {Failure} when nobody knows. */
export async function readSettings(
  door: ClusterDoor,
  namespace: string,
  world: World,
  signal: AbortSignal,
): Promise<SettingsData | undefined> {
  const { host } = door;
  const client = new KubeClient({
    transport: shapedTransport(door.transport, { world, host, userAgent: CONTROLLER_USER_AGENT }),
  });
  try {
    const found = await client.find(CONFIG_MAPS, { namespace, name: GLOBAL_SETTINGS_NAME }, { signal });
    return found === undefined ? undefined : ((found['data'] ?? {}) as SettingsData);
  } catch (error) {
    const known = error instanceof CredentialsError || error instanceof TransportError || isApiError(error);
    if (!known) throw error;
    throw new Failure(
      `the ConfigMap ${namespace}/${GLOBAL_SETTINGS_NAME} cannot be read: ${error.message}; --settings-file reads it from a file`,
    );
  }
}

// ---------------------------------------------------------------------------------------------------

const USUAL_NAMESPACE = 'kube-system';
