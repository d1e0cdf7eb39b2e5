/**
 * Every cloud that the product knows, one row each: the only shared file that does. A cloud is loaded when it is asked
 * for, so that a process loads one.
 */
import type { CatalogueRow, CloudOptions, CloudProvider, DiagnosisRow } from './index.ts';

interface CloudRow {
  provider(): Promise<CloudProvider>;
  /** The provider's options alone: help and completion need no more, and load no SDK. */
  options(): Promise<CloudOptions>;
  /** What `why` and `dump` need of it. */
  readonly diagnosis: DiagnosisRow;
}

const CLOUDS = {
  azure: {
    provider: async () => (await import('./azure/index.ts')).azureProvider,
    options: async () => (await import('./azure/options/index.ts')).azureOptions,
    diagnosis: {
      name: 'azure',
      title: 'Azure',
      checklists: ['byok'],
      values: ['diskEncryptionSetID'],
      diagnosis: async () => (await import('./azure/diagnosis.ts')).azureDiagnosis(),
      connect: async (request) => (await import('./azure/diagnosis.ts')).connectAzure(request),
    },
  },
  aws: {
    provider: async () => (await import('./aws/index.ts')).awsProvider,
    options: async () => (await import('./aws/options/index.ts')).awsOptions,
    diagnosis: {
      name: 'aws',
      title: 'AWS',
      checklists: [],
      values: [],
      diagnosis: async () => (await import('./aws/diagnosis.ts')).awsDiagnosis(),
      connect: async (request) => (await import('./aws/diagnosis.ts')).connectAws(request),
    },
  },
} satisfies Record<string, CloudRow>;

export type CloudName = keyof typeof CLOUDS;

/** Instance types for plans that read no cloud. A cloud may have them before it can be served. */
export const CATALOGUES: readonly CatalogueRow[] = [
  {
    name: 'azure',
    title: 'Azure',
    nodeClasses: [{ group: 'karpenter.azure.com', kind: 'AKSNodeClass' }],
    catalogue: async () => (await import('./azure/diagnosis.ts')).azureDiagnosis().catalogue,
  },
  {
    name: 'aws',
    title: 'AWS',
    nodeClasses: [{ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }],
    catalogue: async () => (await import('./aws/catalogue.ts')).awsCatalogue,
  },
];

/** The cloud of a process that names none. */
export const DEFAULT_CLOUD: CloudName = 'azure';

export function loadCloud(name: CloudName = DEFAULT_CLOUD): Promise<CloudProvider> {
  return CLOUDS[name].provider();
}

export function loadCloudOptions(name: CloudName = DEFAULT_CLOUD): Promise<CloudOptions> {
  return CLOUDS[name].options();
}

/** The diagnosis of a cloud; nothing of it is loaded yet. */
export function diagnosisOf(name: CloudName = DEFAULT_CLOUD): DiagnosisRow {
  return CLOUDS[name].diagnosis;
}
