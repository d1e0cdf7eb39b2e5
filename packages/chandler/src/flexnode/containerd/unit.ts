/** The systemd unit of containerd and its proxy drop-in, as deterministic text. */
import type { FlexConfig } from '../config/config.ts';
import { renderProxyEnvironment } from '../kubelet/unit.ts';

export const CONTAINERD_UNIT = '/etc/systemd/system/containerd.service';
export const CONTAINERD_PROXY_DROP_IN = '/etc/systemd/system/containerd.service.d/20-chandler-proxy.conf';
export const CONTAINERD_PROXY_ENVIRONMENT = '/etc/containerd/proxy.env';

export function renderContainerdUnit(): string {
  return lines([
    '[Unit]',
    'Description=containerd container runtime',
    'Documentation=https://containerd.io',
    'After=network.target local-fs.target',
    '',
    '[Service]',
    'ExecStartPre=-/sbin/modprobe overlay',
    'ExecStart=/usr/local/bin/containerd',
    'Type=notify',
    'Delegate=yes',
    'KillMode=process',
    'Restart=always',
    'RestartSec=5',
    'LimitNPROC=infinity',
    'LimitCORE=infinity',
    'LimitNOFILE=infinity',
    'TasksMax=infinity',
    'OOMScoreAdjust=-999',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]);
}

/** Only names the file with the values: an address of a proxy may hold a password, and everyone may read a unit. */
export function renderContainerdProxyDropIn(): string {
  return lines(['[Service]', `EnvironmentFile=${CONTAINERD_PROXY_ENVIRONMENT}`]);
}

/** `undefined`: there is no proxy. Registries are reached through it, the cluster's own services are not. */
export function containerdProxyEnvironment(config: FlexConfig): string | undefined {
  return renderProxyEnvironment(config);
}

// ---------------------------------------------------------------------------------------------------

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}
