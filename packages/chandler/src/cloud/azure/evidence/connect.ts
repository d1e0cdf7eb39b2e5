/** Connects `why` to Azure with the credentials of the environment, or with a login of the Azure CLI where it is required. */
import { resolveOptions } from '../../../settings/index.ts';
import type { ConnectRequest } from '../../index.ts';
import { AZURE_CONTROLLER_OPTIONS } from '../options/options.ts';
import type { AzureReader } from './azure-evidence.ts';

/** Variables that hold credentials for Azure. */
const CREDENTIALS = [
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_TENANT_ID',
];

/** Undefined without credentials, unless it is required. @throws {StartError} */
export async function connectReader(
  request: ConnectRequest,
): Promise<{ readonly reader: AzureReader; close(): Promise<void> } | undefined> {
  const { world, env, readFile, version, required, openWire } = request;
  if (!required && CREDENTIALS.every((name) => (env[name] ?? '') === '')) return undefined;
  // SDK clients take a moment to load; an answer without Azure need not wait for them.
  const { azureAccess } = await import('../parts/access.ts');
  const { azureReader } = await import('./azure-reader.ts');
  // Only the options about access to Azure matter here; other options of the controller may be missing.
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
    args: [],
    env,
    readFile: (path) => readFile(path).trim(),
  });
  const wire = openWire({ path: values.armCaFile.value, flag: AZURE_CONTROLLER_OPTIONS.armCaFile.flag });
  const { clients } = azureAccess({ world, values, fetch: wire.fetch, readFile, version });
  return { reader: azureReader({ clients, world, fetch: wire.fetch }), close: () => wire.close() };
}
