/** The clouds that `why` and `dump` know. One place until `cloud/registry.ts` has these rows. */
import { readFileSync } from 'node:fs';
import manifest from '../../../package.json' with { type: 'json' };
import type { DiagnosisRow } from '../../cloud/index.ts';
import { Failure } from '../verb.ts';

/** Variables that hold credentials for Azure. */
const CREDENTIALS = [
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_TENANT_ID',
];

const AZURE: DiagnosisRow = {
  name: 'azure',
  title: 'Azure',
  checklists: ['byok'],
  values: ['diskEncryptionSetID'],
  async diagnosis() {
    const { azureDiagnosis } = await import('../../cloud/azure/diagnosis.ts');
    return azureDiagnosis();
  },
  async connect({ world, env, required }) {
    if (!required && CREDENTIALS.every((name) => (env[name] ?? '') === '')) return undefined;
    const { azureDiagnosis } = await import('../../cloud/azure/diagnosis.ts');
    const { azureReader } = await import('../../cloud/azure/index.ts');
    const { azureAccess, StartError } = await import('../../operator/index.ts');
    const { AZURE_CONTROLLER_OPTIONS, resolveOptions } = await import('../../settings/index.ts');
    const { azureWire } = await import('../controller/azure-wire.ts');
    // Only the options about access to Azure matter here; other options of the controller may be missing.
    const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, {
      args: [],
      env,
      readFile: (path) => readFileSync(path, 'utf8').trim(),
    });
    try {
      const wire = azureWire(world.fetch, values.armCaFile.value, env);
      const { clients } = azureAccess({
        world,
        values,
        fetch: wire.fetch,
        readFile: (path) => readFileSync(path, 'utf8'),
        version: manifest.version,
      });
      return {
        diagnosis: azureDiagnosis(azureReader({ clients, world, fetch: wire.fetch })),
        close: () => wire.close(),
      };
    } catch (error) {
      if (error instanceof StartError) throw new Failure(`--azure: ${error.message}`);
      throw error;
    }
  },
};

/** The cloud whose NodeClaims are asked about. */
export const CLOUD: DiagnosisRow = AZURE;
