/**
 * Other software that manages containers or nodes, by its units and files. What runs, or starts at boot, is an error if it
 * would fight with the kubelet; files of a stopped installation are a warning.
 */

export interface OtherSoftware {
  readonly name: string;
  readonly check: 'other-distributions' | 'docker-active';
  readonly units: readonly string[];
  /** Files that only this software leaves. */
  readonly files: readonly string[];
  readonly running: 'error' | 'warning';
  readonly remedy: string;
}

export const OTHER_SOFTWARE: readonly OtherSoftware[] = [
  {
    name: 'k3s',
    check: 'other-distributions',
    units: ['k3s.service', 'k3s-agent.service'],
    files: ['/var/lib/rancher/k3s', '/etc/rancher/k3s', '/usr/local/bin/k3s'],
    running: 'error',
    remedy: 'Remove it: k3s-uninstall.sh or k3s-agent-uninstall.sh.',
  },
  {
    name: 'RKE2',
    check: 'other-distributions',
    units: ['rke2-server.service', 'rke2-agent.service'],
    files: ['/var/lib/rancher/rke2', '/etc/rancher/rke2'],
    running: 'error',
    remedy: 'Remove it: rke2-uninstall.sh.',
  },
  {
    name: 'k0s',
    check: 'other-distributions',
    units: ['k0scontroller.service', 'k0sworker.service'],
    files: ['/var/lib/k0s', '/etc/k0s'],
    running: 'error',
    remedy: 'Remove it: k0s stop, then k0s reset.',
  },
  {
    name: 'MicroK8s',
    check: 'other-distributions',
    units: ['snap.microk8s.daemon-kubelite.service', 'snap.microk8s.daemon-containerd.service'],
    files: ['/var/snap/microk8s'],
    running: 'error',
    remedy: 'Remove it: snap remove --purge microk8s.',
  },
  {
    name: 'Canonical Kubernetes',
    check: 'other-distributions',
    units: ['snap.k8s.kubelet.service', 'snap.k8s.containerd.service', 'snap.k8s.k8sd.service'],
    files: ['/var/snap/k8s'],
    running: 'error',
    remedy: 'Remove it: snap remove --purge k8s.',
  },
  {
    name: 'the EKS kubelet',
    check: 'other-distributions',
    units: ['snap.kubelet-eks.daemon.service'],
    files: ['/var/snap/kubelet-eks'],
    running: 'error',
    remedy: 'Remove it: snap remove --purge kubelet-eks.',
  },
  {
    name: 'CRI-O',
    check: 'other-distributions',
    units: ['crio.service'],
    files: ['/etc/crio', '/usr/bin/crio'],
    running: 'error',
    remedy: 'Remove it (apt-get purge cri-o), or stop it: systemctl disable --now crio.',
  },
  {
    name: 'the agent of AKS Flex Node',
    check: 'other-distributions',
    units: ['aks-flex-node-agent.service', 'aks-flex-node.service'],
    files: ['/usr/local/bin/aks-flex-node'],
    running: 'error',
    remedy: 'Remove it: aks-flex-node unbootstrap (or reset), then its uninstall script.',
  },
  {
    name: 'Docker',
    check: 'docker-active',
    units: ['docker.service'],
    files: [],
    running: 'warning',
    remedy:
      'Its firewall rules drop forwarded traffic, and it uses the same containerd. Stop it (systemctl disable --now docker docker.socket) or allow forwarding (iptables -P FORWARD ACCEPT).',
  },
  {
    name: 'Docker (snap)',
    check: 'docker-active',
    units: ['snap.docker.dockerd.service'],
    files: [],
    running: 'warning',
    remedy:
      'Its firewall rules drop forwarded traffic. Stop it (snap disable docker) or allow forwarding (iptables -P FORWARD ACCEPT).',
  },
];

/** Files of a node that kubeadm joined, whether or not it runs. */
export const KUBEADM_FILES: readonly string[] = [
  '/etc/kubernetes/kubelet.conf',
  '/etc/kubernetes/bootstrap-kubelet.conf',
  '/var/lib/kubelet/kubeadm-flags.env',
];
