/**
 * Every cloud that the product knows, one row each: the only shared file that does. A cloud is loaded when it is asked
 * for, so that a process loads one.
 */
import { AKS_NODE_CLASSES, EC2_NODE_CLASSES } from '../api/index.ts';
import type {
  CatalogueRow,
  CloudOptions,
  CloudProvider,
  DiagnosisRow,
  ManagedKarpenter,
  NodeClassKind,
} from './index.ts';

interface CloudRow {
  provider(): Promise<CloudProvider>;
  /** The provider's options alone: help and completion need no more, and load no SDK. */
  options(): Promise<CloudOptions>;
  /** What `why` and `dump` need of it. */
  readonly diagnosis: DiagnosisRow;
  /** Instance types for plans that read no cloud. */
  readonly catalogue: CatalogueRow['catalogue'];
  /** Its node classes with their hashes. @param caBundle of the cluster, in base64, where it is part of a hash. */
  nodeClasses(caBundle: string | undefined): Promise<readonly NodeClassKind[]>;
  /** The service of the cloud that runs Karpenter outside the cluster. */
  readonly managed: ManagedKarpenter;
}

const CLOUDS = {
  azure: {
    provider: async () => (await import('./azure/index.ts')).azureProvider,
    options: async () => (await import('./azure/options/index.ts')).azureOptions,
    diagnosis: {
      name: 'azure',
      title: 'Azure',
      nodeClasses: [AKS_NODE_CLASSES],
      providerIds: 'azure://',
      checklists: ['byok'],
      values: ['diskEncryptionSetID'],
      examples: [
        {
          command: 'chandler why nodeclaim/default-x7k2p --azure on',
          does: 'on AKS, also read the VM, with a login of the Azure CLI (az login)',
        },
      ],
      diagnosis: async (missing) => (await import('./azure/diagnosis.ts')).azureDiagnosis(undefined, missing),
      connect: async (request) => (await import('./azure/diagnosis.ts')).connectAzure(request),
    },
    catalogue: async () => (await import('./azure/diagnosis.ts')).azureDiagnosis().catalogue,
    nodeClasses: async () => (await import('./azure/index.ts')).azureProvider.nodeClasses,
    managed: {
      service: 'AKS node autoprovisioning',
      // The release with which AKS installs its default NodePools.
      owns: ({ metadata }) =>
        metadata.annotations?.['meta.helm.sh/release-name'] === 'aks-managed-karpenter-overlay',
    },
  },
  aws: {
    provider: async () => (await import('./aws/index.ts')).awsProvider,
    options: async () => (await import('./aws/options/index.ts')).awsOptions,
    diagnosis: {
      name: 'aws',
      title: 'AWS',
      nodeClasses: [EC2_NODE_CLASSES],
      providerIds: 'aws://',
      checklists: [],
      values: [],
      examples: [
        {
          command: 'AWS_PROFILE=ops chandler why nodeclaim/default-x7k2p',
          does: 'on EKS, also read the instance, with the credentials of a profile of the AWS CLI',
        },
      ],
      diagnosis: async (missing) => (await import('./aws/diagnosis.ts')).awsDiagnosis(undefined, missing),
      connect: async (request) => (await import('./aws/diagnosis.ts')).connectAws(request),
    },
    catalogue: async () => (await import('./aws/catalogue.ts')).awsCatalogue,
    nodeClasses: async (caBundle) => (await import('./aws/index.ts')).awsTraits(() => caBundle).nodeClasses,
    managed: {
      service: 'EKS Auto Mode',
      owns: ({ spec }) => spec?.template?.spec?.nodeClassRef?.group === 'eks.amazonaws.com',
    },
  },
} satisfies Record<string, CloudRow>;

export type CloudName = keyof typeof CLOUDS;

export const CLOUD_NAMES: readonly CloudName[] = Object.keys(CLOUDS) as CloudName[];

/** Undefined where none has this name. */
export function cloudNamed(name: string): CloudName | undefined {
  return CLOUD_NAMES.find((known) => known === name);
}

export const DIAGNOSES: readonly DiagnosisRow[] = CLOUD_NAMES.map((name) => CLOUDS[name].diagnosis);

export const CATALOGUES: readonly CatalogueRow[] = CLOUD_NAMES.map((name) => {
  const { diagnosis, catalogue } = CLOUDS[name];
  return { name, title: diagnosis.title, nodeClasses: diagnosis.nodeClasses, catalogue };
});

/** How a process gets its cloud. */
export const CLOUD_FLAG = 'cloud';
export const CLOUD_VARIABLE = 'CHANDLER_CLOUD';

/** The cloud of a process that names none. */
export const DEFAULT_CLOUD: CloudName = 'azure';

export function loadCloud(name: CloudName = DEFAULT_CLOUD): Promise<CloudProvider> {
  return CLOUDS[name].provider();
}

export function loadCloudOptions(name: CloudName = DEFAULT_CLOUD): Promise<CloudOptions> {
  return CLOUDS[name].options();
}

export function nodeClassesOf(
  name: CloudName,
  caBundle: string | undefined,
): Promise<readonly NodeClassKind[]> {
  return CLOUDS[name].nodeClasses(caBundle);
}

export const MANAGED_KARPENTERS: readonly ManagedKarpenter[] = CLOUD_NAMES.map(
  (name) => CLOUDS[name].managed,
);

/** The diagnosis of a cloud; nothing of it is loaded yet. */
export function diagnosisOf(name: CloudName): DiagnosisRow {
  return CLOUDS[name].diagnosis;
}
