/**
 * The options of Karpenter's Azure provider, with its flags, variables, defaults and checks. Checks that upstream
 * makes only in some modes are made always here; a text that cannot be read is an error and never a default.
 */
import { optionGroup } from './option-row.ts';
import {
  adminUsernameProblem,
  bootstrapTokenDoubt,
  bootstrapTokenProblem,
  diskEncryptionSetIdProblem,
  identityIdsProblem,
  ipProblem,
  plainHttpDoubt,
  resourceGroupProblem,
  sshKeyProblem,
  subnetIdProblem,
  tagsProblem,
  uuidProblem,
} from './value-checks.ts';

export const PROVISION_MODES = [
  'aksscriptless',
  'bootstrappingclient',
  'aksmachineapi',
  'aksmachineapiheaderbatch',
] as const;

const ONLY_MACHINE_API = 'only the machine-API provision modes read it, and those are refused';

const CLUSTER = optionGroup(
  { group: 'Azure: cluster', settingsPrefix: 'azure.' },
  {
    clusterName: {
      flag: 'cluster-name',
      env: 'CLUSTER_NAME',
      type: 'string',
      default: '',
      required: true,
      doc: 'Name of the AKS cluster',
    },
    clusterEndpoint: {
      flag: 'cluster-endpoint',
      env: 'CLUSTER_ENDPOINT',
      type: 'url',
      default: '',
      required: true,
      doc: 'Where new nodes find the API server',
    },
    nodeResourceGroup: {
      flag: 'node-resource-group',
      env: 'AZURE_NODE_RESOURCE_GROUP',
      type: 'string',
      default: '',
      required: true,
      check: resourceGroupProblem,
      doc: 'Resource group of the machines',
    },
    enableAzureSdkLogging: {
      flag: 'enable-azure-sdk-logging',
      env: 'ENABLE_AZURE_SDK_LOGGING',
      type: 'boolean',
      default: true,
      runtime: true,
      doc: 'A debug line for every call to Azure',
    },
  },
);

const MACHINES = optionGroup(
  { group: 'Azure: machines', settingsPrefix: 'azure.' },
  {
    provisionMode: {
      flag: 'provision-mode',
      env: 'PROVISION_MODE',
      type: 'string',
      choices: PROVISION_MODES,
      default: 'aksscriptless',
      doc: 'How a machine learns to be a node; the two machine-API modes are refused',
    },
    vmMemoryOverheadPercent: {
      flag: 'vm-memory-overhead-percent',
      env: 'VM_MEMORY_OVERHEAD_PERCENT',
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.075,
      runtime: true,
      doc: 'Share of the memory that the hypervisor and the kernel take',
    },
    kubeletBootstrapToken: {
      flag: 'kubelet-bootstrap-token',
      env: 'KUBELET_BOOTSTRAP_TOKEN',
      type: 'string',
      default: '',
      secret: true,
      required: true,
      runtime: true,
      check: bootstrapTokenProblem,
      doubt: bootstrapTokenDoubt,
      doc: 'The token with which a new kubelet asks for its certificate',
    },
    linuxAdminUsername: {
      flag: 'linux-admin-username',
      env: 'LINUX_ADMIN_USERNAME',
      type: 'string',
      default: 'azureuser',
      required: true,
      runtime: true,
      check: adminUsernameProblem,
      doc: 'The user that may log in to machines',
    },
    sshPublicKey: {
      flag: 'ssh-public-key',
      env: 'SSH_PUBLIC_KEY',
      type: 'string',
      default: '',
      required: true,
      runtime: true,
      check: sshKeyProblem,
      doc: 'The key of that user',
    },
    nodeIdentities: {
      flag: 'node-identities',
      env: 'NODE_IDENTITIES',
      type: 'list',
      default: [] as readonly string[],
      runtime: true,
      check: identityIdsProblem,
      placeholder: 'ID,ID',
      doc: 'Ids of user-assigned identities that every machine gets',
    },
    kubeletIdentityClientId: {
      flag: 'kubelet-identity-client-id',
      env: 'KUBELET_IDENTITY_CLIENT_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: uuidProblem,
      doc: 'Client id of the identity with which kubelets pull images',
    },
    nodeOsdiskDiskencryptionsetId: {
      flag: 'node-osdisk-diskencryptionset-id',
      env: 'NODE_OSDISK_DISKENCRYPTIONSET_ID',
      type: 'string',
      default: '',
      runtime: true,
      check: diskEncryptionSetIdProblem,
      placeholder: 'ID',
      doc: "The disk encryption set of OS disks; a node class may name another, empty takes the cluster's",
    },
    additionalTags: {
      flag: 'additional-tags',
      env: 'ADDITIONAL_TAGS',
      type: 'map',
      default: {} as Readonly<Record<string, string>>,
      runtime: true,
      check: tagsProblem,
      doc: 'Tags on every resource that is made; existing ones are updated too',
    },
  },
);

const NETWORK = optionGroup(
  { group: 'Azure: network', settingsPrefix: 'azure.' },
  {
    vnetSubnetId: {
      flag: 'vnet-subnet-id',
      env: 'VNET_SUBNET_ID',
      type: 'string',
      default: '',
      required: true,
      check: subnetIdProblem,
      placeholder: 'ID',
      doc: 'The subnet of machines whose node class names none',
    },
    networkPlugin: {
      flag: 'network-plugin',
      env: 'NETWORK_PLUGIN',
      type: 'string',
      choices: ['azure', 'none'],
      default: 'azure',
      doc: "The network plugin; when not set, the cluster's own is looked up",
    },
    networkPluginMode: {
      flag: 'network-plugin-mode',
      env: 'NETWORK_PLUGIN_MODE',
      type: 'string',
      choices: ['overlay', ''],
      default: 'overlay',
      doc: "Its mode, empty for pods in the node's subnet; when not set, the cluster's own is looked up",
    },
    networkPolicy: {
      flag: 'network-policy',
      env: 'NETWORK_POLICY',
      type: 'string',
      default: '',
      doc: "The network policy engine; when not set, the cluster's own is looked up",
    },
    networkDataplane: {
      flag: 'network-dataplane',
      env: 'NETWORK_DATAPLANE',
      type: 'string',
      choices: ['azure', 'cilium', ''],
      default: 'cilium',
      doc: "The data plane; when not set, the cluster's own is looked up",
    },
    dnsServiceIp: {
      flag: 'dns-service-ip',
      env: 'DNS_SERVICE_IP',
      type: 'string',
      default: '',
      runtime: true,
      check: ipProblem,
      placeholder: 'IP',
      doc: 'Address of the cluster DNS; empty looks it up',
    },
    vnetGuid: {
      flag: 'vnet-guid',
      env: 'VNET_GUID',
      type: 'string',
      default: '',
      runtime: true,
      check: uuidProblem,
      placeholder: 'UUID',
      doc: 'GUID of the virtual network; empty looks it up where the network is an overlay',
    },
  },
);

const IMAGES = optionGroup(
  { group: 'Azure: images and bootstrap server', settingsPrefix: 'azure.' },
  {
    useSig: {
      flag: 'use-sig',
      env: 'USE_SIG',
      type: 'boolean',
      default: false,
      doc: 'Take images from the shared image gallery instead of the community gallery',
    },
    sigSubscriptionId: {
      flag: 'sig-subscription-id',
      env: 'SIG_SUBSCRIPTION_ID',
      type: 'string',
      default: '',
      required: { when: (values) => values['useSig'] === true, text: 'use-sig is true' },
      doc: 'Subscription of that gallery',
    },
    sigAccessTokenServerUrl: {
      flag: 'sig-access-token-server-url',
      env: 'SIG_ACCESS_TOKEN_SERVER_URL',
      type: 'url',
      default: '',
      required: { when: (values) => values['useSig'] === true, text: 'use-sig is true' },
      doc: 'Where tokens for that gallery are given out',
    },
    nodebootstrappingServerUrl: {
      flag: 'nodebootstrapping-server-url',
      env: 'NODEBOOTSTRAPPING_SERVER_URL',
      type: 'url',
      default: '',
      required: {
        when: (values) => values['provisionMode'] === 'bootstrappingclient',
        text: 'provision-mode is bootstrappingclient',
      },
      doubt: plainHttpDoubt,
      doc: 'The server that writes custom data in mode bootstrappingclient',
    },
  },
);

const MACHINE_API = optionGroup(
  { group: 'Azure: machine API', settingsPrefix: 'azure.' },
  {
    manageExistingAksMachines: {
      flag: 'manage-existing-aks-machines',
      env: 'MANAGE_EXISTING_AKS_MACHINES',
      type: 'boolean',
      default: false,
      doc: 'Refused when true: nodes made by the machine API are left alone',
    },
    aksMachinesPoolName: {
      flag: 'aks-machines-pool-name',
      env: 'AKS_MACHINES_POOL_NAME',
      type: 'string',
      default: '',
      unused: ONLY_MACHINE_API,
      doc: 'Agent pool of machine-API nodes',
    },
    providerBatchIdleDuration: {
      flag: 'provider-batch-idle-duration',
      env: 'PROVIDER_BATCH_IDLE_DURATION',
      type: 'duration',
      minimum: 0,
      default: 1000,
      unused: ONLY_MACHINE_API,
      doc: 'Pause that ends a batch of machine requests',
    },
    providerBatchMaxDuration: {
      flag: 'provider-batch-max-duration',
      env: 'PROVIDER_BATCH_MAX_DURATION',
      type: 'duration',
      minimum: 0,
      default: 5000,
      unused: ONLY_MACHINE_API,
      doc: 'Longest batch of machine requests',
    },
    providerBatchMaxSize: {
      flag: 'provider-batch-max-size',
      env: 'PROVIDER_BATCH_MAX_SIZE',
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 50,
      unused: ONLY_MACHINE_API,
      doc: 'Largest batch of machine requests',
    },
  },
);

export const AZURE_UPSTREAM_OPTIONS = {
  ...CLUSTER,
  ...MACHINES,
  ...NETWORK,
  ...IMAGES,
  ...MACHINE_API,
};
