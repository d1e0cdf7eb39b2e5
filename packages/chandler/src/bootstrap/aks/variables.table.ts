/**
 * The variables that a node image of AKS reads from its custom data: all 124, one row each, in the order in which they
 * are written; and the four that always follow them. Names, quoting and the constant values are those that the images
 * expect.
 * Source: the node bootstrapping of karpenter-provider-azure (commit 352646f5) and AgentBaker, read 2026-08-21.
 */
import { toBase64 } from '../custom-data.ts';
import {
  azureCniUrl,
  bootstrapCloud,
  cniPluginsUrl,
  credentialProviderUrl,
  kubeBinaryUrl,
  outboundCommand,
} from './artifacts.ts';
import { sizeInMiB } from './byte-size.ts';
import { containerdConfig } from './containerd.ts';
import { gpuDriverFor, needsFabricManager } from './gpu.ts';
import { kubeletFlagText } from './kubelet-flags.ts';
import { parseKubernetesVersion } from './kubernetes-version.ts';
import { labelText } from './labels.ts';
import { apiServerName, nodeNetworkPlugin, parseSubnetId, subnetIdOf } from './network.ts';
import { sysctlFile } from './sysctl.ts';
import {
  classField,
  clusterValue,
  computed,
  constant,
  named,
  option,
  quoted,
  type Resolve,
  secret,
  type VariableRow,
  variable,
} from './variable-row.ts';

const CONTAINERS = '/opt/azure/containers';
const VERSION_AND_SIZE = 'kubernetesVersion, ARM_CLOUD, architecture of the size';
const CLOUD_AND_SIZE = 'ARM_CLOUD, architecture of the size';
const GPU = 'size, spec.gpu.mode';
const NETWORK = 'NETWORK_PLUGIN, NETWORK_PLUGIN_MODE, NETWORK_DATAPLANE';

const version: Resolve = ({ cluster }) => ({
  ...cluster.kubernetesVersion,
  value: parseKubernetesVersion(cluster.kubernetesVersion).text,
});

const cloudName: Resolve = ({ options }) => ({
  ...named(options.armCloud, '--arm-cloud'),
  value: bootstrapCloud(options.armCloud).name,
});

const subnetPart =
  (part: 'subnet' | 'virtualNetwork' | 'resourceGroup'): Resolve =>
  (input) => {
    const id = subnetIdOf(input);
    return { ...named(id, '--vnet-subnet-id'), value: parseSubnetId(id)[part] };
  };

const sysctlContent: Resolve = ({ nodeClass }) => {
  const { sysctls } = nodeClass.spec.linuxOSConfig ?? {};
  const value = toBase64(sysctlFile(sysctls));
  return sysctls === undefined
    ? { value, source: 'hardcoded', path: 'spec.linuxOSConfig.sysctls' }
    : { value, source: 'NodeClass', path: 'spec.linuxOSConfig.sysctls' };
};

export const VARIABLES: readonly VariableRow[] = [
  // Who and where.
  variable(
    'ADMINUSER',
    'machine',
    'option',
    option('linuxAdminUsername'),
    'The user that may log in with the SSH key.',
    'azureuser',
  ),
  constant('MOBY_VERSION', 'legacy', '', 'Version of the Docker engine; nodes have none.'),
  variable('TENANT_ID', 'identity', 'option', option('azureTenantId'), 'The Entra tenant of the cluster.'),
  variable(
    'KUBERNETES_VERSION',
    'cluster',
    'cluster',
    version,
    'The Kubernetes version of the node, without a v.',
  ),
  constant('HYPERKUBE_URL', 'legacy', '', 'An image with all of Kubernetes, of former days.'),
  variable(
    'KUBE_BINARY_URL',
    'artifacts',
    'computed',
    computed(VERSION_AND_SIZE, ({ cluster, options, node }) =>
      kubeBinaryUrl(
        bootstrapCloud(options.armCloud),
        parseKubernetesVersion(cluster.kubernetesVersion),
        node.architecture,
      ),
    ),
    'Where kubelet and kubectl are fetched; empty from 1.34 on, where the image knows.',
  ),
  constant('CUSTOM_KUBE_BINARY_URL', 'artifacts', '', 'A private build of Kubernetes.'),
  variable(
    'CREDENTIAL_PROVIDER_DOWNLOAD_URL',
    'artifacts',
    'computed',
    computed(VERSION_AND_SIZE, ({ cluster, options, node }) =>
      credentialProviderUrl(
        bootstrapCloud(options.armCloud),
        parseKubernetesVersion(cluster.kubernetesVersion),
        node.architecture,
      ),
    ),
    'Where the credential provider for Azure registries is fetched; empty before 1.30.',
  ),
  constant('KUBEPROXY_URL', 'legacy', '', 'An image of kube-proxy; it runs as a DaemonSet.'),
  constant('APISERVER_PUBLIC_KEY', 'legacy', '', 'Only control planes had it.'),
  variable(
    'SUBSCRIPTION_ID',
    'cloud provider',
    'option',
    option('azureSubscriptionId'),
    'The subscription of the node.',
  ),
  variable(
    'RESOURCE_GROUP',
    'cloud provider',
    'option',
    option('nodeResourceGroup'),
    'The resource group of the nodes, not that of the cluster.',
  ),
  variable('LOCATION', 'cloud provider', 'option', option('location'), 'The Azure region.'),
  constant('VM_TYPE', 'cloud provider', 'standard', 'Machines on their own, not of a scale set.'),
  variable(
    'SUBNET',
    'network',
    'NodeClass',
    subnetPart('subnet'),
    'Name of the subnet: of spec.vnetSubnetID, else of VNET_SUBNET_ID.',
  ),
  variable(
    'NETWORK_SECURITY_GROUP',
    'network',
    'cluster',
    clusterValue('networkSecurityGroup'),
    'Name of the security group that AKS manages.',
  ),
  variable(
    'VIRTUAL_NETWORK',
    'network',
    'NodeClass',
    subnetPart('virtualNetwork'),
    'Name of the virtual network of that subnet.',
  ),
  variable(
    'VIRTUAL_NETWORK_RESOURCE_GROUP',
    'network',
    'NodeClass',
    subnetPart('resourceGroup'),
    'Resource group of that virtual network.',
  ),
  variable(
    'ROUTE_TABLE',
    'network',
    'computed',
    computed('clusterId', ({ cluster }) => `aks-agentpool-${cluster.clusterId.value}-routetable`),
    'Name of the route table that AKS manages.',
  ),
  constant('PRIMARY_AVAILABILITY_SET', 'cloud provider', '', 'Machines are in no availability set.'),
  constant('PRIMARY_SCALE_SET', 'cloud provider', '', 'Machines are in no scale set.'),
  constant('SERVICE_PRINCIPAL_CLIENT_ID', 'identity', 'msi', 'Nodes use a managed identity.'),
  variable(
    'NETWORK_PLUGIN',
    'network',
    'computed',
    computed(NETWORK, ({ options }) => nodeNetworkPlugin(options)),
    'The CNI that the node installs: azure, or none where something else brings it.',
  ),
  quoted(
    variable(
      'NETWORK_POLICY',
      'network',
      'option',
      option('networkPolicy'),
      'The network policy engine of the cluster.',
    ),
  ),
  variable(
    'VNET_CNI_PLUGINS_URL',
    'artifacts',
    'computed',
    computed(CLOUD_AND_SIZE, ({ options, node }) =>
      azureCniUrl(bootstrapCloud(options.armCloud), node.architecture),
    ),
    "Where Azure's CNI is fetched.",
  ),
  variable(
    'CNI_PLUGINS_URL',
    'artifacts',
    'computed',
    computed(CLOUD_AND_SIZE, ({ options, node }) =>
      cniPluginsUrl(bootstrapCloud(options.armCloud), node.architecture),
    ),
    'Where the common CNI plugins are fetched.',
  ),

  // What the cloud provider reads from azure.json.
  constant('CLOUDPROVIDER_BACKOFF', 'cloud provider', true, 'Whether calls to Azure back off.'),
  constant('CLOUDPROVIDER_BACKOFF_MODE', 'cloud provider', 'v2', 'How they back off.'),
  constant('CLOUDPROVIDER_BACKOFF_RETRIES', 'cloud provider', 6, 'How often a call is tried again.'),
  constant('CLOUDPROVIDER_BACKOFF_EXPONENT', 'cloud provider', 0, 'Growth of the pause.'),
  constant('CLOUDPROVIDER_BACKOFF_DURATION', 'cloud provider', 5, 'Seconds of the first pause.'),
  constant('CLOUDPROVIDER_BACKOFF_JITTER', 'cloud provider', 0, 'Chance in the pause.'),
  constant('CLOUDPROVIDER_RATELIMIT', 'cloud provider', true, 'Whether calls to Azure are limited.'),
  constant('CLOUDPROVIDER_RATELIMIT_QPS', 'cloud provider', 10, 'Reads per second.'),
  constant('CLOUDPROVIDER_RATELIMIT_QPS_WRITE', 'cloud provider', 10, 'Writes per second.'),
  constant('CLOUDPROVIDER_RATELIMIT_BUCKET', 'cloud provider', 100, 'Reads at once.'),
  constant('CLOUDPROVIDER_RATELIMIT_BUCKET_WRITE', 'cloud provider', 100, 'Writes at once.'),
  constant(
    'LOAD_BALANCER_DISABLE_OUTBOUND_SNAT',
    'cloud provider',
    false,
    'Whether load balancers leave outbound traffic alone.',
  ),
  constant('USE_MANAGED_IDENTITY_EXTENSION', 'identity', true, 'Whether a managed identity is used.'),
  constant('USE_INSTANCE_METADATA', 'cloud provider', true, 'Whether facts come from the metadata service.'),
  constant('LOAD_BALANCER_SKU', 'cloud provider', 'Standard', 'Kind of load balancers.'),
  constant(
    'EXCLUDE_MASTER_FROM_STANDARD_LB',
    'cloud provider',
    true,
    'Whether control planes stay out of load balancers.',
  ),
  constant('MAXIMUM_LOADBALANCER_RULE_COUNT', 'cloud provider', 250, 'Rules per load balancer.'),
  constant('CONTAINER_RUNTIME', 'container runtime', 'containerd', 'What runs containers.'),
  constant('CLI_TOOL', 'container runtime', 'ctr', 'How the image talks to it.'),
  constant('CONTAINERD_DOWNLOAD_URL_BASE', 'container runtime', '', 'The image brings containerd.'),
  constant('NETWORK_MODE', 'network', '', "Mode of Azure's CNI; it chooses itself."),
  variable(
    'USER_ASSIGNED_IDENTITY_ID',
    'identity',
    'option',
    option('kubeletIdentityClientId'),
    'Client id of the identity that the kubelet uses.',
  ),
  variable(
    'API_SERVER_NAME',
    'cluster',
    'option',
    option('clusterEndpoint', apiServerName),
    'Host of the API server, without scheme and port.',
  ),
  constant('IS_VHD', 'machine', true, 'The image was built for AKS.'),
  variable(
    'GPU_NODE',
    'gpu',
    'computed',
    computed(GPU, (input) => gpuDriverFor(input) !== undefined),
    'Whether the node has an NVIDIA GPU that gets a driver.',
    'false',
  ),
  constant('SGX_NODE', 'machine', false, 'Whether the machine has SGX enclaves.'),
  constant('MIG_NODE', 'gpu', false, 'Whether GPUs are split into instances.'),
  variable(
    'CONFIG_GPU_DRIVER_IF_NEEDED',
    'gpu',
    'computed',
    computed(GPU, (input) => gpuDriverFor(input) !== undefined),
    'Whether the driver is installed.',
    'false',
  ),
  constant(
    'ENABLE_GPU_DEVICE_PLUGIN_IF_NEEDED',
    'gpu',
    false,
    'Whether the device plugin is a service of the node; it runs as a DaemonSet.',
  ),
  constant('TELEPORTD_PLUGIN_DOWNLOAD_URL', 'legacy', '', 'Image streaming of former days.'),
  constant('CONTAINERD_VERSION', 'container runtime', '', 'The image brings containerd.'),
  constant('CONTAINERD_PACKAGE_URL', 'container runtime', '', 'The image brings containerd.'),
  constant('RUNC_VERSION', 'container runtime', '', 'The image brings runc.'),
  constant('RUNC_PACKAGE_URL', 'container runtime', '', 'The image brings runc.'),
  quoted(
    constant(
      'ENABLE_HOSTS_CONFIG_AGENT',
      'network',
      false,
      'Whether an agent keeps the API server in /etc/hosts.',
    ),
  ),
  quoted(constant('DISABLE_SSH', 'machine', false, 'Whether SSH is off.')),
  quoted(constant('NEEDS_CONTAINERD', 'container runtime', true, 'Whether containerd is set up.')),
  quoted(constant('TELEPORT_ENABLED', 'legacy', false, 'Image streaming of former days.')),
  quoted(constant('SHOULD_CONFIGURE_HTTP_PROXY', 'proxy', false, 'Whether the node uses an HTTP proxy.')),
  quoted(
    constant('SHOULD_CONFIGURE_HTTP_PROXY_CA', 'proxy', false, 'Whether the proxy has a CA of its own.'),
  ),
  quoted(constant('HTTP_PROXY_TRUSTED_CA', 'proxy', '', 'That CA.')),
  quoted(
    constant('SHOULD_CONFIGURE_CUSTOM_CA_TRUST', 'proxy', false, 'Whether the node trusts further CAs.'),
  ),
  quoted(constant('CUSTOM_CA_TRUST_COUNT', 'proxy', 0, 'How many.')),
  quoted(constant('IS_KRUSTLET', 'legacy', false, 'WebAssembly nodes of former days.')),
  quoted(
    variable(
      'GPU_NEEDS_FABRIC_MANAGER',
      'gpu',
      'computed',
      computed(GPU, (input) => needsFabricManager(input)),
      'Whether the GPUs talk through NVSwitch.',
      'false',
    ),
  ),
  quoted(constant('NEEDS_DOCKER_LOGIN', 'legacy', false, 'Whether Docker logs in to a registry.')),
  quoted(constant('IPV6_DUAL_STACK_ENABLED', 'network', false, 'Whether the node has IPv6 too.')),
  quoted(
    variable(
      'OUTBOUND_COMMAND',
      'network',
      'computed',
      computed('ARM_CLOUD', ({ options }) => outboundCommand(bootstrapCloud(options.armCloud))),
      'What the node runs to see whether it reaches the outside.',
    ),
  ),
  quoted(
    constant(
      'ENABLE_UNATTENDED_UPGRADES',
      'operating system',
      false,
      'Whether packages update themselves; images are replaced instead.',
    ),
  ),
  quoted(
    constant('ENSURE_NO_DUPE_PROMISCUOUS_BRIDGE', 'network', false, 'A rule for kubenet, which is not used.'),
  ),
  quoted(
    variable(
      'SHOULD_CONFIG_SWAP_FILE',
      'operating system',
      'NodeClass',
      classField(
        'spec.linuxOSConfig.swapFileSize',
        ({ linuxOSConfig }) => linuxOSConfig?.swapFileSize && sizeInMiB(linuxOSConfig.swapFileSize) > 0,
        'false',
      ),
      'Whether there is a swap file.',
      'false',
    ),
  ),
  quoted(
    variable(
      'SHOULD_CONFIG_TRANSPARENT_HUGE_PAGE',
      'operating system',
      'NodeClass',
      classField(
        'spec.linuxOSConfig',
        ({ linuxOSConfig }) =>
          (linuxOSConfig?.transparentHugePageEnabled ?? linuxOSConfig?.transparentHugePageDefrag) && true,
        'false',
      ),
      'Whether huge pages are set up.',
      'false',
    ),
  ),
  quoted(
    variable('TARGET_CLOUD', 'cloud provider', 'option', cloudName, 'The Azure cloud.', 'AzurePublicCloud'),
  ),
  quoted(
    variable(
      'TARGET_ENVIRONMENT',
      'cloud provider',
      'option',
      cloudName,
      'The Azure cloud, for azure.json.',
      'AzurePublicCloud',
    ),
  ),
  quoted(constant('CUSTOM_ENV_JSON', 'cloud provider', '', "Endpoints of a cloud of one's own.")),
  quoted(constant('IS_CUSTOM_CLOUD', 'cloud provider', false, "Whether it is a cloud of one's own.")),

  // Files that the image brings.
  quoted(
    constant(
      'CSE_HELPERS_FILEPATH',
      'scripts',
      `${CONTAINERS}/provision_source.sh`,
      'Functions of the provisioning scripts.',
    ),
  ),
  quoted(
    constant(
      'CSE_DISTRO_HELPERS_FILEPATH',
      'scripts',
      `${CONTAINERS}/provision_source_distro.sh`,
      'Functions of the distribution.',
    ),
  ),
  quoted(constant('CSE_INSTALL_FILEPATH', 'scripts', `${CONTAINERS}/provision_installs.sh`, 'Installation.')),
  quoted(
    constant(
      'CSE_DISTRO_INSTALL_FILEPATH',
      'scripts',
      `${CONTAINERS}/provision_installs_distro.sh`,
      'Installation on the distribution.',
    ),
  ),
  quoted(constant('CSE_CONFIG_FILEPATH', 'scripts', `${CONTAINERS}/provision_configs.sh`, 'Configuration.')),
  quoted(constant('AZURE_PRIVATE_REGISTRY_SERVER', 'container runtime', '', 'A registry to log in to.')),
  quoted(constant('HAS_CUSTOM_SEARCH_DOMAIN', 'network', false, 'Whether the node joins a domain.')),
  quoted(
    constant(
      'CUSTOM_SEARCH_DOMAIN_FILEPATH',
      'scripts',
      `${CONTAINERS}/setup-custom-search-domains.sh`,
      'How it joins.',
    ),
  ),
  quoted(constant('HTTP_PROXY_URLS', 'proxy', '', 'Proxy for http.')),
  quoted(constant('HTTPS_PROXY_URLS', 'proxy', '', 'Proxy for https.')),
  quoted(constant('NO_PROXY_URLS', 'proxy', '', 'What goes around the proxy.')),
  quoted(
    constant(
      'ENABLE_TLS_BOOTSTRAPPING',
      'identity',
      true,
      'Whether the kubelet gets its certificate with a token.',
    ),
  ),
  quoted(
    constant(
      'ENABLE_SECURE_TLS_BOOTSTRAPPING',
      'identity',
      false,
      'Whether it gets it with the identity of the machine.',
    ),
  ),
  quoted(
    constant(
      'ENABLE_KUBELET_SERVING_CERTIFICATE_ROTATION',
      'identity',
      false,
      "Whether the kubelet's own server certificate is rotated.",
    ),
  ),
  quoted(constant('DHCPV6_SERVICE_FILEPATH', 'network', '', 'IPv6 addresses.')),
  quoted(constant('DHCPV6_CONFIG_FILEPATH', 'network', '', 'IPv6 addresses.')),
  quoted(
    variable(
      'THP_ENABLED',
      'operating system',
      'NodeClass',
      classField(
        'spec.linuxOSConfig.transparentHugePageEnabled',
        ({ linuxOSConfig }) => linuxOSConfig?.transparentHugePageEnabled,
        '',
      ),
      'When memory is backed with huge pages.',
    ),
  ),
  quoted(
    variable(
      'THP_DEFRAG',
      'operating system',
      'NodeClass',
      classField(
        'spec.linuxOSConfig.transparentHugePageDefrag',
        ({ linuxOSConfig }) => linuxOSConfig?.transparentHugePageDefrag,
        '',
      ),
      'How hard the kernel works for them.',
    ),
  ),
  quoted(
    constant(
      'SERVICE_PRINCIPAL_FILE_CONTENT',
      'identity',
      toBase64('msi'),
      'The secret of a service principal; there is none.',
    ),
  ),
  quoted(constant('KUBELET_CLIENT_CONTENT', 'identity', '', "The kubelet's key; it makes its own.")),
  quoted(
    constant('KUBELET_CLIENT_CERT_CONTENT', 'identity', '', "The kubelet's certificate; it asks for one."),
  ),
  quoted(
    constant(
      'KUBELET_CONFIG_FILE_ENABLED',
      'kubelet',
      false,
      'Whether the kubelet has a configuration file; flags are used.',
    ),
  ),
  quoted(constant('KUBELET_CONFIG_FILE_CONTENT', 'kubelet', '', 'That file.')),
  quoted(
    variable(
      'SWAP_FILE_SIZE_MB',
      'operating system',
      'NodeClass',
      classField(
        'spec.linuxOSConfig.swapFileSize',
        ({ linuxOSConfig }) => linuxOSConfig?.swapFileSize && sizeInMiB(linuxOSConfig.swapFileSize),
        '0',
      ),
      'Size of the swap file.',
      '0',
    ),
  ),
  quoted(
    variable(
      'GPU_DRIVER_VERSION',
      'gpu',
      'computed',
      computed(GPU, (input) => gpuDriverFor(input)?.version ?? ''),
      'The driver of the size.',
    ),
  ),
  quoted(
    variable(
      'GPU_IMAGE_SHA',
      'gpu',
      'computed',
      computed(GPU, (input) => gpuDriverFor(input)?.imageTag ?? ''),
      "Tag of the driver's image.",
    ),
  ),
  quoted(
    variable(
      'GPU_DRIVER_TYPE',
      'gpu',
      'computed',
      computed(GPU, (input) => gpuDriverFor(input)?.type ?? ''),
      'cuda, cuda-lts, grid or grid-v20.',
    ),
  ),
  quoted(constant('GPU_INSTANCE_PROFILE', 'gpu', '', 'How GPUs are split.')),
  quoted(constant('CUSTOM_SEARCH_DOMAIN_NAME', 'network', '', 'The domain that the node joins.')),
  quoted(constant('CUSTOM_SEARCH_REALM_USER', 'network', '', 'Who may join it.')),
  secret(quoted(constant('CUSTOM_SEARCH_REALM_PASSWORD', 'network', '', 'With what.'))),
  quoted(constant('MESSAGE_OF_THE_DAY', 'operating system', '', 'What is shown at login.')),
  quoted(constant('HAS_KUBELET_DISK_TYPE', 'kubelet', false, 'Whether the kubelet has a disk of its own.')),
  quoted(constant('NEEDS_CGROUPV2', 'operating system', true, 'Whether cgroup v2 is used.')),
  secret(
    quoted(
      variable(
        'TLS_BOOTSTRAP_TOKEN',
        'identity',
        'option',
        option('kubeletBootstrapToken'),
        'The token with which the kubelet asks for its certificate. A secret.',
      ),
    ),
  ),
  quoted(
    variable(
      'KUBELET_FLAGS',
      'kubelet',
      'computed',
      computed(
        'kubernetesVersion, dnsServiceIP, spec.kubelet, spec.maxPods, spec.taints, spec.startupTaints, overhead of the size',
        kubeletFlagText,
      ),
      'The command line of the kubelet, sorted.',
    ),
  ),
  quoted(
    variable(
      'KUBELET_NODE_LABELS',
      'kubelet',
      'computed',
      computed(
        'metadata.labels and spec.requirements of the claim, labels of the size and of the offering',
        ({ node }) => labelText(node.labels),
      ),
      'The labels that the node registers with, sorted.',
    ),
  ),
  quoted(
    constant(
      'AZURE_ENVIRONMENT_FILEPATH',
      'cloud provider',
      '',
      "File with the endpoints of a cloud of one's own.",
    ),
  ),
  quoted(
    variable(
      'KUBE_CA_CRT',
      'cluster',
      'cluster',
      clusterValue('caBundle'),
      'The CA of the API server, base64.',
    ),
  ),
  quoted(
    variable(
      'CONTAINERD_CONFIG_CONTENT',
      'container runtime',
      'computed',
      computed(GPU, (input) => toBase64(containerdConfig({ nvidia: gpuDriverFor(input) !== undefined }))),
      'The configuration of containerd, base64.',
    ),
  ),
  quoted(
    variable(
      'SYSCTL_CONTENT',
      'operating system',
      'NodeClass',
      sysctlContent,
      'The sysctl file, base64: what every node gets, with spec.linuxOSConfig.sysctls in their place.',
      toBase64(sysctlFile(undefined)),
    ),
  ),
  quoted(constant('IS_KATA', 'container runtime', false, 'Whether pods run in virtual machines.')),
];

/** Written after the variables, whatever they are. */
export const TAIL: readonly VariableRow[] = [
  quoted(
    constant(
      'MCR_REPOSITORY_BASE',
      'container runtime',
      'mcr.microsoft.com',
      'Where AKS has its own images.',
    ),
  ),
  constant(
    'ENABLE_IMDS_RESTRICTION',
    'network',
    false,
    'Whether pods are kept away from the metadata service.',
  ),
  constant('INSERT_IMDS_RESTRICTION_RULE_TO_MANGLE_TABLE', 'network', false, 'How they would be.'),
  constant('CSE_TIMEOUT', 'scripts', '15m', 'How long provisioning may take.'),
];
