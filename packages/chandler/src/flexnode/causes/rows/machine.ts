/** The machine itself: what the kernel, its settings and its disks do to a kubelet. */
import { compareVersions, kubeletSkew, parseVersion } from '../../kubelet/version.ts';
import { type FlexCause, logRow, stateRow } from '../cause.ts';

const RERUN_SYSTEM = 'Run bootstrap again with `--only system,start-services`';

export const MACHINE: readonly FlexCause[] = [
  logRow({
    id: 'flex.swap',
    specificity: 'exact',
    title: 'Swap is on',
    symptom: 'The kubelet says that running with swap on is not supported.',
    summary: 'The kubelet does not start while the machine swaps.',
    fix: `${RERUN_SYSTEM}: it switches swap off and takes it out of /etc/fstab. A swap unit of systemd or zram must be switched off by hand.`,
    confirm: ['swapon --show', 'systemctl list-units --type=swap'],
    pattern: /running with swap on is not supported/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.kernel-settings',
    specificity: 'exact',
    title: 'A setting of the kernel is not what the kubelet wants',
    symptom: 'The kubelet reports an invalid kernel flag.',
    summary: 'The kernel setting {setting} is {actual}, and {expected} is wanted.',
    fix: `${RERUN_SYSTEM}; look for a later file in /etc/sysctl.d that sets it back.`,
    confirm: ['sysctl --system 2>&1 | grep -i {setting}'],
    pattern:
      /invalid kernel flag: ([^,\s]{1,100}), expected value: (\S{1,20}), actual value: (\S{1,20}?)[\]",\s]*$/,
    groups: ['setting', 'expected', 'actual'],
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.cgroup-v1',
    specificity: 'exact',
    title: 'The machine has only the old control groups',
    symptom: 'The kubelet says that it is configured not to run with cgroup v1.',
    summary: 'This kubelet wants control groups version 2, and the machine was booted with version 1.',
    fix: 'Boot without systemd.unified_cgroup_hierarchy=0 on the kernel command line, or set failCgroupV1: false in node.kubelet.extraConfig.',
    confirm: ['stat -fc %T /sys/fs/cgroup', 'cat /proc/cmdline'],
    pattern: /kubelet is configured to not run on a host using cgroup v1/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.bridge-module',
    specificity: 'exact',
    title: 'The kernel module br_netfilter is not loaded',
    symptom: 'A file under /proc/sys/net/bridge is missing.',
    summary: 'Traffic of pods over a bridge is not filtered, since br_netfilter is not there: {problem}',
    fix: `${RERUN_SYSTEM}; where the kernel has no such module, install linux-modules-extra for it.`,
    confirm: ['lsmod | grep br_netfilter', 'modprobe br_netfilter'],
    pattern: /\/proc\/sys\/net\/bridge\/bridge-nf-call-ip6?tables: no such file|br_netfilter/,
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.port-in-use',
    specificity: 'exact',
    title: 'Another program has the port',
    symptom: 'bind: address already in use.',
    summary: 'Port {port} is taken by another program.',
    fix: 'Stop the other program; an older kubelet, k3s or microk8s is the usual one. For the port of containerd metrics set containerd.metricsAddress.',
    confirm: ['ss -ltnp "sport = :{port}"'],
    pattern: /listen tcp \S{0,60}?:(\d{2,5}): bind: address already in use/,
    groups: ['port'],
  }),
  logRow({
    id: 'flex.flag-removed',
    specificity: 'exact',
    title: 'The kubelet does not know a flag',
    symptom: 'The kubelet stops at once with unknown flag.',
    summary: 'This kubelet does not know the flag {flag}.',
    fix: 'Run bootstrap again: it writes only flags that the configured version knows. A drop-in of your own under /etc/systemd/system/kubelet.service.d must not name it.',
    confirm: ['kubelet --version', 'systemctl cat kubelet'],
    pattern: /unknown (?:shorthand )?flag: '?(\S{1,60}?)'?(?:["\s]|$)/,
    groups: ['flag'],
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.kubelet-config',
    specificity: 'exact',
    title: "The kubelet's configuration is refused",
    symptom: 'failed to load kubelet config file, or failed to validate kubelet configuration.',
    summary: 'The kubelet does not take its configuration: {problem}',
    fix: 'Correct node.kubelet.extraConfig in the config and run bootstrap again.',
    confirm: ['cat /var/lib/kubelet/config.yaml'],
    pattern: /failed to (?:load|decode|validate) kubelet config|invalid configuration: /i,
    in: ['kubelet'],
    explainedBy: ['flex.cgroup-v1'],
  }),
  logRow({
    id: 'flex.resolv-conf',
    specificity: 'exact',
    title: 'The list of DNS servers is not there',
    symptom: 'The kubelet cannot open its resolv.conf.',
    summary: 'The file {file} that pods get their DNS servers from does not exist.',
    fix: 'Start systemd-resolved, or name another file: resolvConf in node.kubelet.extraConfig.',
    confirm: ['systemctl status systemd-resolved', 'ls -l {file}'],
    pattern: /open (\S{1,200}resolv\.conf): no such file or directory/,
    groups: ['file'],
  }),
  stateRow(
    {
      id: 'flex.version-skew',
      specificity: 'exact',
      title: 'Kubelet and API server do not fit together',
      symptom: 'The kubelet is newer than the API server, or more than three minors older.',
      summary: 'The kubelet is {kubelet}, the API server {server}; a kubelet may be {oldest} to {server}.',
      fix: 'Set kubernetes.version to a version within, and run `flexnode upgrade`; or upgrade the cluster.',
      confirm: ['kubelet --version', 'az aks show -g {group} -n {cluster} --query currentKubernetesVersion'],
    },
    ({ versions }) => {
      const kubelet = parseVersion(versions?.kubelet ?? '');
      const server = parseVersion(versions?.server ?? '');
      if (kubelet === undefined || server === undefined) return undefined;
      const skew = kubeletSkew(kubelet, server);
      if (skew.ok) return undefined;
      const facts = { kubelet: versions!.kubelet!, server: versions!.server!, oldest: skew.oldest };
      const what =
        compareVersions(kubelet, server) > 0 ? 'newer than the API server' : 'too old for the API server';
      return { where: 'versions', what: `kubelet ${facts.kubelet} is ${what} ${facts.server}`, facts };
    },
  ),
  logRow({
    id: 'flex.disk-full',
    specificity: 'exact',
    title: 'The disk is full',
    symptom: 'no space left on device, or the node has disk pressure.',
    summary: 'There is no room left on a disk that the node needs: {problem}',
    fix: 'Make room, or give /var/lib/containerd and /var/lib/kubelet a larger disk.',
    confirm: ['df -h /var/lib/kubelet /var/lib/containerd', 'du -xsh /var/lib/containerd /var/log'],
    pattern:
      /no space left on device|eviction manager: attempting to reclaim.*(?:ephemeral-storage|nodefs|imagefs)|KubeletHasDiskPressure|DiskPressure/,
    alsoInWords: true,
  }),
  {
    id: 'flex.selinux',
    specificity: 'exact',
    title: 'SELinux forbids it',
    symptom: 'avc: denied in the journal, or permission denied with SELinux enforcing.',
    summary: 'SELinux is enforcing, and something was not permitted: {problem}',
    fix: 'Label the binaries (restorecon -Rv /usr/local/bin /var/lib/kubelet /opt/cni) and install container-selinux; or set SELinux to permissive for this machine.',
    confirm: ['getenforce', 'ausearch -m avc -ts recent'],
    recognise: ({ selinux, logs }) => {
      const line = /^.*(?:avc:\s+denied|(?:permission denied)).*$/im.exec(
        `${logs.kubelet}\n${logs.containerd}`,
      )?.[0];
      if (line === undefined) return undefined;
      if (selinux !== 'enforcing' && !/avc:\s+denied/.test(line)) return undefined;
      return { facts: { problem: line.trim() }, seen: [{ where: 'journal', what: line.trim() }] };
    },
  },
];
