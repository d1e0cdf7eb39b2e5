/**
 * The systemd unit of the kubelet as in the original, its two drop-ins, the defaults file with labels and flags, and the
 * proxy settings, as deterministic text.
 */
import { httpsProxyOf, noProxyList } from '../artifacts/proxy-fetch.ts';
import type { FlexConfig } from '../config/config.ts';
import { MANAGED_LABEL } from '../config/node-checks.ts';
import {
  CONTAINERD_SOCKET,
  DEFAULT_KUBELET_DIR,
  KUBELET_BINARY,
  KUBELET_DEFAULTS,
  kubeletPaths,
} from './paths.ts';

/** Sorted, and with the label that keeps the Node object alive, whatever the config says about it. */
export function nodeLabels(labels: Readonly<Record<string, string>>): string {
  const all = wantedLabels(labels);
  return Object.keys(all)
    .sort()
    .map((key) => `${key}=${all[key]}`)
    .join(',');
}

export function wantedLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return { ...labels, [MANAGED_LABEL]: 'false' };
}

export function renderDefaults(config: FlexConfig, flags: readonly string[]): string {
  return lines([
    `KUBELET_NODE_LABELS=${quoted(nodeLabels(config.node.labels))}`,
    `KUBELET_CONFIG_FILE_FLAGS=${quoted(`--config=${kubeletPaths(config).config}`)}`,
    `KUBELET_FLAGS=${quoted(flags.join(' '))}`,
  ]);
}

export function renderUnit(config: FlexConfig): string {
  const paths = kubeletPaths(config);
  const dir = escaped(paths.dir);
  return lines([
    '[Unit]',
    'Description=Kubelet',
    'ConditionPathExists=/usr/local/bin/kubelet',
    'After=network-online.target containerd.service himdsd.service',
    'Wants=network-online.target containerd.service',
    'StartLimitIntervalSec=0',
    '',
    '[Service]',
    'Restart=always',
    'RestartSec=2',
    `EnvironmentFile=${KUBELET_DEFAULTS}`,
    'SuccessExitStatus=143',
    `ExecStartPre=/bin/sh -c 'mountpoint -q ${dir} || mount --bind ${dir} ${dir}'`,
    `ExecStartPre=/bin/mount --make-shared ${dir}`,
    'ExecStartPre=-/sbin/ebtables -t nat --list',
    'ExecStartPre=-/sbin/iptables -t nat --numeric --list',
    `ExecStart=${KUBELET_BINARY} \\`,
    '  --enable-server \\',
    `  --node-labels="\${KUBELET_NODE_LABELS}" \\`,
    `  --v=${config.node.kubelet.verbosity} \\`,
    // The kubelet's directory of certificates does not follow its root directory.
    ...(paths.dir === DEFAULT_KUBELET_DIR
      ? []
      : [`  --root-dir=${dir} \\`, `  --cert-dir=${escaped(paths.pki)} \\`]),
    '  $KUBELET_TLS_BOOTSTRAP_FLAGS \\',
    '  $KUBELET_CONFIG_FILE_FLAGS \\',
    '  $KUBELET_CONTAINERD_FLAGS \\',
    '  $KUBELET_FLAGS',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
  ]);
}

export function renderContainerdDropIn(): string {
  return environmentDropIn(
    'KUBELET_CONTAINERD_FLAGS',
    `--runtime-request-timeout=15m --container-runtime-endpoint=unix://${CONTAINERD_SOCKET}`,
  );
}

/** The name is the original's; no kubeadm is involved. */
export function renderKubeadmDropIn(config: FlexConfig): string {
  const paths = kubeletPaths(config);
  const flags = config.security.tlsBootstrap
    ? `--bootstrap-kubeconfig ${paths.bootstrapKubeconfig} --kubeconfig ${paths.kubeconfig} --rotate-certificates`
    : `--kubeconfig ${paths.kubeconfig}`;
  return environmentDropIn('KUBELET_TLS_BOOTSTRAP_FLAGS', flags);
}

/** Names the file with the values: an address of a proxy may hold a password, and units are readable by everyone. */
export function renderProxyDropIn(config: FlexConfig): string {
  return lines(['[Service]', `EnvironmentFile=${escaped(kubeletPaths(config).proxyEnvironment)}`]);
}

/** `undefined`: there is no proxy. */
export function renderProxyEnvironment(config: FlexConfig): string | undefined {
  const { http } = config.proxy;
  const https = httpsProxyOf(config.proxy);
  if (https === undefined) return undefined;
  const direct = [noProxyList(config.proxy), ...DIRECT, `.${config.networking.clusterDomain}`].join(',');
  const pairs: [string, string | undefined][] = [
    ['HTTP_PROXY', http],
    ['HTTPS_PROXY', https],
    ['NO_PROXY', direct],
  ];
  return lines(
    pairs.flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${quoted(value)}`, `${name.toLowerCase()}=${quoted(value)}`],
    ),
  );
}

/** Only a wrapper: the program implements the token request. */
export function renderTokenHelper(program: string): string {
  return lines(['#!/bin/sh', `exec ${program} token "$@"`]);
}

/** Starts this program where it is not a single file. */
export function renderOwnProgram(argv: readonly string[]): string {
  const words = argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
  return lines(['#!/bin/sh', `exec ${words} "$@"`]);
}

// ---------------------------------------------------------------------------------------------------

/** Never through a proxy, beside this machine itself: link-local metadata, services of the cluster. */
const DIRECT: readonly string[] = ['169.254.169.254', '.svc'];

function lines(all: readonly string[]): string {
  return `${all.join('\n')}\n`;
}

function environmentDropIn(name: string, value: string): string {
  return lines(['[Service]', `Environment=${name}="${escaped(value).replaceAll('"', '\\"')}"`]);
}

/** For a file of environment variables: what systemd looks at inside double quotes. */
function quoted(value: string): string {
  return `"${value.replace(/["\\`$]/g, '\\$&')}"`;
}

/** For a line of a unit: a percent sign begins a specifier. */
function escaped(value: string): string {
  return value.replaceAll('%', '%%');
}
