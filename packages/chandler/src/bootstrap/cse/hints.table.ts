/**
 * What to check and change if the provisioning of a node fails: a hint for every group of codes, and a more specific one
 * for some codes. Written 2026-11 from the scripts of AgentBaker and the public troubleshooting pages of AKS.
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

/** The same on Windows. */
export const WINDOWS_LOG =
  'az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunPowerShellScript --scripts "Get-Content -Tail 100 C:\\AzureData\\CustomDataSetupScript.log"';

/** As a command that runs it on the machine. */
export function onNode(script: string): string {
  return `az vm run-command invoke -g {resourceGroup} -n {vm} --command-id RunShellScript --scripts "${script}"`;
}

export const GROUP_HINTS: Readonly<Record<CseGroup, CseHint>> = {
  egress: {
    hint: 'Allow outbound connections from the subnet of the node to mcr.microsoft.com and the other endpoints that AKS requires. Check the firewall, the route table, the network security group, the NAT gateway and the outbound rules of the load balancer.',
    confirm: [onNode('curl -sSv --max-time 10 https://mcr.microsoft.com/v2/')],
  },
  apiServer: {
    hint: 'Allow connections from the subnet to the API server on port 443. Check the authorized IP ranges, the firewall, the route table, the network security group, and for a private cluster the private endpoint.',
    confirm: [onNode('nc -vz -w 10 {apiServer} 443')],
  },
  dns: {
    hint: 'Check the DNS servers of the virtual network. They must respond, resolve public names, and for a private cluster resolve its private DNS zone, which must be linked to the network of the DNS servers.',
    confirm: [onNode('cat /etc/resolv.conf; nslookup {apiServer}')],
  },
  registry: {
    hint: 'Check the connection from the subnet to the registry (private endpoint, firewall, DNS), and whether the kubelet identity has the role AcrPull on it.',
    confirm: [
      onNode('curl -sSv --max-time 10 https://mcr.microsoft.com/v2/'),
      'az role assignment list --assignee {kubeletIdentity} --all --query "[?roleDefinitionName==\'AcrPull\']"',
    ],
  },
  download: {
    hint: 'Allow connections from the subnet to packages.aks.azure.com, acs-mirror.azureedge.net and mcr.microsoft.com, or use a node image that contains the files. A single failure may be a temporary network problem.',
    confirm: [onNode('curl -sSIv --max-time 10 https://packages.aks.azure.com/')],
  },
  packages: {
    hint: 'Allow connections from the subnet to the package mirrors (packages.microsoft.com, and those of Ubuntu or Azure Linux), and check whether another process holds the package lock. A single failure may be an overloaded mirror.',
    confirm: [onNode('apt-get update || tdnf makecache')],
  },
  runtime: {
    hint: 'The container runtime of the node image does not work. Check the log of containerd, and try the latest node image.',
    confirm: [
      onNode('systemctl status containerd --no-pager; journalctl -u containerd --no-pager | tail -n 50'),
    ],
  },
  kubelet: {
    hint: 'Check the log of the kubelet on the node. Common causes are an unsupported flag or setting (spec.kubelet of the node class), a missing certificate, or an API server that rejects the kubelet.',
    confirm: [onNode('systemctl status kubelet --no-pager; journalctl -u kubelet --no-pager | tail -n 50')],
  },
  gpu: {
    hint: 'Check that the VM size, the node image and the driver are compatible (spec.gpu of the node class), and that the driver can be downloaded. If only one VM fails, its hardware may be faulty; a new VM works.',
    confirm: [onNode("nvidia-smi; dmesg | grep -iE 'nvrm|nvidia' | tail -n 20")],
  },
  disk: {
    hint: 'The OS disk is too small. Increase spec.osDiskSizeGB of the node class, or request a smaller swap file.',
    confirm: [onNode('df -h; lsblk')],
  },
  image: {
    hint: 'The node image lacks a component that provisioning requires. Use another image version or family. If it is an official image, report it to AKS.',
    confirm: [onNode('cat /opt/azure/vhd-install.complete | tail -n 20')],
  },
  imageBuild: {
    hint: 'This code is used by the build of node images and does not occur on nodes. Check the log for the actual failure.',
    confirm: [LOG],
  },
  cloudInit: {
    hint: 'cloud-init did not complete. Check its log, the custom data (complete and at most 64 KiB), and whether the VM can reach the metadata service.',
    confirm: [onNode('cloud-init status --long; tail -n 50 /var/log/cloud-init-output.log')],
  },
  script: {
    hint: 'The code does not identify the step that failed. Check the last lines of the log.',
    confirm: [LOG],
  },
  metadata: {
    hint: 'The metadata service (169.254.169.254) does not respond, or returns an error. Check for firewall rules and proxies (NO_PROXY must include the address), and check the identity of the VM.',
    confirm: [
      onNode("curl -sS -H Metadata:true 'http://169.254.169.254/metadata/instance?api-version=2021-02-01'"),
    ],
  },
  network: {
    hint: 'The network interfaces of the VM are not as expected. Check the NIC, the subnet and the network plugin of the cluster.',
    confirm: [
      onNode('ip addr; ip route; iptables -S | head -n 40'),
      'az network nic show -g {resourceGroup} -n {vm}',
    ],
  },
  trust: {
    hint: 'A configured CA certificate is invalid. Check the custom CA certificates and the CA of the HTTP proxy of the cluster (PEM, base64, not expired).',
    confirm: [
      'az aks show -g {clusterGroup} -n {cluster} --query "{ca:securityProfile.customCaTrustCertificates,proxy:httpProxyConfig}"',
    ],
  },
  access: {
    hint: 'The access to the VM could not be configured (SSH or hardening rules). This is usually a defect of the node image: try another version.',
    confirm: [LOG],
  },
  tlsBootstrap: {
    hint: 'The node could not get its certificate. Check the connection to the API server and the log of the secure TLS bootstrap client.',
    confirm: [onNode('journalctl -u secure-tls-bootstrap --no-pager | tail -n 50')],
  },
  system: {
    hint: 'A service, kernel module or setting of the operating system failed. Check the log, and spec.linuxOSConfig of the node class.',
    confirm: [onNode('systemctl --failed --no-pager; dmesg | tail -n 30')],
  },
  setup: {
    hint: 'A step of the setup failed. Find the step in the log.',
    confirm: [LOG],
  },
};

/** For codes with a more specific hint than their group. */
export const CONSTANT_HINTS: Readonly<Record<string, Partial<CseHint>>> = {
  ERR_OUTBOUND_CONN_FAIL: { page: `${PAGES}outboundconnfail` },
  ERR_K8S_API_SERVER_CONN_FAIL: { page: `${PAGES}k8sapiserverconnfail` },
  ERR_K8S_API_SERVER_DNS_LOOKUP_FAIL: { page: `${PAGES}k8sapiserverdnslookupfail` },
  ERR_K8S_API_SERVER_AZURE_DNS_LOOKUP_FAIL: { page: `${PAGES}k8sapiserverdnslookupfail` },
  ERR_K8S_DOWNLOAD_TIMEOUT: { page: `${PAGES}k8sdownloadtimeout` },
  ERR_CNI_DOWNLOAD_TIMEOUT: { page: `${PAGES}cnidownloadtimeout` },
  ERR_ORAS_PULL_NETWORK_TIMEOUT: {
    hint: 'Check the connection from the subnet to the registry (private endpoint, DNS zone privatelink.azurecr.io, firewall). If it works, check in the log whether `oras` was found.',
    page: `${PAGES}oraspullnetworktimeout`,
  },
  ERR_ORAS_PULL_UNAUTHORIZED: {
    hint: 'Assign the role AcrPull to the kubelet identity on the bootstrap registry of the cluster, or allow anonymous pull there.',
    page: `${PAGES}oraspullunauthorized`,
  },
  ERR_ORAS_IMDS_TIMEOUT: {
    hint: 'The VM did not get a token of the kubelet identity. Check that the identity is assigned to the VM and that 169.254.169.254 can be reached (NO_PROXY).',
  },
  ERR_VHD_FILE_NOT_FOUND: {
    hint: 'The image of the VM is not an AKS node image. Correct the image family or image ID of the node class.',
    page: `${PAGES}vhdfilenotfound`,
  },
  ERR_SWAP_CREATE_INSUFFICIENT_DISK_SPACE: {
    hint: 'The swap file of spec.linuxOSConfig.swapFileSize does not fit on the disk. Request a smaller swap file, or increase spec.osDiskSizeGB.',
  },
  ERR_SYSCTL_RELOAD: {
    hint: 'The kernel rejects a setting of spec.linuxOSConfig.sysctls. Remove or correct it.',
  },
  ERR_MODPROBE_FAIL: {
    hint: 'A kernel module cannot be loaded: the image lacks it, or secure boot rejects it (spec.security.trustedLaunch with an unsigned driver).',
  },
  ERR_GPU_INFO_ROM_CORRUPTED: {
    hint: 'The GPU of this VM is faulty. No change is required: the next VM runs on other hardware.',
  },
  ERR_MISSING_CUDA_PACKAGE: {
    hint: 'There is no driver package for this kernel: use a newer node image, or another image family.',
  },
  ERR_KUBELET_START_FAIL: {
    hint: 'The kubelet exits after its start. Common causes are a flag or feature gate that its version does not support (spec.kubelet of the node class), or a token or CA that the API server rejects. Check its log.',
  },
  ERR_CUSTOM_SEARCH_DOMAINS_FAIL: {
    hint: 'The search domains of the custom DNS could not be configured. Check the DNS name and the domain credentials of the cluster.',
  },
  ERR_DNS_HEALTH_FAIL: {
    hint: 'The DNS servers of the VM do not respond. Check the DNS servers of the virtual network, and whether port 53 to them (or to 168.63.129.16) is open.',
  },
  ERR_LOCALDNS_FAIL: {
    hint: 'The local DNS does not start. Check its overrides in spec.localDNS, and whether the upstream servers respond.',
  },
  ERR_AKS_NODE_CONTROLLER_ERROR: {
    hint: 'The node controller of the image rejected its configuration, which is not compatible with this image version. Use a newer image.',
  },
  ERR_K8S_RUNNING_TIMEOUT: {
    hint: 'The API server did not become healthy before the timeout. Check the state of the cluster.',
  },
  ERR_PRIMARY_NIC_IP_NOT_FOUND: {
    hint: 'The VM found no IP address of its primary network interface. Check the NIC and the metadata service.',
  },
  ERR_APT_DAILY_TIMEOUT: {
    hint: 'The daily job of apt held the package lock for too long. A retry usually succeeds.',
  },
  WINDOWS_CSE_ERROR_CHECK_API_SERVER_CONNECTIVITY: GROUP_HINTS.apiServer,
  WINDOWS_CSE_ERROR_ORAS_NOT_FOUND: {
    hint: 'A network isolated cluster requires an image that contains oras. Use a newer Windows image.',
  },
  WINDOWS_CSE_ERROR_ORAS_PULL_UNAUTHORIZED: {
    hint: 'Assign the role AcrPull to the kubelet identity on the bootstrap registry of the cluster, or allow anonymous pull there.',
  },
};

/** For unknown codes. */
export const UNKNOWN_HINT: CseHint = {
  hint: 'The code is unknown to this version of Chandler. Check the last lines of the log for the step that failed.',
  confirm: [LOG],
};

/** Where there is no code at all. */
export const NO_CODE_HINT: CseHint = {
  hint: 'The extension did not report an exit code. Check whether the VM agent is running and whether the VM boots, and check its serial log.',
  confirm: [
    'az vm get-instance-view -g {resourceGroup} -n {vm} --query "instanceView.{agent:vmAgent.statuses,extensions:extensions}"',
    'az vm boot-diagnostics get-boot-log -g {resourceGroup} -n {vm}',
  ],
};
