/** What somebody who signs in to the simulated Azure as its operator has in the environment. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ArmServer } from '@chandler/cloudsim/azure/testing';

/** Writes the file that names the endpoints. */
export function operatorEnvironment(
  { url, credentials, settings }: ArmServer,
  folder: string,
): Readonly<Record<string, string>> {
  const environmentFile = join(folder, 'environment.json');
  writeFileSync(
    environmentFile,
    JSON.stringify({
      name: 'AzurePublicCloud',
      resourceManagerEndpoint: url,
      activeDirectoryEndpoint: url,
      tokenAudience: url,
    }),
  );
  return {
    AZURE_TENANT_ID: credentials.tenantId,
    AZURE_CLIENT_ID: credentials.clientId,
    AZURE_CLIENT_SECRET: credentials.clientSecret,
    AZURE_ENVIRONMENT_FILEPATH: environmentFile,
    AZURE_SUBSCRIPTION_ID: settings.subscriptionId,
  };
}
