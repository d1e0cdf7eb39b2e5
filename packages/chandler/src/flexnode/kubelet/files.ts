/**
 * Renders all files of the kubelet from the config and the facts of the cluster: path, mode, bytes. The step writes them;
 * the plan, the upgrade and the completion check compare them.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Facts } from '../step.ts';
import { renderKubeletConfig } from './config-file.ts';
import { renderKubeconfig } from './kubeconfig.ts';
import { KUBELET_DEFAULTS, KUBELET_DROP_INS, KUBELET_UNIT, kubeletPaths, OWN_PROGRAM } from './paths.ts';
import { kubeletFlags, kubeletSettings } from './settings.ts';
import {
  renderContainerdDropIn,
  renderDefaults,
  renderKubeadmDropIn,
  renderProxyDropIn,
  renderProxyEnvironment,
  renderTokenHelper,
  renderUnit,
} from './unit.ts';
import { parseVersion, type Version } from './version.ts';

export interface RenderedFile {
  readonly path: string;
  readonly mode: number;
  readonly content: string;
}

/** What the steps before have learned; see the list of facts in the journal. */
export interface ClusterFacts {
  readonly server: string;
  readonly caData: string;
  readonly dnsServiceIp?: string;
  /** PEM. */
  readonly clientCa?: string;
}

/** @throws {FlexError} when the credentials step has not left them. */
export function clusterFacts(facts: Pick<Facts, 'get'>): ClusterFacts {
  const [server, caData] = [facts.get('cluster.server'), facts.get('cluster.caData')];
  if (server === undefined || caData === undefined) {
    throw new FlexError({
      class: 'step',
      code: 'kubelet.no-cluster',
      message: 'the URL and the CA of the API server are not known yet',
      remedy: 'Run the credentials step before this one (`--only credentials,kubelet,start-services`).',
      where: server === undefined ? 'cluster.server' : 'cluster.caData',
    });
  }
  const [dnsServiceIp, clientCa] = [facts.get('cluster.dnsServiceIp'), facts.get('cluster.clientCa')];
  return {
    server,
    caData,
    ...(dnsServiceIp === undefined ? {} : { dnsServiceIp }),
    ...(clientCa === undefined ? {} : { clientCa }),
  };
}

export function kubeletFiles(
  config: FlexConfig,
  cluster: ClusterFacts,
  machine: { readonly resolvConf: string },
): readonly RenderedFile[] {
  const paths = kubeletPaths(config);
  const { extraConfig } = config.node.kubelet;
  const settings = kubeletSettings(config, { ...cluster, ...machine, clientCa: true });
  const flags = kubeletFlags(settings, kubeletVersion(config), extraConfig);
  const kubeconfig = renderKubeconfig({
    clusterName: config.azure.targetCluster.name,
    server: cluster.server,
    caData: cluster.caData,
    tokenHelper: paths.tokenHelper,
  });
  const proxy = renderProxyEnvironment(config);
  return [
    { path: paths.clientCa, mode: 0o644, content: clientCaOf(cluster) },
    { path: paths.config, mode: 0o644, content: renderKubeletConfig(settings, extraConfig) },
    { path: KUBELET_DEFAULTS, mode: 0o644, content: renderDefaults(config, flags) },
    {
      path: paths.tokenHelper,
      // The mode of the original allows all users to run it, but only root can read its input.
      mode: config.security.documentMode ? 0o755 : 0o700,
      content: renderTokenHelper(OWN_PROGRAM),
    },
    {
      path: config.security.tlsBootstrap ? paths.bootstrapKubeconfig : paths.kubeconfig,
      mode: 0o600,
      content: kubeconfig,
    },
    {
      path: `${KUBELET_DROP_INS}/10-containerd.conf`,
      mode: 0o644,
      content: renderContainerdDropIn(),
    },
    { path: `${KUBELET_DROP_INS}/10-kubeadm.conf`, mode: 0o644, content: renderKubeadmDropIn(config) },
    ...(proxy === undefined
      ? []
      : [
          { path: paths.proxyEnvironment, mode: 0o600, content: proxy },
          {
            path: `${KUBELET_DROP_INS}/20-proxy.conf`,
            mode: 0o644,
            content: renderProxyDropIn(config),
          },
        ]),
    { path: KUBELET_UNIT, mode: 0o644, content: renderUnit(config) },
  ];
}

/** Files of other settings, which must be removed. */
export function obsoleteKubeletFiles(config: FlexConfig): readonly string[] {
  const paths = kubeletPaths(config);
  const proxied = config.proxy.http !== undefined || config.proxy.https !== undefined;
  return [
    ...(config.security.tlsBootstrap ? [] : [paths.bootstrapKubeconfig]),
    ...(proxied ? [] : [`${KUBELET_DROP_INS}/20-proxy.conf`, paths.proxyEnvironment]),
  ];
}

/** @throws {FlexError} when the config's version is none. */
export function kubeletVersion(config: FlexConfig): Version {
  const version = parseVersion(config.kubernetes.version);
  if (version !== undefined) return version;
  throw new FlexError({
    class: 'config',
    code: 'config.version',
    message: `"${config.kubernetes.version}" is not a Kubernetes version`,
    remedy: 'Use the format 1.32.7.',
    where: 'kubernetes.version',
  });
}

// ---------------------------------------------------------------------------------------------------

/** AKS signs its API servers and their kubelet clients with one CA, so the server CA is used if the client CA is not published. */
function clientCaOf({ clientCa, caData }: ClusterFacts): string {
  const pem = clientCa ?? Buffer.from(caData, 'base64').toString('utf8');
  return pem.endsWith('\n') ? pem : `${pem}\n`;
}
