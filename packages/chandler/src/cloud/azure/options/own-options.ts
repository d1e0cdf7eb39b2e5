/**
 * Options for Azure that Karpenter's provider takes from the environment only, or does not have: who we are and in
 * which cloud, an override for every value that is looked up in the cluster, and how hard ARM may be called.
 */
import {
  caBundleProblem,
  clusterIdProblem,
  kubernetesVersionProblem,
  networkSecurityGroupIdProblem,
  optionGroup,
  resourceGroupProblem,
  uuidProblem,
} from '../../../settings/index.ts';

/** As upstream spells them; any case of letters will do. */
const CLOUDS = [
  'AzurePublicCloud',
  'AzureCloud',
  'AzureUSGovernmentCloud',
  'AzureUSGovernment',
  'AzureChinaCloud',
] as const;

const IDENTITY = optionGroup(
  { group: 'Azure: cloud and identity', settingsPrefix: 'azure.' },
  {
    armCloud: {
      flag: 'arm-cloud',
      env: 'ARM_CLOUD',
      type: 'string',
      default: 'AzurePublicCloud',
      check: (text: string) =>
        CLOUDS.some((name) => name.toLowerCase() === text.toLowerCase()) ? undefined : CLOUDS.join(' or '),
      doc: 'The Azure cloud',
    },
    azureEnvironmentFilepath: {
      flag: 'azure-environment-filepath',
      env: 'AZURE_ENVIRONMENT_FILEPATH',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'JSON description of another cloud, instead of arm-cloud',
    },
    location: {
      flag: 'location',
      env: 'LOCATION',
      type: 'string',
      default: '',
      required: true,
      check: (text: string) => (/^[A-Za-z0-9]+$/.test(text) ? undefined : 'a region such as westeurope'),
      doc: 'The region of the cluster',
    },
    armResourceGroup: {
      flag: 'arm-resource-group',
      env: 'ARM_RESOURCE_GROUP',
      type: 'string',
      default: '',
      check: resourceGroupProblem,
      doc: "Resource group of the AKS cluster itself; without it the cluster's own properties are not read",
    },
    azureTenantId: {
      flag: 'azure-tenant-id',
      env: ['AZURE_TENANT_ID', 'ARM_TENANT_ID'],
      type: 'string',
      default: '',
      check: (text: string) => (/^[-\w.]+$/.test(text) ? undefined : 'a tenant id'),
      doc: 'The tenant of the identity',
    },
    azureSubscriptionId: {
      flag: 'azure-subscription-id',
      env: ['AZURE_SUBSCRIPTION_ID', 'ARM_SUBSCRIPTION_ID'],
      type: 'string',
      default: '',
      required: true,
      check: uuidProblem,
      doc: 'The subscription of the node resource group',
    },
    azureClientId: {
      flag: 'azure-client-id',
      env: 'AZURE_CLIENT_ID',
      type: 'string',
      default: '',
      doc: 'Client id of the identity to use',
    },
    azureClientSecret: {
      flag: 'azure-client-secret',
      env: 'AZURE_CLIENT_SECRET',
      type: 'string',
      default: '',
      secret: true,
      doc: 'Secret of that identity, where it has no better proof',
    },
    azureFederatedTokenFile: {
      flag: 'azure-federated-token-file',
      env: 'AZURE_FEDERATED_TOKEN_FILE',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'Token of workload identity; its webhook sets it',
    },
    azureAuthorityHost: {
      flag: 'azure-authority-host',
      env: 'AZURE_AUTHORITY_HOST',
      type: 'url',
      default: '',
      doc: "Where tokens are given out; empty is the cloud's own",
    },
    armCaFile: {
      flag: 'arm-ca-file',
      env: 'ARM_CA_FILE',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'Certificates to trust for Azure endpoints, beside the usual ones: for private clouds and the playground',
    },
  },
);

const OVERRIDES = optionGroup(
  { group: 'Azure: values that are looked up when not set', settingsPrefix: 'azure.' },
  {
    kubernetesVersion: {
      flag: 'kubernetes-version',
      env: 'KUBERNETES_VERSION',
      type: 'string',
      default: '',
      runtime: true,
      check: kubernetesVersionProblem,
      doc: "Version of new nodes; empty is the API server's",
    },
    clusterCaBundle: {
      flag: 'cluster-ca-bundle',
      env: 'CLUSTER_CA_BUNDLE',
      type: 'string',
      default: '',
      runtime: true,
      check: caBundleProblem,
      placeholder: 'BASE64',
      doc: "What new nodes trust as the API server; empty is what the controller's credentials trust, else the root it presents",
    },
    clusterId: {
      flag: 'cluster-id',
      env: 'CLUSTER_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: clusterIdProblem,
      doc: 'The eight digits in the names of the node resource group',
    },
    networkSecurityGroupId: {
      flag: 'network-security-group-id',
      env: 'NETWORK_SECURITY_GROUP_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: networkSecurityGroupIdProblem,
      placeholder: 'ID',
      doc: 'The network security group of machines; empty is the one named aks-agentpool-{cluster id}-nsg',
    },
  },
);

const BEHAVIOUR = optionGroup(
  { group: 'Azure: behaviour', settingsPrefix: 'azure.' },
  {
    bootDiagnostics: {
      flag: 'boot-diagnostics',
      env: 'BOOT_DIAGNOSTICS',
      type: 'boolean',
      default: true,
      runtime: true,
      doc: 'Managed boot diagnostics on new machines, so that the console of one that never joins can be read',
    },
    diskEncryptionSetDrift: {
      flag: 'disk-encryption-set-drift',
      env: 'DISK_ENCRYPTION_SET_DRIFT',
      type: 'string',
      choices: ['recorded', 'actual'],
      default: 'recorded',
      runtime: true,
      doc: 'What is compared with the disk encryption set of today: what was recorded at launch, or what the machine has',
    },
    failedClaimRetention: {
      flag: 'failed-claim-retention',
      env: 'FAILED_CLAIM_RETENTION',
      type: 'duration',
      minimum: 0,
      default: 600_000,
      runtime: true,
      doc: 'How long the NodeClaim of a machine that failed to become a node stays readable; it counts for nothing and holds nothing back',
    },
    keepFailedVm: {
      flag: 'keep-failed-vm',
      env: 'KEEP_FAILED_VM',
      type: 'boolean',
      default: false,
      runtime: true,
      doc: 'Keep such a machine as long as its NodeClaim, to log in to it; otherwise it is deleted at once',
    },
    pricingUrl: {
      flag: 'pricing-url',
      env: 'PRICING_URL',
      type: 'url',
      default: 'https://prices.azure.com/api/retail/prices',
      doc: 'Where prices are read',
    },
  },
);

const RATE = { type: 'number', minimum: 0.1 } as const;
const BURST = { type: 'integer', minimum: 1 } as const;

const ARM_CALLS = optionGroup(
  { group: 'Azure: calls to ARM', settingsPrefix: 'azure.' },
  {
    armReadQps: {
      flag: 'arm-read-qps',
      env: 'ARM_READ_QPS',
      ...RATE,
      default: 25,
      doc: 'Reads a second, on average',
    },
    armReadBurst: {
      flag: 'arm-read-burst',
      env: 'ARM_READ_BURST',
      ...BURST,
      default: 250,
      doc: 'Reads at once',
    },
    armWriteQps: {
      flag: 'arm-write-qps',
      env: 'ARM_WRITE_QPS',
      ...RATE,
      default: 10,
      doc: 'Creations and changes a second, on average',
    },
    armWriteBurst: {
      flag: 'arm-write-burst',
      env: 'ARM_WRITE_BURST',
      ...BURST,
      default: 200,
      doc: 'Creations and changes at once',
    },
    armDeleteQps: {
      flag: 'arm-delete-qps',
      env: 'ARM_DELETE_QPS',
      ...RATE,
      default: 10,
      doc: 'Deletions a second, on average',
    },
    armDeleteBurst: {
      flag: 'arm-delete-burst',
      env: 'ARM_DELETE_BURST',
      ...BURST,
      default: 200,
      doc: 'Deletions at once',
    },
    armQueryQps: {
      flag: 'arm-query-qps',
      env: 'ARM_QUERY_QPS',
      ...RATE,
      default: 3,
      doc: 'Queries of Resource Graph a second, on average',
    },
    armQueryBurst: {
      flag: 'arm-query-burst',
      env: 'ARM_QUERY_BURST',
      ...BURST,
      default: 15,
      doc: 'Queries of Resource Graph at once',
    },
    armLongestWait: {
      flag: 'arm-longest-wait',
      env: 'ARM_LONGEST_WAIT',
      type: 'duration',
      minimum: 0,
      default: 5000,
      doc: 'How long a call waits for its turn; one that would wait longer is put off and asked again later',
    },
    armCallTimeout: {
      flag: 'arm-call-timeout',
      env: 'ARM_CALL_TIMEOUT',
      type: 'duration',
      minimum: 1000,
      default: 60_000,
      doc: 'Longest time for one answer',
    },
  },
);

export const AZURE_OWN_OPTIONS = { ...IDENTITY, ...OVERRIDES, ...BEHAVIOUR, ...ARM_CALLS };
