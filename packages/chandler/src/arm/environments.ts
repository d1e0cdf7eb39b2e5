/**
 * The Azure clouds: where each has its endpoints and under which names people ask for it. A cloud that is not in
 * the table comes from a JSON file (AZURE_ENVIRONMENT_FILEPATH). Reading the file is left to the caller.
 */

export interface AzureEnvironment {
  readonly name: string;
  /** Base of all ARM calls, without a trailing slash. */
  readonly resourceManagerUrl: string;
  /** Where tokens come from, without a trailing slash. */
  readonly authorityHost: string;
  /** The audience of a token for ARM: the scope is this and `/.default`. */
  readonly tokenAudience: string;
  /** `vault.azure.net`: the domain under which key vaults live. */
  readonly keyVaultDnsSuffix: string;
  readonly storageSuffix: string;
  /** With the endpoints of one of Azure's own clouds: these name their authorities, and check which vault a token is for. */
  readonly wellKnown: boolean;
  /** Whether AKS has its billing extension there: by the name of the cloud. */
  readonly aksBilling: boolean;
}

export interface EnvironmentProblem {
  /** The variable or the field that is wrong. */
  readonly where: string;
  readonly message: string;
}

export type EnvironmentResult =
  | { readonly environment: AzureEnvironment }
  | { readonly problem: EnvironmentProblem };

export const AZURE_PUBLIC_CLOUD: AzureEnvironment = {
  name: 'AzurePublicCloud',
  resourceManagerUrl: 'https://management.azure.com',
  authorityHost: 'https://login.microsoftonline.com',
  tokenAudience: 'https://management.azure.com',
  keyVaultDnsSuffix: 'vault.azure.net',
  storageSuffix: 'core.windows.net',
  wellKnown: true,
  aksBilling: true,
};

export const AZURE_CHINA_CLOUD: AzureEnvironment = {
  name: 'AzureChinaCloud',
  resourceManagerUrl: 'https://management.chinacloudapi.cn',
  authorityHost: 'https://login.chinacloudapi.cn',
  tokenAudience: 'https://management.chinacloudapi.cn',
  keyVaultDnsSuffix: 'vault.azure.cn',
  storageSuffix: 'core.chinacloudapi.cn',
  wellKnown: true,
  aksBilling: true,
};

export const AZURE_US_GOVERNMENT_CLOUD: AzureEnvironment = {
  name: 'AzureUSGovernmentCloud',
  resourceManagerUrl: 'https://management.usgovcloudapi.net',
  authorityHost: 'https://login.microsoftonline.us',
  tokenAudience: 'https://management.usgovcloudapi.net',
  keyVaultDnsSuffix: 'vault.usgovcloudapi.net',
  storageSuffix: 'core.usgovcloudapi.net',
  wellKnown: true,
  aksBilling: true,
};

/** The names of ARM_CLOUD, compared without regard to case. */
export const ENVIRONMENT_NAMES: Readonly<Record<string, AzureEnvironment>> = {
  AzurePublicCloud: AZURE_PUBLIC_CLOUD,
  AzureCloud: AZURE_PUBLIC_CLOUD,
  AzureChinaCloud: AZURE_CHINA_CLOUD,
  AzureUSGovernmentCloud: AZURE_US_GOVERNMENT_CLOUD,
  AzureUSGovernment: AZURE_US_GOVERNMENT_CLOUD,
};

export interface EnvironmentRequest {
  /** ARM_CLOUD. */
  readonly armCloud?: string;
  /** AZURE_ENVIRONMENT_FILEPATH and what the file holds. */
  readonly file?: { readonly path: string; readonly text: string };
}

/** The configured cloud; the public one when none is. */
export function resolveEnvironment(request: EnvironmentRequest): EnvironmentResult {
  const name = request.armCloud?.trim() ?? '';
  if (request.file !== undefined) {
    if (name !== '') {
      return problem('ARM_CLOUD', 'cannot be set together with AZURE_ENVIRONMENT_FILEPATH: choose one');
    }
    return parseEnvironmentFile(request.file.text, request.file.path);
  }
  if (name === '') return { environment: AZURE_PUBLIC_CLOUD };
  const known = Object.entries(ENVIRONMENT_NAMES).find(([each]) => each.toLowerCase() === name.toLowerCase());
  if (known !== undefined) return { environment: known[1] };
  return problem('ARM_CLOUD', `wants ${Object.keys(ENVIRONMENT_NAMES).join(', ')}, got "${name}"`);
}

export function parseEnvironmentFile(text: string, path: string): EnvironmentResult {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    return problem(path, `is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return problem(path, 'wants a JSON object that describes a cloud');
  }
  return fromFields(parsed as Record<string, unknown>, path);
}

export function armScope(environment: AzureEnvironment): string {
  return `${environment.tokenAudience}/.default`;
}

// ---------------------------------------------------------------------------------------------------

function fromFields(fields: Record<string, unknown>, path: string): EnvironmentResult {
  const text = (name: string) => {
    const value = fields[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const resourceManagerUrl = url(text('resourceManagerEndpoint'));
  if (resourceManagerUrl === undefined) {
    return problem(`${path}: resourceManagerEndpoint`, 'wants an absolute https URL');
  }
  const authorityHost = url(text('activeDirectoryEndpoint'));
  if (authorityHost === undefined) {
    return problem(`${path}: activeDirectoryEndpoint`, 'wants an absolute https URL');
  }
  const name = text('name') ?? 'AzureStackCloud';
  return {
    environment: {
      name,
      resourceManagerUrl,
      authorityHost,
      tokenAudience: (text('tokenAudience') ?? resourceManagerUrl).replace(/\/+$/, ''),
      keyVaultDnsSuffix: text('keyVaultDNSSuffix') ?? AZURE_PUBLIC_CLOUD.keyVaultDnsSuffix,
      storageSuffix: text('storageEndpointSuffix') ?? AZURE_PUBLIC_CLOUD.storageSuffix,
      wellKnown: Object.values(ENVIRONMENT_NAMES).some(
        (each) => each.name === name && each.resourceManagerUrl === resourceManagerUrl,
      ),
      aksBilling: Object.keys(ENVIRONMENT_NAMES).some((each) => each.toLowerCase() === name.toLowerCase()),
    },
  };
}

function url(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const parsed = URL.parse(text);
  return parsed?.protocol === 'https:' ? text.replace(/\/+$/, '') : undefined;
}

function problem(where: string, message: string): EnvironmentResult {
  return { problem: { where, message } };
}
