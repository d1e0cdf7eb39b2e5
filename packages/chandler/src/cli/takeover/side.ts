/** One of the two controllers of a takeover: its Deployment, its pods, its options and its account. */
import {
  type Deployment,
  type KubeClient,
  type KubeObject,
  type Pod,
  SERVICE_ACCOUNTS,
  type Stored,
} from '@chandler/kube';
import type { CloudOptions } from '../../cloud/index.ts';
import { type ContainerSettings, containerSettings } from './container-settings.ts';
import { livePods } from './deployments.ts';
import type { Found } from './find-deployments.ts';

export interface Side {
  readonly deployment: Stored<Deployment>;
  readonly pods: readonly Stored<Pod>[];
  readonly settings: ContainerSettings;
  readonly account: Stored<KubeObject> | undefined;
}

export interface SideRequest {
  readonly client: KubeClient;
  readonly found: Found;
  readonly cloud: CloudOptions;
  readonly withConfigMap: boolean;
  readonly signal: AbortSignal;
}

export function oneOf(found: Found): Stored<Deployment> | undefined {
  return 'one' in found ? found.one : undefined;
}

/** The name of the account of its pods. */
export function accountNameOf({ spec }: Deployment): string {
  const { serviceAccountName } = spec.template.spec as { readonly serviceAccountName?: string };
  return serviceAccountName ?? 'default';
}

export async function readSide(request: SideRequest): Promise<Side | undefined> {
  const { client, found, cloud, withConfigMap, signal } = request;
  const deployment = oneOf(found);
  if (deployment === undefined) return undefined;
  const account = { namespace: deployment.metadata.namespace, name: accountNameOf(deployment) };
  return {
    deployment,
    pods: await livePods(client, deployment, signal),
    settings: await containerSettings({ client, deployment, cloud, withConfigMap, signal }),
    account: await client.find(SERVICE_ACCOUNTS, account, { signal }),
  };
}
