/**
 * The bootstrapping server of AKS: it gets the description of a node, and returns custom data and the command of its
 * custom script extension. It does not know the bootstrap token and leaves a placeholder for it.
 */
import { CLUSTER_TYPE, clusterId } from '../cluster/managed-cluster.ts';
import { type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { invalidRequestContent, resourceNotFound } from '../wire/errors.ts';
import type { ClusterFacts } from './cse.ts';
import { PROVISIONING } from './vm-guest.ts';

export function nodeBootstrappingRoutes(context: ArmContext, cluster: ClusterFacts): readonly ArmRoute[] {
  return [
    {
      method: 'GET',
      pattern: `/subscriptions/{sub}/resourceGroups/{rg}/providers/${CLUSTER_TYPE}/{name}/nodeBootstrapping`,
      apiVersions: [],
      handle(request) {
        const { sub, rg, name } = request.params as { sub: string; rg: string; name: string };
        context.store.requireResourceGroup(sub, rg);
        if (context.store.get(clusterId(sub, rg, name)) === undefined)
          throw resourceNotFound(CLUSTER_TYPE, name, rg);
        const { profile, helper } = readValues(request);
        return ok({
          customData: Buffer.from(CUSTOM_DATA).toString('base64'),
          cse: commandFor(variablesOf(context, cluster, profile, helper)),
        });
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

type Json = Readonly<Record<string, unknown>>;

const TOKEN_PLACEHOLDER = '{{.TokenID}}.{{.TokenSecret}}';
const CUSTOM_DATA = [
  '#cloud-config',
  'write_files:',
  '- path: /opt/azure/manifest.json',
  '  permissions: "0644"',
  '  owner: root',
  '  content: |',
  '    {}',
  '    #EOF',
  '',
].join('\n');

const MIRROR = 'https://acs-mirror.azureedge.net';
const GPU_DRIVERS: Readonly<Record<number, { type: string; version: string; image: string }>> = {
  2: { type: 'grid', version: '570.211.01', image: '20260522192315' },
  3: { type: 'cuda-lts', version: '580.159.04', image: '20260629214430' },
};

function readValues(request: ArmRequest): { profile: Json; helper: Json } {
  let body: unknown;
  try {
    body = JSON.parse(request.text);
  } catch (error) {
    throw invalidRequestContent((error as Error).message.slice(0, 200));
  }
  const { provisionProfile: profile, provisionHelperValues: helper } = asObject(body);
  for (const [name, value] of Object.entries({ provisionProfile: profile, provisionHelperValues: helper }))
    if (typeof value !== 'object' || value === null)
      throw invalidRequestContent(`Required property '${name}' is missing.`);
  for (const name of ['vmSize', 'orchestratorVersion', 'maxPods', 'customNodeLabels'])
    if (asObject(profile)[name] === undefined)
      throw invalidRequestContent(`Required property 'provisionProfile.${name}' is missing.`);
  return { profile: asObject(profile), helper: asObject(helper) };
}

function variablesOf(
  context: ArmContext,
  cluster: ClusterFacts,
  profile: Json,
  helper: Json,
): readonly (readonly [string, string])[] {
  const { settings } = context;
  const version = String(profile['orchestratorVersion']);
  const arch = profile['architecture'] === 'Arm64' ? 'arm64' : 'amd64';
  const minor = Number(version.split('.')[1]);
  const gpu = asObject(profile['gpuProfile']);
  const driver = gpu['installGPUDriver'] === true ? GPU_DRIVERS[Number(gpu['driverType'])] : undefined;
  const containers = '/opt/azure/containers';
  return [
    ['ADMINUSER', 'azureuser'],
    ['TENANT_ID', settings.tenantId],
    ['KUBERNETES_VERSION', version],
    [
      'KUBE_BINARY_URL',
      minor >= 34 ? '' : `${MIRROR}/kubernetes/v${version}/binaries/kubernetes-node-linux-${arch}.tar.gz`,
    ],
    [
      'CREDENTIAL_PROVIDER_DOWNLOAD_URL',
      `${MIRROR}/cloud-provider-azure/v1.32.5/binaries/azure-acr-credential-provider-linux-${arch}-v1.32.5.tar.gz`,
    ],
    ['SUBSCRIPTION_ID', settings.subscriptionId],
    ['RESOURCE_GROUP', settings.nodeResourceGroup],
    ['LOCATION', settings.region],
    ['API_SERVER_NAME', cluster.hosts[0] ?? ''],
    ['NETWORK_PLUGIN', 'none'],
    ['GPU_NODE', String(driver !== undefined)],
    ['CONFIG_GPU_DRIVER_IF_NEEDED', String(driver !== undefined)],
    ['GPU_DRIVER_TYPE', driver?.type ?? ''],
    ['GPU_DRIVER_VERSION', driver?.version ?? ''],
    ['GPU_IMAGE_SHA', driver?.image ?? ''],
    ['CSE_HELPERS_FILEPATH', `${containers}/provision_source.sh`],
    ['CSE_DISTRO_HELPERS_FILEPATH', `${containers}/provision_source_distro.sh`],
    ['CSE_INSTALL_FILEPATH', `${containers}/provision_installs.sh`],
    ['CSE_DISTRO_INSTALL_FILEPATH', `${containers}/provision_installs_distro.sh`],
    ['CSE_CONFIG_FILEPATH', `${containers}/provision_configs.sh`],
    ...swapOf(asObject(profile['customLinuxOSConfig'])),
    ['TLS_BOOTSTRAP_TOKEN', TOKEN_PLACEHOLDER],
    ['KUBELET_FLAGS', kubeletFlags(profile, helper, minor)],
    ['KUBELET_NODE_LABELS', labelsOf(asObject(profile['customNodeLabels']))],
    ['KUBE_CA_CRT', base64(cluster.caPem ?? 'none')],
    ['CONTAINERD_CONFIG_CONTENT', base64('version = 2\noom_score = 0\n')],
    ['SYSCTL_CONTENT', base64('net.core.somaxconn = 16384\n')],
  ];
}

function swapOf(config: Json): readonly (readonly [string, string])[] {
  const megabytes = config['swapFileSizeMB'];
  return [
    ['SHOULD_CONFIG_SWAP_FILE', String(megabytes !== undefined)],
    ['SWAP_FILE_SIZE_MB', String(megabytes ?? 0)],
  ];
}

/** Flags by the field of a custom kubelet configuration. */
const CUSTOM_FLAGS: Readonly<Record<string, (value: unknown) => string>> = {
  cpuManagerPolicy: (value) => `--cpu-manager-policy=${value}`,
  cpuCfsQuota: (value) => `--cpu-cfs-quota=${value}`,
  cpuCfsQuotaPeriod: (value) => `--cpu-cfs-quota-period=${value}`,
  imageGcHighThreshold: (value) => `--image-gc-high-threshold=${value}`,
  imageGcLowThreshold: (value) => `--image-gc-low-threshold=${value}`,
  topologyManagerPolicy: (value) => `--topology-manager-policy=${value}`,
  allowedUnsafeSysctls: (value) => `--allowed-unsafe-sysctls=${(value as string[]).join(',')}`,
  containerLogMaxSizeMB: (value) => `--container-log-max-size=${value}M`,
  containerLogMaxFiles: (value) => `--container-log-max-files=${value}`,
  podMaxPids: (value) => `--pod-max-pids=${value}`,
  failSwapOn: (value) => `--fail-swap-on=${value}`,
};

function kubeletFlags(profile: Json, helper: Json, minor: number): string {
  const taints = [...listOf(profile['nodeTaints']), ...listOf(profile['nodeInitializationTaints'])];
  const custom = Object.entries(asObject(profile['customKubeletConfig'])).flatMap(([field, value]) =>
    Object.hasOwn(CUSTOM_FLAGS, field) ? [CUSTOM_FLAGS[field]!(value)] : [],
  );
  return [
    '--cloud-provider=external',
    '--cluster-dns=10.0.0.10',
    '--eviction-hard=memory.available<750Mi,nodefs.available<10%,nodefs.inodesFree<5%',
    `--kube-reserved=cpu=${reservedOf(CPU_BRACKETS, Number(helper['skuCPU']), 1000)}m,memory=${reservedOf(MEMORY_BRACKETS, Number(helper['skuMemory']), 1024)}Mi`,
    `--max-pods=${profile['maxPods']}`,
    ...(minor < 35 ? ['--pod-infra-container-image=mcr.microsoft.com/oss/kubernetes/pause:3.6'] : []),
    ...(taints.length === 0 ? [] : [`--register-with-taints=${taints.join(',')}`]),
    '--rotate-certificates=true',
    ...custom,
  ].join(' ');
}

/** What AKS reserves: a share of each bracket. */
const CPU_BRACKETS = [
  [1, 0.06],
  [2, 0.04],
  [4, 0.02],
  [Number.POSITIVE_INFINITY, 0.01],
] as const;
const MEMORY_BRACKETS = [
  [4, 0.25],
  [8, 0.2],
  [16, 0.1],
  [128, 0.06],
  [Number.POSITIVE_INFINITY, 0.02],
] as const;

function reservedOf(brackets: readonly (readonly [number, number])[], amount: number, unit: number): number {
  let reserved = 0;
  let from = 0;
  for (const [to, share] of brackets) {
    reserved += Math.max(0, Math.min(amount, to) - from) * share;
    from = to;
  }
  return Math.floor(reserved * unit);
}

function labelsOf(labels: Json): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

/** One line, as AKS flattens its own: all variables before the command that reads them. */
function commandFor(variables: readonly (readonly [string, string])[]): string {
  const assignments = variables.map(([name, value]) => `${name}="${value.replace(/["$`\\]/g, '\\$&')}"`);
  return [
    'PROVISION_OUTPUT="/var/log/azure/cluster-provision-cse-output.log";',
    'echo $(date),$(hostname) > $PROVISION_OUTPUT;',
    ...assignments,
    `/usr/bin/nohup /bin/bash -c "/bin/bash /opt/azure/containers/${PROVISIONING}"`,
  ].join(' ');
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function listOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
