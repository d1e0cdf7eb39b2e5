/**
 * Azure's part of `why` and `dump`. An entry point of its own: an answer from a dump loads this, and none of what launches
 * VMs. Instance types and the SDK clients are loaded when they are needed.
 */
import {
  AKS_NODE_CLASSES,
  AZURE_LABEL_RULES,
  AZURE_WELL_KNOWN_LABELS,
  AzureLabel,
  KubernetesLabel,
} from '../../api/index.ts';
import type { LookupFailure } from '../../causes/index.ts';
import { resolveOptions } from '../../settings/index.ts';
import type { CloudConnection, CloudDiagnosis, CloudEvidence, ConnectRequest } from '../index.ts';

import { DES_OPTION } from './causes/disk-encryption-facts.ts';
import { AZURE_CAUSES } from './causes/index.ts';
import { ABOUT_ENCRYPTION, isExplainedReason } from './causes/node-class.ts';
import type { AzureReader } from './evidence/azure-evidence.ts';
import { readToken } from './evidence/bootstrap-tokens.ts';
import { byokChecklist } from './evidence/byok-steps.ts';
import { ERROR_CLASSIFIER } from './evidence/classify-error.ts';
import { azureFacts, COMMANDS } from './evidence/commands.ts';
import { connectReader } from './evidence/connect.ts';
import { DISK_ENCRYPTION_SET_PATH, readDiskEncryptionPath } from './evidence/disk-encryption-path.ts';
import { readClusterOf, readVm } from './evidence/instances.ts';
import { nodeClassFacts } from './evidence/node-class.ts';
import { AZURE_CONTROLLER_OPTIONS, AZURE_RULES } from './options/options.ts';
import { PRICES_AS_OF } from './prices/prices-as-of.ts';
import { vmNameOf } from './vm/names.ts';

export type { AzureReader } from './evidence/azure-evidence.ts';

/**
 * @param azure absent: without a connection, only what the cluster or a dump shows.
 * @param missing why there is no connection.
 */
export function azureDiagnosis(
  azure?: AzureReader,
  missing: LookupFailure = { why: 'notConfigured' },
): CloudDiagnosis {
  return {
    name: 'azure',
    title: 'Azure',
    causes: AZURE_CAUSES,
    explained: { options: [DES_OPTION], isClassReason: isExplainedReason },
    words: COMMANDS,
    nodeClasses: [AKS_NODE_CLASSES],
    options: {
      table: AZURE_CONTROLLER_OPTIONS,
      resolve: (inputs) => resolveOptions(AZURE_CONTROLLER_OPTIONS, inputs, AZURE_RULES),
    },
    errors: ERROR_CLASSIFIER,
    evidence: azureEvidence(azure, missing),
    layerStages: { provider: ['nodeClass', 'launchTemplate'], vmCreation: ['vmRequest'] },
    valuePaths: [DISK_ENCRYPTION_SET_PATH],
    checklists: [byokChecklist(azure)],
    catalogue: {
      homeRegion: 'eastus',
      pricesAsOf: PRICES_AS_OF,
      wellKnownLabels: [...AZURE_WELL_KNOWN_LABELS].sort(),
      labelRules: AZURE_LABEL_RULES,
      sizeLabels: [
        KubernetesLabel.instanceType,
        AzureLabel.skuName,
        AzureLabel.skuFamily,
        AzureLabel.skuSeries,
        AzureLabel.skuVersion,
        AzureLabel.skuGpuName,
      ],
      regionVariables: ['LOCATION'],
      // `westeurope-1`
      regionOfZone: (zone) => /^([a-z]{5,}\d*)-[1-9]$/.exec(zone)?.[1],
      provider: async (request) => {
        const { offlineCatalogueProvider } = await import('./instance-types/offline.ts');
        return offlineCatalogueProvider(request);
      },
    },
    instanceName: vmNameOf,
    claimName: (instance) => instance.replace(/^aks-/, ''),
    facts: azureFacts,
  };
}

/** @throws {StartError} */
export async function connectAzure(request: ConnectRequest): Promise<CloudConnection> {
  const connection = await connectReader(request);
  if (connection === undefined)
    return { diagnosis: azureDiagnosis(undefined, NO_CREDENTIALS), close: async () => undefined };
  return { diagnosis: azureDiagnosis(connection.reader), close: () => connection.close() };
}

// ---------------------------------------------------------------------------------------------------

const NO_CREDENTIALS: LookupFailure = {
  why: 'notConfigured',
  message:
    'set AZURE_CLIENT_ID, AZURE_TENANT_ID and AZURE_CLIENT_SECRET, or use --azure on with a login of the Azure CLI',
};

function azureEvidence(azure: AzureReader | undefined, missing: LookupFailure): CloudEvidence {
  return {
    nodeClass: nodeClassFacts,
    isAboutEncryption: (reason) => ABOUT_ENCRYPTION.test(reason),
    readInstance: (context, claim, _, node) =>
      readVm({ ...context, azure, missing }, claim, node?.isUnready ?? false),
    readValues: readDiskEncryptionPath,
    readJoinCredentials: readToken,
    readCluster: (context, claims, controller) =>
      readClusterOf({ ...context, azure, missing }, claims, controller),
  };
}
