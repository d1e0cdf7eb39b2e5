/** Where the kubelet's files are. Names that the original document fixes are fixed here; folders come from the config. */
import type { FlexConfig } from '../config/config.ts';

export const KUBELET_BINARY = '/usr/local/bin/kubelet';
export const KUBELET_DEFAULTS = '/etc/default/kubelet';
export const KUBELET_UNIT = '/etc/systemd/system/kubelet.service';
export const KUBELET_DROP_INS = '/etc/systemd/system/kubelet.service.d';
/** Where a kubelet without `--root-dir` and `--cert-dir` keeps its state. */
export const DEFAULT_KUBELET_DIR = '/var/lib/kubelet';
/** Where every kubelet creates the socket for device plugins, whatever its root directory is. */
export const DEVICE_PLUGINS_DIR = '/var/lib/kubelet/device-plugins';
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';
/** Our own program, where the token helper finds it. */
export const OWN_PROGRAM = '/usr/local/bin/chandler-flexnode';

export interface KubeletPaths {
  readonly dir: string;
  readonly config: string;
  readonly kubeconfig: string;
  /** Only with `security.tlsBootstrap`. */
  readonly bootstrapKubeconfig: string;
  readonly tokenHelper: string;
  readonly clientCa: string;
  readonly proxyEnvironment: string;
  /** What the kubelet obtains and renews by itself. */
  readonly pki: string;
  readonly clientCertificate: string;
}

export function kubeletPaths(config: FlexConfig): KubeletPaths {
  const { kubeletDir, certsDir, configDir } = config.paths.kubernetes;
  return {
    dir: kubeletDir,
    config: `${kubeletDir}/config.yaml`,
    kubeconfig: `${kubeletDir}/kubeconfig`,
    bootstrapKubeconfig: `${kubeletDir}/bootstrap-kubeconfig`,
    tokenHelper: `${kubeletDir}/token.sh`,
    clientCa: `${certsDir}/apiserver-client-ca.crt`,
    proxyEnvironment: `${configDir}/kubelet-proxy.env`,
    pki: `${kubeletDir}/pki`,
    clientCertificate: `${kubeletDir}/pki/kubelet-client-current.pem`,
  };
}
