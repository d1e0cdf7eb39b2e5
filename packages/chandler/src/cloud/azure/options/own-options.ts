/**
 * Options for Azure that Karpenter's provider reads from the environment only, or does not have: cloud and identity,
 * an override for every value that is detected in the cluster, and the rate limits of calls to ARM.
 */
import { apiVersionsProblem, DEFAULT_LONGEST_WAIT_MS, DEFAULT_RATES } from '../../../arm/index.ts';
import {
  caBundleProblem,
  clusterIdProblem,
  kubernetesVersionProblem,
  networkSecurityGroupIdProblem,
  optionGroup,
  resourceGroupProblem,
  uuidProblem,
} from '../../../settings/index.ts';

/** As upstream spells them; compared without regard to case. */
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
      doc: 'The name of the Azure cloud',
    },
    azureEnvironmentFilepath: {
      flag: 'azure-environment-filepath',
      env: 'AZURE_ENVIRONMENT_FILEPATH',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'A JSON file with the endpoints of another cloud; it replaces arm-cloud. In provision mode aksscriptless its name must be one of those of arm-cloud',
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
      doc: 'The resource group of the AKS cluster; without it, the controller does not read the properties of the managed cluster',
    },
    azureTenantId: {
      flag: 'azure-tenant-id',
      env: ['AZURE_TENANT_ID', 'ARM_TENANT_ID'],
      type: 'string',
      default: '',
      check: (text: string) => (/^[-\w.]+$/.test(text) ? undefined : 'a tenant id'),
      doc: 'The tenant ID of the identity',
    },
    azureSubscriptionId: {
      flag: 'azure-subscription-id',
      env: ['AZURE_SUBSCRIPTION_ID', 'ARM_SUBSCRIPTION_ID'],
      type: 'string',
      default: '',
      required: true,
      check: uuidProblem,
      doc: 'The ID of the subscription of the node resource group',
    },
    azureClientId: {
      flag: 'azure-client-id',
      env: 'AZURE_CLIENT_ID',
      type: 'string',
      default: '',
      doc: "The client ID of the controller's identity",
    },
    azureClientSecret: {
      flag: 'azure-client-secret',
      env: 'AZURE_CLIENT_SECRET',
      type: 'string',
      default: '',
      secret: true,
      doc: 'The client secret, if the controller uses neither workload identity nor a managed identity',
    },
    azureFederatedTokenFile: {
      flag: 'azure-federated-token-file',
      env: 'AZURE_FEDERATED_TOKEN_FILE',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'The token file of workload identity; the workload identity webhook sets it',
    },
    azureAuthorityHost: {
      flag: 'azure-authority-host',
      env: 'AZURE_AUTHORITY_HOST',
      type: 'url',
      default: '',
      doc: 'The Microsoft Entra endpoint that issues tokens; empty means the endpoint of the cloud',
    },
    armCaFile: {
      flag: 'arm-ca-file',
      env: 'ARM_CA_FILE',
      type: 'string',
      default: '',
      placeholder: 'FILE',
      doc: 'Additional CA certificates for Azure endpoints, for private clouds and the playground',
    },
  },
);

const OVERRIDES = optionGroup(
  { group: 'Azure: values that are detected when not set', settingsPrefix: 'azure.' },
  {
    kubernetesVersion: {
      flag: 'kubernetes-version',
      env: 'KUBERNETES_VERSION',
      type: 'string',
      default: '',
      runtime: true,
      check: kubernetesVersionProblem,
      doc: 'The Kubernetes version of nodes, also one below that of the API server: existing nodes drift to it; empty means the version of the API server',
    },
    clusterCaBundle: {
      flag: 'cluster-ca-bundle',
      env: 'CLUSTER_CA_BUNDLE',
      type: 'base64',
      default: '',
      runtime: true,
      check: caBundleProblem,
      doc: "The CA bundle with which new nodes verify the API server; empty means the CA of the controller's kubeconfig, or the root certificate that the API server presents",
    },
    clusterId: {
      flag: 'cluster-id',
      env: 'CLUSTER_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: clusterIdProblem,
      doc: 'The eight-digit cluster ID in the names of resources in the node resource group',
    },
    networkSecurityGroupId: {
      flag: 'network-security-group-id',
      env: 'NETWORK_SECURITY_GROUP_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: networkSecurityGroupIdProblem,
      placeholder: 'ID',
      doc: 'The ID of the network security group of VMs; empty means the group named aks-agentpool-{cluster ID}-nsg',
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
      doc: 'Enable managed boot diagnostics on new VMs, so that the serial log of a VM that does not register can be read',
    },
    diskEncryptionSetDrift: {
      flag: 'disk-encryption-set-drift',
      env: 'DISK_ENCRYPTION_SET_DRIFT',
      type: 'string',
      choices: ['recorded', 'actual'],
      default: 'recorded',
      runtime: true,
      doc: 'What drift detection compares with the configured disk encryption set: the set recorded at launch, or the set that the VM has in Azure',
    },
    failedClaimRetention: {
      flag: 'failed-claim-retention',
      env: 'FAILED_CLAIM_RETENTION',
      type: 'duration',
      minimum: 0,
      default: 600_000,
      runtime: true,
      doc: 'How long to keep a NodeClaim whose VM failed to bootstrap. It does not count against the limits of the NodePool, but it counts for --max-failing-launches until it is deleted',
    },
    keepFailedVm: {
      flag: 'keep-failed-vm',
      env: 'KEEP_FAILED_VM',
      type: 'boolean',
      default: false,
      runtime: true,
      doc: 'Keep a failed VM until its NodeClaim is deleted, so that you can log in to it; by default, a failed VM is deleted immediately',
    },
    pricingUrl: {
      flag: 'pricing-url',
      env: 'PRICING_URL',
      type: 'url',
      default: 'https://prices.azure.com/api/retail/prices',
      doc: 'The URL of the retail prices API',
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
      default: DEFAULT_RATES.read.perSecond,
      doc: 'The sustained rate of reads, per second',
    },
    armReadBurst: {
      flag: 'arm-read-burst',
      env: 'ARM_READ_BURST',
      ...BURST,
      default: DEFAULT_RATES.read.burst,
      doc: 'The maximum burst of reads',
    },
    armWriteQps: {
      flag: 'arm-write-qps',
      env: 'ARM_WRITE_QPS',
      ...RATE,
      default: DEFAULT_RATES.write.perSecond,
      doc: 'The sustained rate of creations and updates, per second',
    },
    armWriteBurst: {
      flag: 'arm-write-burst',
      env: 'ARM_WRITE_BURST',
      ...BURST,
      default: DEFAULT_RATES.write.burst,
      doc: 'The maximum burst of creations and updates',
    },
    armDeleteQps: {
      flag: 'arm-delete-qps',
      env: 'ARM_DELETE_QPS',
      ...RATE,
      default: DEFAULT_RATES.delete.perSecond,
      doc: 'The sustained rate of deletions, per second',
    },
    armDeleteBurst: {
      flag: 'arm-delete-burst',
      env: 'ARM_DELETE_BURST',
      ...BURST,
      default: DEFAULT_RATES.delete.burst,
      doc: 'The maximum burst of deletions',
    },
    armQueryQps: {
      flag: 'arm-query-qps',
      env: 'ARM_QUERY_QPS',
      ...RATE,
      default: DEFAULT_RATES.query.perSecond,
      doc: 'The sustained rate of Resource Graph queries, per second',
    },
    armQueryBurst: {
      flag: 'arm-query-burst',
      env: 'ARM_QUERY_BURST',
      ...BURST,
      default: DEFAULT_RATES.query.burst,
      doc: 'The maximum burst of Resource Graph queries',
    },
    armLongestWait: {
      flag: 'arm-longest-wait',
      env: 'ARM_LONGEST_WAIT',
      type: 'duration',
      minimum: 0,
      default: DEFAULT_LONGEST_WAIT_MS,
      doc: 'The maximum time that a call waits for the rate limiter; a call that would wait longer fails and is retried later',
    },
    armApiVersions: {
      flag: 'arm-api-versions',
      env: 'ARM_API_VERSIONS',
      type: 'map',
      default: {} as Readonly<Record<string, string>>,
      check: apiVersionsProblem,
      doc: 'The api-versions of calls to Azure by resource type, such as Microsoft.Compute/virtualMachines=2025-04-01; by default those of the SDKs in the public cloud, and older ones elsewhere',
    },
    armCallTimeout: {
      flag: 'arm-call-timeout',
      env: 'ARM_CALL_TIMEOUT',
      type: 'duration',
      minimum: 1000,
      default: 60_000,
      doc: 'The timeout of one call',
    },
  },
);

export const AZURE_OWN_OPTIONS = { ...IDENTITY, ...OVERRIDES, ...BEHAVIOUR, ...ARM_CALLS };
