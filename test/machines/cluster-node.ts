/**
 * A machine as a node of a cluster: containerd with a bridge for pods, kubelet and kube-proxy, each a service of its systemd. It is
 * configured by hand, with nothing of the product, as a node pool of a cloud would be.
 */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { issueClientCertificate, type KeyAndCertificate } from '@chandler/kube/tls';
import { bootMachine, type Machine } from './machine.ts';
import type { NodePlane } from './node-plane.ts';

export const PAUSE_IMAGE = 'registry.example/pause:1';

export interface ClusterNodeOptions {
  readonly plane: NodePlane;
  /** The CA with which the node verifies the API server. */
  readonly caPem: string;
  /** Of `findPrograms` and `findBaseTree`. */
  readonly programs: string;
  readonly base: string;
  /** Empty. */
  readonly folder: string;
  readonly name: string;
  readonly network: NodeNetwork;
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly { readonly key: string; readonly value: string; readonly effect: string }[];
  /** OCI archives that containerd imports, the pause image among them. */
  readonly images: readonly string[];
}

export interface NodeNetwork {
  readonly bridge: string;
  /** Of the bridge, and the way out. */
  readonly gateway: string;
  readonly address: string;
  /** `10.78.1.0/24`. */
  readonly podRange: string;
  /** Pods of other nodes. */
  readonly routes: readonly { readonly range: string; readonly via: string }[];
}

export async function startClusterNode(options: ClusterNodeOptions): Promise<Machine> {
  const { plane, name, network, images } = options;
  const certificates = {
    kubelet: await issueClientCertificate(plane.clients, {
      commonName: `system:node:${name}`,
      organizations: ['system:nodes'],
    }),
    'kube-proxy': await issueClientCertificate(plane.clients, {
      commonName: 'system:kube-proxy',
      organizations: [],
    }),
  };
  mkdirSync(options.folder, { recursive: true });
  const prepare = (root: string) => layFiles(root, options, certificates);
  const { bridge } = network;
  const machine = await bootMachine(options.base, options.folder, prepare, { name, bridge });
  try {
    await connect(machine, network);
    await must(machine, ['systemctl', 'start', 'containerd']);
    for (const index of images.keys())
      await must(machine, ['ctr', '-n', 'k8s.io', 'images', 'import', imageFile(index)]);
    await must(machine, ['systemctl', 'start', 'kubelet', 'kube-proxy']);
    return machine;
  } catch (error) {
    await machine.stop();
    throw error;
  }
}

/** Before the machine is powered off: a container that is still running would keep its processes until they are killed. */
export async function stopPods(machine: Machine): Promise<void> {
  await machine.run(['systemctl', 'stop', 'kubelet', 'kube-proxy']);
  await machine.run([
    'sh',
    '-c',
    'for each in $(ctr -n k8s.io tasks ls -q); do ctr -n k8s.io tasks kill -s SIGKILL $each; done',
  ]);
}

/** Imports an image into the containerd of a node. */
export async function importImage(machine: Machine, archive: string): Promise<void> {
  copyFileSync(archive, join(machine.root, 'root', 'imported.tar'));
  await must(machine, ['ctr', '-n', 'k8s.io', 'images', 'import', '/root/imported.tar']);
}

// ---------------------------------------------------------------------------------------------------

const CONTAINERD = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc'];
const PLUGINS = ['bridge', 'host-local', 'loopback', 'portmap'];
const imageFile = (index: number) => `/root/image-${index}.tar`;

async function must(machine: Machine, argv: readonly string[]): Promise<void> {
  const { exitCode, stdout, stderr } = await machine.run(argv);
  assert.equal(exitCode, 0, `${argv.join(' ')}: ${stdout}${stderr}`);
}

/** Addresses and routes of a machine on a bridge; systemd-networkd is not there. */
async function connect(machine: Machine, { address, gateway, routes }: NodeNetwork): Promise<void> {
  const lines = [
    'ip link set lo up',
    `ip address add ${address}/24 dev host0`,
    'ip link set host0 up',
    `ip route add default via ${gateway}`,
    // Answered at once instead of after a time-out: a kubelet asks around for the cloud it may be in.
    'ip route add unreachable 169.254.0.0/16',
    ...routes.map(({ range, via }) => `ip route add ${range} via ${via}`),
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
  ];
  await must(machine, ['sh', '-ec', lines.join('\n')]);
}

function layFiles(
  root: string,
  { plane, caPem, programs, name, network, labels, taints, images }: ClusterNodeOptions,
  certificates: Readonly<Record<'kubelet' | 'kube-proxy', KeyAndCertificate>>,
): void {
  const put = (path: string, content: string) => {
    const file = join(root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: 0o600 });
  };
  const take = (names: readonly string[], folder: string) => {
    mkdirSync(join(root, folder), { recursive: true });
    for (const each of names) copyFileSync(join(programs, each), join(root, folder, each));
  };
  take([...CONTAINERD, 'kubelet', 'kube-proxy'], 'usr/local/bin');
  take(PLUGINS, 'opt/cni/bin');
  for (const [index, archive] of images.entries()) copyFileSync(archive, join(root, imageFile(index)));
  put('etc/hostname', `${name}\n`);
  put('etc/resolv.conf', 'nameserver 127.0.0.1\n');
  put('etc/containerd/config.toml', CONTAINERD_CONFIG);
  put('etc/cni/net.d/10-bridge.conflist', bridgeNetwork(network.podRange));
  put('etc/kubernetes/clients.crt', plane.clients.certificatePem);
  for (const program of ['kubelet', 'kube-proxy'] as const)
    put(`etc/kubernetes/${program}.kubeconfig`, kubeconfig(plane.url, caPem, certificates[program]));
  put('etc/kubernetes/kubelet.json', JSON.stringify(kubeletConfig(taints)));
  put('etc/kubernetes/kube-proxy.json', JSON.stringify(proxyConfig(name)));
  const flags = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  put(
    'etc/systemd/system/kubelet.service',
    unit(
      '/usr/local/bin/kubelet --config=/etc/kubernetes/kubelet.json --kubeconfig=/etc/kubernetes/kubelet.kubeconfig ' +
        `--hostname-override=${name} --node-ip=${network.address} --node-labels=${flags.join(',')}`,
    ),
  );
  put(
    'etc/systemd/system/kube-proxy.service',
    unit('/usr/local/bin/kube-proxy --config=/etc/kubernetes/kube-proxy.json'),
  );
  // Its shims outlive it, as with the unit that containerd publishes.
  put(
    'etc/systemd/system/containerd.service',
    unit('/usr/local/bin/containerd', 'Type=notify\nKillMode=process\nDelegate=yes\n'),
  );
}

function unit(command: string, more = ''): string {
  return `[Service]\nExecStart=${command}\nRestart=always\nRestartSec=1\n${more}`;
}

/** Control groups of the first version, and no right to change OOM scores: what a machine of systemd-nspawn has. */
const CONTAINERD_CONFIG = `version = 3
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "${PAUSE_IMAGE}"
[plugins."io.containerd.cri.v1.runtime"]
  restrict_oom_score_adj = true
[plugins."io.containerd.cri.v1.runtime".cni]
  bin_dirs = ["/opt/cni/bin"]
  conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.cri.v1.runtime".containerd]
  default_runtime_name = "runc"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
  SystemdCgroup = false
`;

function bridgeNetwork(podRange: string): string {
  return JSON.stringify({
    cniVersion: '1.0.0',
    name: 'pods',
    plugins: [
      {
        type: 'bridge',
        bridge: 'cni0',
        isGateway: true,
        ipam: {
          type: 'host-local',
          ranges: [[{ subnet: podRange }]],
          routes: [{ dst: '0.0.0.0/0' }],
        },
      },
    ],
  });
}

function kubeletConfig(registerWithTaints: ClusterNodeOptions['taints']): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: '/etc/kubernetes/clients.crt' },
    },
    authorization: { mode: 'Webhook' },
    registerWithTaints,
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    // The disk is that of the machine below, however full that is.
    evictionHard: { 'nodefs.available': '0%', 'imagefs.available': '0%', 'nodefs.inodesFree': '0%' },
    imageGCHighThresholdPercent: 100,
    localStorageCapacityIsolation: false,
  };
}

function proxyConfig(hostnameOverride: string): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    mode: 'iptables',
    hostnameOverride,
    clientConnection: { kubeconfig: '/etc/kubernetes/kube-proxy.kubeconfig' },
    // Settings of the kernel below are not changed.
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  };
}

function kubeconfig(
  server: string,
  caPem: string,
  { certificatePem, privateKeyPem }: KeyAndCertificate,
): string {
  const data = (text: string) => Buffer.from(text).toString('base64');
  const user = {
    'client-certificate-data': data(certificatePem),
    'client-key-data': data(privateKeyPem),
  };
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': data(caPem) } }],
    users: [{ name: 'node', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'node' } }],
    'current-context': 'test',
  });
}
