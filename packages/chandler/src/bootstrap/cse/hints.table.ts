/**
 * What to check and mend when a node's provisioning fails: a hint for every group of codes, and a sharper one where a
 * single code has a cause of its own. Our own words, written 2026-11 from AgentBaker's scripts and AKS's public
 * troubleshooting pages.
 */
import type { CseGroup } from './codes.table.ts';

export interface CseHint {
  /** One or two sentences: what to look at, what to change. */
  readonly hint: string;
  /** Commands that confirm it; `{vm}`, `{resourceGroup}`, `{subnet}` and `{apiServer}` are filled in where known. */
  readonly confirm: readonly string[];
  /** A page of Microsoft's about exactly this. */
  readonly page?: string;
}

const PAGES = 'https://learn.microsoft.com/troubleshoot/azure/azure-kubernetes/error-codes/vmextensionerror-';

export const LOG =
  'az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunShellScript --scripts "tail -n 100 /var/log/azure/cluster-provision.log"';

/** As a command that runs it on the machine. */
export function onNode(script: string): string {
  return `az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunShellScript --scripts "${script}"`;
}

export const GROUP_HINTS: Readonly<Record<CseGroup, CseHint>> = {
  egress: {
    hint: "Let the node's subnet reach mcr.microsoft.com and the other addresses that AKS requires: look at the firewall, the route table, the network security group, the NAT gateway or the outbound rules of the load balancer.",
    confirm: [onNode('curl -sSv --max-time 10 https://mcr.microsoft.com/v2/')],
  },
  apiServer: {
    hint: 'Let the subnet reach the API server on port 443: look at authorized IP ranges, firewall, route table and security group, and for a private cluster at the private endpoint.',
    confirm: [onNode('nc -vz -w 10 {apiServer} 443')],
  },
  dns: {
    hint: "Look at the DNS servers of the virtual network: they must answer, forward public names, and for a private cluster know its private zone (which must be linked to the DNS servers' network).",
    confirm: [onNode('cat /etc/resolv.conf; nslookup {apiServer}')],
  },
  registry: {
    hint: 'Look at the way from the subnet to the registry (private endpoint, firewall, DNS) and at the rights of the kubelet identity on it (AcrPull).',
    confirm: [
      onNode('curl -sSv --max-time 10 https://mcr.microsoft.com/v2/'),
      'az role assignment list --assignee {kubeletIdentity} --all --query "[?roleDefinitionName==\'AcrPull\']"',
    ],
  },
  download: {
    hint: 'The files come from packages.aks.azure.com, acs-mirror.azureedge.net and mcr.microsoft.com: let the subnet reach them, or use an image that has them. A single failure may be a hiccup of the network.',
    confirm: [onNode('curl -sSIv --max-time 10 https://packages.aks.azure.com/')],
  },
  packages: {
    hint: 'Let the subnet reach the package mirrors (packages.microsoft.com, the Ubuntu or Azure Linux ones), and look for another process that holds the package lock. A single failure may be a busy mirror.',
    confirm: [onNode('apt-get update || tdnf makecache')],
  },
  runtime: {
    hint: 'The container runtime is not as the node image promises: look at the log of containerd, and try the newest node image.',
    confirm: [
      onNode('systemctl status containerd --no-pager; journalctl -u containerd --no-pager | tail -n 50'),
    ],
  },
  kubelet: {
    hint: "Read the kubelet's log on the node: a flag or a setting it does not take (spec.kubelet of the node class), a missing certificate, or an API server that refuses it.",
    confirm: [onNode('systemctl status kubelet --no-pager; journalctl -u kubelet --no-pager | tail -n 50')],
  },
  gpu: {
    hint: 'Look at whether the VM size, the node image and the driver go together (spec.gpu of the node class), and whether the driver can be downloaded. If one machine alone fails, its hardware is bad and the next one will do.',
    confirm: [onNode("nvidia-smi; dmesg | grep -iE 'nvrm|nvidia' | tail -n 20")],
  },
  disk: {
    hint: 'The OS disk is too small for what is asked of it: raise spec.osDiskSizeGB of the node class, or ask for less swap.',
    confirm: [onNode('df -h; lsblk')],
  },
  image: {
    hint: 'The node image lacks something that the provisioning needs. Use another image version or family; if it is an official image, report it to AKS.',
    confirm: [onNode('cat /opt/azure/vhd-install.complete | tail -n 20')],
  },
  imageBuild: {
    hint: 'This code belongs to the making of node images and does not occur on nodes: look at the log for what really failed.',
    confirm: [LOG],
  },
  cloudInit: {
    hint: 'cloud-init did not finish: look at its log, at the custom data (it must be whole and not larger than 64 KiB), and at whether the machine reaches the metadata service.',
    confirm: [onNode('cloud-init status --long; tail -n 50 /var/log/cloud-init-output.log')],
  },
  script: {
    hint: 'The code does not say which step it was: the last lines of the log do.',
    confirm: [LOG],
  },
  metadata: {
    hint: 'The machine does not get an answer of the metadata service (169.254.169.254), or not the one it needs: look for rules or proxies in between (NO_PROXY must name it), and at the identity of the machine.',
    confirm: [
      onNode("curl -sS -H Metadata:true 'http://169.254.169.254/metadata/instance?api-version=2021-02-01'"),
    ],
  },
  network: {
    hint: 'The network interfaces of the machine are not as expected: look at the NIC, the subnet and the network plugin of the cluster.',
    confirm: [
      onNode('ip addr; ip route; iptables -S | head -n 40'),
      'az network nic show -g {resourceGroup} -n {vm}',
    ],
  },
  trust: {
    hint: 'A certificate that the node was told to trust cannot be used: check the custom CA certificates and the CA of the HTTP proxy of the cluster (PEM, base64, not expired).',
    confirm: [
      'az aks show -g {clusterGroup} -n {cluster} --query "{ca:securityProfile.customCaTrustCertificates,proxy:httpProxyConfig}"',
    ],
  },
  access: {
    hint: 'Setting up access to the machine failed (SSH or the hardening rules): mostly a fault of the node image; try another version.',
    confirm: [LOG],
  },
  tlsBootstrap: {
    hint: "The node could not get its own certificate: look at the way to the API server and at the client's log.",
    confirm: [onNode('journalctl -u secure-tls-bootstrap --no-pager | tail -n 50')],
  },
  system: {
    hint: 'A service, module or setting of the operating system did not work: look at the log, and at spec.linuxOSConfig of the node class if it has one.',
    confirm: [onNode('systemctl --failed --no-pager; dmesg | tail -n 30')],
  },
  setup: {
    hint: 'A step of the setup failed: the log names it.',
    confirm: [LOG],
  },
};

/** Where one code deserves better than its group. */
export const CONSTANT_HINTS: Readonly<Record<string, Partial<CseHint>>> = {
  ERR_OUTBOUND_CONN_FAIL: { page: `${PAGES}outboundconnfail` },
  ERR_K8S_API_SERVER_CONN_FAIL: { page: `${PAGES}k8sapiserverconnfail` },
  ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL: { page: `${PAGES}k8sapiserverdnslookupfail` },
  ERR_K8S_API_SERVER_AZURE_DNS_LOOKUP_FAIL: { page: `${PAGES}k8sapiserverdnslookupfail` },
  ERR_K8S_DOWNLOAD_TIMEOUT: { page: `${PAGES}k8sdownloadtimeout` },
  ERR_CNI_DOWNLOAD_TIMEOUT: { page: `${PAGES}cnidownloadtimeout` },
  ERR_ORAS_PULL_NETWORK_TIMEOUT: {
    hint: 'Look at the way from the subnet to the registry (private endpoint, DNS zone privatelink.azurecr.io, firewall). If it is open, look in the log whether `oras` itself was found.',
    page: `${PAGES}oraspullnetworktimeout`,
  },
  ERR_ORAS_PULL_UNAUTHORIZED: {
    hint: 'Give the kubelet identity AcrPull on the registry that the cluster bootstraps from, or allow anonymous pull there.',
    page: `${PAGES}oraspullunauthorized`,
  },
  ERR_ORAS_IMDS_TIMEOUT: {
    hint: 'The machine did not get a token of its kubelet identity: look at whether the identity is on the VM and whether 169.254.169.254 can be reached (NO_PROXY).',
  },
  ERR_VHD_FILE_NOT_FOUND: {
    hint: 'The machine runs an image that was not made for AKS nodes: correct the image family or image id of the node class.',
    page: `${PAGES}vhdfilenotfound`,
  },
  ERR_SWAP_CREATE_INSUFFICIENT_DISK_SPACE: {
    hint: 'The swap file of spec.linuxOSConfig.swapFileSize does not fit: ask for less, or raise spec.osDiskSizeGB.',
  },
  ERR_SYSCTL_RELOAD: {
    hint: 'A kernel setting of spec.linuxOSConfig.sysctls is not accepted by this kernel: remove or correct it.',
  },
  ERR_MODPROBE_FAIL: {
    hint: 'A kernel module does not load: the image lacks it, or secure boot refuses it (spec.security.trustedLaunch with an unsigned driver).',
  },
  ERR_GPU_INFO_ROM_CORRUPTED: {
    hint: 'The GPU of this machine is broken. Nothing to change: the next machine will be another one.',
  },
  ERR_MISSING_CUDA_PACKAGE: {
    hint: 'There is no driver package for this kernel: use a newer node image, or another image family.',
  },
  ERR_KUBELET_START_FAIL: {
    hint: 'The kubelet does not stay up: a flag or feature gate it does not know for its version (spec.kubelet of the node class), or a token or CA the API server refuses. Its log says which.',
  },
  ERR_CUSTOM_SEARCH_DOMAINS_FAIL: {
    hint: 'The search domains of the custom DNS could not be set up: look at the DNS name and the domain credentials given to the cluster.',
  },
  ERR_DNS_HEALTH_FAIL: {
    hint: 'The DNS servers that the machine was given do not answer: look at those of the virtual network, and whether port 53 to them (or to 168.63.129.16) is open.',
  },
  ERR_LOCALDNS_FAIL: {
    hint: 'The local DNS does not start: look at its overrides in spec.localDNS, and at whether the upstream servers answer.',
  },
  ERR_AKS_NODE_CONTROLLER_ERROR: {
    hint: 'The node controller of the image could not use what it was told: its configuration does not go with this image version. Use a newer image.',
  },
  ERR_K8S_RUNNING_TIMEOUT: {
    hint: 'The API server answered, but not as a healthy one, until the time was up: look at the state of the cluster.',
  },
  ERR_PRIMARY_NIC_IP_NOT_FOUND: {
    hint: 'The machine found no address of its primary network interface: look at the NIC and at the metadata service.',
  },
  ERR_APT_DAILY_TIMEOUT: {
    hint: 'The daily job of apt held the package lock too long. Another attempt mostly succeeds.',
  },
  WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY: GROUP_HINTS.apiServer,
  WINDOWS_CSE_ERROR_ORAS_NOT_FOUND: {
    hint: 'A network isolated cluster needs an image with oras in it: use a newer Windows image.',
  },
  WINDOWS_CSE_ERROR_ORAS_PULL_UNAUTHORIZED: {
    hint: 'Give the kubelet identity AcrPull on the registry that the cluster bootstraps from, or allow anonymous pull there.',
  },
};

/** For codes that nobody knows. */
export const UNKNOWN_HINT: CseHint = {
  hint: 'This version does not know the code: the last lines of the log say which step it was.',
  confirm: [LOG],
};

/** Where there is no code at all. */
export const NO_CODE_HINT: CseHint = {
  hint: 'The extension did not report an exit code: look at whether the VM agent runs, whether the machine boots, and at its serial log.',
  confirm: [
    'az vm get-instance-view -g {resourceGroup} -n {vm} --query "instanceView.{agent:vmAgent.statuses,extensions:extensions}"',
    'az vm boot-diagnostics get-boot-log -g {resourceGroup} -n {vm}',
  ],
};
