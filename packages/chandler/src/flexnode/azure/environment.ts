/** The Azure environment: the cloud of the config, with the endpoints that the config overrides. */
import {
  AZURE_CHINA_CLOUD,
  AZURE_PUBLIC_CLOUD,
  AZURE_US_GOVERNMENT_CLOUD,
  type AzureEnvironment,
} from '../../arm/index.ts';
import type { AzureConfig } from '../config/config.ts';

interface CloudRow {
  readonly environment: AzureEnvironment;
  /** As the Azure CLI and azcmagent call it. */
  readonly toolName: string;
}

const CLOUDS: Readonly<Record<AzureConfig['cloud'], CloudRow>> = {
  AzurePublicCloud: { environment: AZURE_PUBLIC_CLOUD, toolName: 'AzureCloud' },
  AzureUSGovernment: { environment: AZURE_US_GOVERNMENT_CLOUD, toolName: 'AzureUSGovernment' },
  AzureChinaCloud: { environment: AZURE_CHINA_CLOUD, toolName: 'AzureChinaCloud' },
};

export function environmentOf(
  azure: Pick<AzureConfig, 'cloud' | 'resourceManagerEndpoint' | 'authorityHost'>,
): AzureEnvironment {
  const { environment } = CLOUDS[azure.cloud];
  const { resourceManagerEndpoint, authorityHost } = azure;
  if (resourceManagerEndpoint === undefined && authorityHost === undefined) return environment;
  const own = {
    resourceManagerUrl: trimmed(resourceManagerEndpoint) ?? environment.resourceManagerUrl,
    authorityHost: trimmed(authorityHost) ?? environment.authorityHost,
  };
  const same =
    own.resourceManagerUrl === environment.resourceManagerUrl &&
    own.authorityHost === environment.authorityHost;
  return { ...environment, ...own, wellKnown: environment.wellKnown && same };
}

export function cloudToolName(cloud: AzureConfig['cloud']): string {
  return CLOUDS[cloud].toolName;
}

// ---------------------------------------------------------------------------------------------------

function trimmed(url: string | undefined): string | undefined {
  return url?.replace(/\/+$/, '');
}
