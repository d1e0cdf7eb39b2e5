/**
 * What differs between the Azure clouds for a node: its name, where its binaries are mirrored, and which registry it
 * asks to see whether it can reach the outside.
 * Source: AgentBaker (outbound check), the AKS pages on required outbound addresses of each cloud; read 2026-08-21.
 */
export interface BootstrapCloud {
  /** As TARGET_CLOUD and TARGET_ENVIRONMENT want it. */
  readonly name: string;
  /** Other names under which it is known, in lower case. */
  readonly aliases: readonly string[];
  readonly mirror: string;
  readonly registry: string;
}

export const BOOTSTRAP_CLOUDS: readonly BootstrapCloud[] = [
  {
    name: 'AzurePublicCloud',
    aliases: ['azurecloud', 'azurepublic', 'public'],
    mirror: 'https://acs-mirror.azureedge.net',
    registry: 'mcr.microsoft.com',
  },
  {
    name: 'AzureUSGovernmentCloud',
    aliases: ['azureusgovernment', 'azuregovernment', 'usgovernment'],
    mirror: 'https://acs-mirror.azureedge.net',
    registry: 'mcr.microsoft.com',
  },
  {
    name: 'AzureChinaCloud',
    aliases: ['azurechina', 'china'],
    mirror: 'https://mirror.azk8s.cn',
    registry: 'gcr.azk8s.cn',
  },
];
