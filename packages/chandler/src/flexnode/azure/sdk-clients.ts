/**
 * The official clients for the three services that setting up needs, each for the subscription it is about. Two come
 * from `arm/`; the one for Arc machines is only used here. All without retries and waiting of their own.
 */
import type { AuthorizationManagementClient } from '@azure/arm-authorization';
import type { ContainerServiceClient } from '@azure/arm-containerservice';
import type { HybridComputeManagementClient } from '@azure/arm-hybridcompute';
import type { TokenCredential } from '@azure/core-auth';
import type { PipelinePolicy } from '@azure/core-rest-pipeline';
import type { Fetch, World } from '@chandler/kube';
import {
  ArmRateLimiter,
  type AzureEnvironment,
  armScope,
  createArmClients,
  createHttpClient,
} from '../../arm/index.ts';

export interface SdkClients {
  hybridCompute(subscriptionId: string): Promise<HybridComputeManagementClient>;
  authorization(subscriptionId: string): Promise<AuthorizationManagementClient>;
  containerService(subscriptionId: string): Promise<ContainerServiceClient>;
}

export interface SdkClientsOptions {
  readonly environment: AzureEnvironment;
  readonly credential: TokenCredential;
  readonly subscriptionId: string;
  readonly fetch?: Fetch;
  readonly version: string;
}

/** The version of the machine API that the original speaks. */
export const MACHINES_API_VERSION = '2022-03-10';

export function sdkClients(world: World, options: SdkClientsOptions): SdkClients {
  const { environment, credential, version, subscriptionId } = options;
  const arm = createArmClients({
    world,
    fetch: options.fetch,
    environment,
    credential,
    subscriptionId,
    version,
  });
  return {
    authorization: (subscription) => arm.authorization(subscription),
    containerService: (subscription) => arm.containerService(subscription),
    async hybridCompute(subscription) {
      const loaded = await import('../lazy/arm-hybridcompute.ts');
      return new loaded.HybridComputeManagementClient(credential, subscription, {
        endpoint: environment.resourceManagerUrl,
        additionalPolicies: [{ policy: machinesApiVersion, position: 'perCall' }],
        httpClient: createHttpClient({
          world,
          fetch: options.fetch,
          gate: new ArmRateLimiter(world.clock),
          endpoint: environment.resourceManagerUrl,
        }),
        retryOptions: { maxRetries: 0 },
        credentialScopes: [armScope(environment)],
        userAgentOptions: { userAgentPrefix: `chandler-flexnode/v${version}` },
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** The client has an older version built in, and its own option for another one is not heard. */
const machinesApiVersion: PipelinePolicy = {
  name: 'machinesApiVersion',
  sendRequest(request, next) {
    const url = new URL(request.url);
    url.searchParams.set('api-version', MACHINES_API_VERSION);
    request.url = url.href;
    return next(request);
  },
};
