/**
 * From options to a way into Azure: which cloud, who we are there, how fast we may call. Every refusal names the option.
 * Nothing is asked of Azure yet.
 */
import type { TokenCredential } from '@azure/core-auth';
import type { Fetch, World } from '@chandler/kube';
import {
  type ArmClients,
  type ArmError,
  type AzureEnvironment,
  armScope,
  auxiliaryTokenSource,
  type CredentialChoice,
  callRates,
  createArmClients,
  createCredential,
  resolveEnvironment,
} from '../../../arm/index.ts';
import { BootstrapError, bootstrapCloud } from '../../../bootstrap/index.ts';
import { DeniedCalls, StartError } from '../../index.ts';

import type { AzureControllerValues } from '../options/options.ts';

export interface AzureAccess {
  readonly environment: AzureEnvironment;
  readonly credential: TokenCredential;
  readonly clients: ArmClients;
  readonly denied: DeniedCalls<ArmError>;
}

export interface AzureAccessOptions {
  readonly world: World;
  readonly values: AzureControllerValues;
  /** To Azure: with a private authority where one is needed. */
  readonly fetch: Fetch;
  readonly readFile: (path: string) => string;
  readonly version: string;
}

/** @throws {StartError} */
export function azureAccess(options: AzureAccessOptions): AzureAccess {
  const { world, values, fetch, version } = options;
  const environment = environmentOf(options);
  const credential = createCredential({ world, fetch, environment, choice: credentialChoice(values) });
  const { sigAccessTokenServerUrl: server, useSig } = values;
  const denied = new DeniedCalls<ArmError>(world.clock);
  const clients = createArmClients({
    world,
    denials: denied,
    fetch,
    environment,
    credential,
    subscriptionId: values.azureSubscriptionId.value,
    version,
    longestWaitMs: values.armLongestWait.value,
    timeoutMs: values.armCallTimeout.value,
    rates: callRates(values),
    apiVersions: values.armApiVersions.value,
    ...(useSig.value
      ? {
          auxiliaryToken: auxiliaryTokenSource({
            clock: world.clock,
            fetch,
            serverUrl: server.value,
            scope: armScope(environment),
          }),
        }
      : {}),
  });
  return { environment, credential, clients, denied };
}

// ---------------------------------------------------------------------------------------------------

function environmentOf({ values, readFile }: AzureAccessOptions): AzureEnvironment {
  const { azureEnvironmentFilepath, armCloud, azureAuthorityHost } = values;
  const path = azureEnvironmentFilepath.value;
  const result = resolveEnvironment(
    path === '' ? { armCloud: armCloud.value } : { file: { path, text: readText(path, readFile) } },
  );
  if ('problem' in result) {
    throw new StartError('BadOption', `${result.problem.where}: ${result.problem.message}`);
  }
  if (path !== '') checkNodeCloud(values, result.environment);
  const authority = azureAuthorityHost.value.replace(/\/+$/, '');
  if (authority === '' || authority === result.environment.authorityHost) return result.environment;
  return { ...result.environment, authorityHost: authority, wellKnown: false };
}

/** With scripts of our own, nodes need values that are known for some clouds only. */
function checkNodeCloud(
  { provisionMode, azureEnvironmentFilepath: file }: AzureControllerValues,
  { name }: AzureEnvironment,
): void {
  if (provisionMode.value === 'bootstrappingclient') return;
  try {
    bootstrapCloud({ ...file, value: name });
  } catch (error) {
    if (!(error instanceof BootstrapError)) throw error;
    throw new StartError(
      'BadOption',
      `${file.value}: name: ${error.message}; or use provision-mode bootstrappingclient, which does not need them`,
    );
  }
}

function readText(path: string, readFile: (path: string) => string): string {
  try {
    return readFile(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError('BadOption', `azure-environment-filepath: ${path} cannot be read: ${why}`);
  }
}

/** What was named beats what the environment offers. */
function credentialChoice(values: AzureControllerValues): CredentialChoice {
  const tenantId = values.azureTenantId.value;
  const clientId = values.azureClientId.value;
  const clientSecret = values.azureClientSecret.value;
  const tokenFilePath = values.azureFederatedTokenFile.value;
  if (clientSecret !== '' && tenantId !== '' && clientId !== '')
    return { kind: 'clientSecret', tenantId, clientId, clientSecret };
  if (clientSecret !== '') {
    const missing = tenantId === '' ? 'azure-tenant-id' : 'azure-client-id';
    throw new StartError(
      'BadOption',
      `azure-client-secret is set, but ${missing} is not; set both or neither`,
    );
  }
  if (tokenFilePath !== '' && tenantId !== '' && clientId !== '')
    return { kind: 'workloadIdentity', tenantId, clientId, tokenFilePath };
  return {
    kind: 'default',
    ...(tenantId === '' ? {} : { tenantId }),
    ...(clientId === '' ? {} : { clientId }),
  };
}
