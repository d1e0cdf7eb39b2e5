/** An Azure over HTTPS in which nothing is configured yet, and the official clients of whoever calls it. */
import { AuthorizationManagementClient } from '@azure/arm-authorization';
import { ContainerServiceClient } from '@azure/arm-containerservice';
import { ManagedServiceIdentityClient } from '@azure/arm-msi';
import type { TokenCredential } from '@azure/core-auth';
import { ClientAssertionCredential, ClientSecretCredential } from '@azure/identity';
import {
  type ArmServer,
  type ArmServerOptions,
  type PlaygroundAzure,
  type PlaygroundAzureOptions,
  playgroundAzure,
  startArmServer,
} from '@chandler/cloudsim/azure/testing';
import { realTimeWorld } from '@chandler/kube/testing';

export interface AzureClients {
  readonly identities: ManagedServiceIdentityClient;
  readonly roles: AuthorizationManagementClient;
  readonly clusters: ContainerServiceClient['managedClusters'];
}

export interface UnconfiguredAzure extends AzureClients {
  readonly server: ArmServer;
  readonly azure: PlaygroundAzure;
  readonly subscription: string;
  /** Clients of an identity that presents this token of its workload. */
  workload(clientId: string, token: string): AzureClients;
}

export async function anUnconfiguredAzure(
  options: PlaygroundAzureOptions = {},
  serverOptions: Partial<ArmServerOptions> = {},
): Promise<UnconfiguredAzure> {
  const azure = playgroundAzure({ configured: false, ...options });
  const server = await startArmServer({
    world: realTimeWorld(),
    latencies: { otherMs: 5, directoryMs: 60_000 },
    ...serverOptions,
    providers: azure.providers,
  });
  const tlsOptions = { ca: server.caPem! };
  const { subscriptionId } = server.settings;
  const { tenantId, clientId, clientSecret, authorityHost } = server.credentials;
  const signIn = {
    authorityHost,
    disableInstanceDiscovery: true,
    tlsOptions,
    retryOptions: { maxRetries: 0 },
  };
  const clientsOf = (credential: TokenCredential): AzureClients => {
    const to = { endpoint: server.url, tlsOptions, retryOptions: { maxRetries: 0 } };
    return {
      identities: new ManagedServiceIdentityClient(credential, subscriptionId, to),
      roles: new AuthorizationManagementClient(credential, subscriptionId, to),
      clusters: new ContainerServiceClient(credential, subscriptionId, to).managedClusters,
    };
  };
  return {
    ...clientsOf(new ClientSecretCredential(tenantId, clientId, clientSecret, signIn)),
    server,
    azure,
    subscription: `/subscriptions/${subscriptionId}`,
    workload: (id, token) =>
      clientsOf(new ClientAssertionCredential(tenantId, id, async () => token, signIn)),
  };
}
