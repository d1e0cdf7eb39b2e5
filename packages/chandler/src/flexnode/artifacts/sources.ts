/**
 * The URLs of a file, in the order in which they are tried: mirrors, URLs of the config, the vendor. Mirrors and bundles
 * have the same layout. This file makes no requests.
 */
import { OFFLINE_VARIABLE } from '../config/checks.ts';
import type { FlexConfig } from '../config/config.ts';
import type { ArtifactKind, ArtifactRequest } from './artifacts.ts';

/** The path below a mirror or in a bundle: `containerd/v1.7.20/containerd-1.7.20-linux-amd64.tar.gz`. */
export function layoutPath(request: ArtifactRequest): string {
  return fill(LAYOUT[request.kind], request);
}

/** The file name in the download directory: one per kind, version and architecture. */
export function localName(request: ArtifactRequest): string {
  const name = layoutPath(request).split('/').at(-1)!;
  return `${request.kind}-${request.version}-${request.architecture}-${name}`;
}

/** The path of the bundle for the version of Kubernetes in this config. `undefined`: files are downloaded. */
export function bundleOf({ downloads, kubernetes }: Pick<FlexConfig, 'downloads' | 'kubernetes'>) {
  const { version } = kubernetes;
  return downloads.bundle?.replaceAll(OFFLINE_VARIABLE, (_all, bare?: string) =>
    bare === undefined ? `v${version}` : version,
  );
}

export function sourcesOf(request: ArtifactRequest, config: FlexConfig): readonly string[] {
  const mirrors = config.downloads.mirrors.map((base) => join(base, layoutPath(request)));
  return [...new Set([...mirrors, ...nonMirrorUrls(request, config)])];
}

/** The URLs that are not mirrors: only there a published checksum may be read. */
export function nonMirrorUrls(request: ArtifactRequest, config: FlexConfig): readonly string[] {
  return [...new Set([...configured(request, config), vendorUrl(request)])];
}

export function vendorUrl(request: ArtifactRequest): string {
  return fill(VENDOR[request.kind], request);
}

/**
 * The config may name an archive with all three Kubernetes programs instead of a base URL for single programs. The
 * archive is used only if the config names nothing else, because single programs have pinned hashes.
 */
export function kubernetesForm(config: FlexConfig): 'programs' | 'node-archive' {
  const templates = config.kubernetes.urlTemplates;
  const archivesOnly = templates.length > 0 && templates.every(isArchive);
  return archivesOnly && config.downloads.bundle === undefined ? 'node-archive' : 'programs';
}

/** `{version}` and `{arch}`, or printf's `%s` (first the version, then the architecture). */
export function fill(template: string, request: ArtifactRequest): string {
  const inOrder = [request.version, request.architecture];
  return template
    .replaceAll('{version}', request.version)
    .replaceAll('{arch}', request.architecture)
    .replaceAll('{name}', request.kind)
    .replace(/%s/g, () => inOrder.shift() ?? request.architecture);
}

// ---------------------------------------------------------------------------------------------------

const LAYOUT: Readonly<Record<ArtifactKind, string>> = {
  runc: 'runc/v{version}/runc.{arch}',
  containerd: 'containerd/v{version}/containerd-{version}-linux-{arch}.tar.gz',
  kubelet: 'kubernetes/v{version}/bin/linux/{arch}/kubelet',
  kubectl: 'kubernetes/v{version}/bin/linux/{arch}/kubectl',
  kubeadm: 'kubernetes/v{version}/bin/linux/{arch}/kubeadm',
  'kubernetes-node': 'kubernetes/v{version}/kubernetes-node-linux-{arch}.tar.gz',
  'cni-plugins': 'cni/v{version}/cni-plugins-linux-{arch}-v{version}.tgz',
  azcmagent: 'azcmagent/v{version}/azcmagent_{version}_{arch}.deb',
};

const VENDOR: Readonly<Record<ArtifactKind, string>> = {
  runc: 'https://github.com/opencontainers/runc/releases/download/v{version}/runc.{arch}',
  containerd:
    'https://github.com/containerd/containerd/releases/download/v{version}/containerd-{version}-linux-{arch}.tar.gz',
  kubelet: 'https://dl.k8s.io/release/v{version}/bin/linux/{arch}/kubelet',
  kubectl: 'https://dl.k8s.io/release/v{version}/bin/linux/{arch}/kubectl',
  kubeadm: 'https://dl.k8s.io/release/v{version}/bin/linux/{arch}/kubeadm',
  'kubernetes-node':
    'https://packages.aks.azure.com/kubernetes/v{version}/binaries/kubernetes-node-linux-{arch}.tar.gz',
  'cni-plugins':
    'https://github.com/containernetworking/plugins/releases/download/v{version}/cni-plugins-linux-{arch}-v{version}.tgz',
  azcmagent:
    'https://packages.microsoft.com/ubuntu/22.04/prod/pool/main/a/azcmagent/azcmagent_{version}_{arch}.deb',
};

function configured(request: ArtifactRequest, config: FlexConfig): readonly string[] {
  switch (request.kind) {
    case 'runc':
      return config.runc.urlTemplates.map((template) => fill(template, request));
    case 'kubelet':
    case 'kubectl':
    case 'kubeadm':
      return config.kubernetes.urlTemplates
        .filter((template) => !isArchive(template))
        .map((template) => join(fill(template, request), request.kind));
    case 'kubernetes-node':
      return config.kubernetes.urlTemplates.filter(isArchive).map((template) => fill(template, request));
    default:
      return [];
  }
}

function isArchive(template: string): boolean {
  return /\.(?:tar\.gz|tgz)$/.test(template.split('?')[0]!);
}

function join(base: string, path: string): string {
  return `${base.replace(/\/+$/, '')}/${path}`;
}
