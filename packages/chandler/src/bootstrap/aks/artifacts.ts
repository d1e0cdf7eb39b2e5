/**
 * Where a node gets what its image does not hold: the URLs of Kubernetes, CNI and credential provider, on the mirror of
 * the cloud the node runs in. Which files an image really downloads, the image decides.
 */
import type { Sourced } from '../../settings/index.ts';
import { BootstrapError } from '../bootstrapper.ts';
import type { Architecture } from '../input.ts';
import { BOOTSTRAP_CLOUDS, type BootstrapCloud } from './clouds.table.ts';
import { atLeast, type KubernetesVersion } from './kubernetes-version.ts';

/** @throws {BootstrapError} `unknownCloud`. */
export function bootstrapCloud(armCloud: Sourced<string>): BootstrapCloud {
  const wanted = armCloud.value.toLowerCase();
  const found = BOOTSTRAP_CLOUDS.find(
    (cloud) => cloud.name.toLowerCase() === wanted || cloud.aliases.includes(wanted),
  );
  if (found !== undefined) return found;
  const names = BOOTSTRAP_CLOUDS.map((cloud) => cloud.name).join(', ');
  throw new BootstrapError(
    'unknownCloud',
    `no mirror and registry are known for the cloud "${armCloud.value}"; supported clouds: ${names}`,
    { path: armCloud.path },
  );
}

/** Empty where the image brings its own. */
export function kubeBinaryUrl(
  cloud: BootstrapCloud,
  version: KubernetesVersion,
  architecture: Architecture,
): string {
  if (atLeast(version, 34)) return '';
  return `${cloud.mirror}/kubernetes/v${version.text}/binaries/kubernetes-node-linux-${architecture}.tar.gz`;
}

/** Empty before 1.30, where the kubelet itself knew the registry. */
export function credentialProviderUrl(
  cloud: BootstrapCloud,
  version: KubernetesVersion,
  architecture: Architecture,
): string {
  const release = CREDENTIAL_PROVIDERS.findLast(([minor]) => atLeast(version, minor))?.[1];
  if (release === undefined) return '';
  const file = `azure-acr-credential-provider-linux-${architecture}-v${release}.tar.gz`;
  return `${cloud.mirror}/cloud-provider-azure/v${release}/binaries/${file}`;
}

export function azureCniUrl(cloud: BootstrapCloud, architecture: Architecture): string {
  const file = `azure-vnet-cni-linux-${architecture}-v${AZURE_CNI}.tgz`;
  return `${cloud.mirror}/azure-cni/v${AZURE_CNI}/binaries/${file}`;
}

export function cniPluginsUrl(cloud: BootstrapCloud, architecture: Architecture): string {
  const file = `cni-plugins-linux-${architecture}-v${CNI_PLUGINS}.tgz`;
  return `${cloud.mirror}/cni-plugins/v${CNI_PLUGINS}/binaries/${file}`;
}

export function outboundCommand(cloud: BootstrapCloud): string {
  return `curl -v --insecure --proxy-insecure https://${cloud.registry}/v2/`;
}

// ---------------------------------------------------------------------------------------------------

const AZURE_CNI = '1.4.32';
const CNI_PLUGINS = '1.1.1';

/** From which minor on, which release. */
const CREDENTIAL_PROVIDERS: readonly (readonly [minor: number, release: string])[] = [
  [30, '1.30.12'],
  [31, '1.31.6'],
  [32, '1.32.5'],
  [33, '1.33.0'],
];
