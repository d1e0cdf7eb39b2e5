/** What the official SDK clients need to talk to an Azure in this process: the controller's own HTTP client, no retries. */
import type { HttpClient } from '@azure/core-rest-pipeline';
import type { TestAzure } from '@chandler/cloudsim/azure/testing';
import { createHttpClient } from '../../packages/chandler/src/arm/index.ts';

export interface SdkOptions {
  readonly endpoint: string;
  readonly httpClient: HttpClient;
  readonly retryOptions: { readonly maxRetries: number };
}

export function sdkOptions({ server, world }: TestAzure): SdkOptions {
  return {
    endpoint: server.url,
    httpClient: createHttpClient({ world: { ...world, fetch: server.fetch } }),
    retryOptions: { maxRetries: 0 },
  };
}
