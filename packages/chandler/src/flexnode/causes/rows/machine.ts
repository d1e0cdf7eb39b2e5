/** Causes on the machine: kernel, settings, ports, disks. */
import { compareVersions, kubeletSkew, parseVersion } from '../../kubelet/version.ts';
import { type FlexCause, logRow, stateRow } from '../cause.ts';

const RERUN_SYSTEM = 'Run bootstrap again with `--only system,start-services`';

export const MACHINE: readonly FlexCause[] = [
  logRow({
    id: 'flex.swap',
    specificity: 'exact',
    title: 'Swap is enabled',
    symptom: 'The kubelet reports that running with swap on is not supported.',
    summary: 'The kubelet does not start while swap is enabled.',
    fix: `${RERUN_SYSTEM}. It disables swap, also at the next boot. To run with swap, set failSwapOn: false in node.kubelet.extraConfig.`,
    confirm: ['swapon --show', 'systemctl list-units --type=swap'],
    pattern: /running with swap on is not supported/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.kernel-settings',
    specificity: 'exact',
    title: 'A kernel setting does not have the value that the kubelet requires',
    symptom: 'The kubelet reports an invalid kernel flag.',
    summary: 'The kernel setting {setting} is {actual}; the kubelet requires {expected}.',
    fix: `${RERUN_SYSTEM}. Check whether another file in /etc/sysctl.d overrides the setting.`,
    confirm: ['sysctl --system 2>&1 | grep -i {setting}'],
    pattern:
      /invalid kernel flag: ([^,\s]{1,100}), expected value: (\S{1,20}), actual value: (\S{1,20}?)[\]",\s]*$/,
    groups: ['setting', 'expected', 'actual'],
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.cgroup-v1',
    specificity: 'exact',
    title: 'The machine uses cgroup v1',
    symptom: 'The kubelet reports that it is configured not to run on cgroup v1.',
    summary: 'This version of the kubelet requires cgroup v2, but the machine was booted with cgroup v1.',
    fix: 'Remove systemd.unified_cgroup_hierarchy=0 from the kernel command line and reboot, or set failCgroupV1: false in node.kubelet.extraConfig.',
    confirm: ['stat -fc %T /sys/fs/cgroup', 'cat /proc/cmdline'],
    pattern: /kubelet is configured to not run on a host using cgroup v1/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.bridge-module',
    specificity: 'exact',
    title: 'The kernel module br_netfilter is not loaded',
    symptom: 'A file under /proc/sys/net/bridge is missing.',
    summary:
      'The traffic of pods over a bridge is not filtered because br_netfilter is not loaded: {problem}',
    fix: `${RERUN_SYSTEM}. If the kernel does not have the module, install linux-modules-extra for this kernel.`,
    confirm: ['lsmod | grep br_netfilter', 'modprobe br_netfilter'],
    pattern: /\/proc\/sys\/net\/bridge\/bridge-nf-call-ip6?tables: no such file|br_netfilter/,
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.port-in-use',
    specificity: 'exact',
    title: 'A port is in use',
    symptom: 'The journal contains "bind: address already in use".',
    summary: 'Port {port} is used by another process.',
    fix: 'Stop the other process, which is often an older kubelet, k3s or microk8s. To change the port of the containerd metrics, set containerd.metricsAddress.',
    confirm: ['ss -ltnp "sport = :{port}"'],
    pattern: /listen tcp \S{0,60}?:(\d{2,5}): bind: address already in use/,
    groups: ['port'],
  }),
  logRow({
    id: 'flex.flag-removed',
    specificity: 'exact',
    title: 'The kubelet does not support a flag',
    symptom: 'The kubelet exits with "unknown flag".',
    summary: 'This version of the kubelet does not support the flag {flag}.',
    fix: 'Run bootstrap again. It writes only flags that the configured version supports. Remove the flag from your own drop-in files in /etc/systemd/system/kubelet.service.d.',
    confirm: ['kubelet --version', 'systemctl cat kubelet'],
    pattern: /unknown (?:shorthand )?flag: '?(\S{1,60}?)'?(?:["\s]|$)/,
    groups: ['flag'],
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.kubelet-config',
    specificity: 'exact',
    title: 'The configuration of the kubelet is invalid',
    symptom:
      'The journal contains "failed to load kubelet config file" or "failed to validate kubelet configuration".',
    summary: 'The kubelet rejects its configuration: {problem}',
    fix: 'Correct node.kubelet.extraConfig in the config, then run bootstrap again.',
    confirm: ['cat /var/lib/kubelet/config.yaml'],
    pattern: /failed to (?:load|decode|validate) kubelet config|invalid configuration: /i,
    in: ['kubelet'],
    explainedBy: ['flex.cgroup-v1'],
  }),
  logRow({
    id: 'flex.resolv-conf',
    specificity: 'exact',
    title: 'The resolv.conf of the kubelet is missing',
    symptom: 'The kubelet cannot open its resolv.conf.',
    summary: 'The file {file}, which lists the DNS servers of pods, does not exist.',
    fix: 'Start systemd-resolved, or set resolvConf in node.kubelet.extraConfig to another file.',
    confirm: ['systemctl status systemd-resolved', 'ls -l {file}'],
    pattern: /open (\S{1,200}resolv\.conf): no such file or directory/,
    groups: ['file'],
  }),
  stateRow(
    {
      id: 'flex.version-skew',
      specificity: 'exact',
      title: 'The versions of the kubelet and the API server are incompatible',
      symptom: 'The kubelet is newer than the API server, or more than three minor versions older.',
      summary:
        'The version of the kubelet is {kubelet}; the API server {server} supports kubelets from {oldest} to {server}.',
      fix: 'Set kubernetes.version to a supported version and run `flexnode upgrade`, or upgrade the cluster.',
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
    symptom: 'The journal contains "no space left on device", or the node has disk pressure.',
    summary: 'A disk of the node is full: {problem}',
    fix: 'Free disk space, or move /var/lib/containerd and /var/lib/kubelet to a larger disk.',
    confirm: ['df -h /var/lib/kubelet /var/lib/containerd', 'du -xsh /var/lib/containerd /var/log'],
    pattern:
      /no space left on device|[Ee]viction manager: attempting to reclaim.*(?:ephemeral-storage|nodefs|imagefs)|\b(?:NodeHasDiskPressure|KubeletHasDiskPressure)\b/,
    // The same error number for a limit of inotify.
    except: /inotify/,
    alsoInMessages: true,
  }),
  {
    id: 'flex.selinux',
    specificity: 'exact',
    title: 'SELinux denies access',
    symptom: 'The journal contains "avc: denied", or "permission denied" while SELinux is enforcing.',
    summary: 'SELinux is enforcing and denied an operation: {problem}',
    fix: 'Label the binaries (restorecon -Rv /usr/local/bin /var/lib/kubelet /opt/cni) and install container-selinux, or set SELinux to permissive on this machine.',
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
