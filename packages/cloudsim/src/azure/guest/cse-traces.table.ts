/**
 * The last lines of the trace of the provisioning script, by exit code, for the most frequent codes: the content of Output
 * when the script ends with it. From public issues (AKS 1149, 4584; karpenter-provider-azure 723; AgentBaker 7907) and
 * the order of AgentBaker's steps, 2026-08, retyped. For a code that is not listed, Output has no such lines.
 */

export const CODE_TRACES: Readonly<Record<number, readonly string[]>> = {
  2: ['+ systemctl mask apt-daily.service', 'Failed to mask unit: Connection timed out'],
  4: ['+ checkServiceHealth containerd', 'containerd is in a failed state'],
  9: ['+ apt_get_install 30 1 600 blobfuse2', 'E: Unable to locate package blobfuse2'],
  31: [
    '+ retrycmd_get_tarball 120 5 60 /opt/kubernetes/downloads/kubernetes-node-linux-amd64.tar.gz',
    '+ return 1',
  ],
  34: ['+ systemctlEnableAndStart kubelet 240', 'kubelet could not be started by systemctl'],
  41: ['+ retrycmd_get_tarball 120 5 60 /opt/cni/downloads/cni-plugins-linux-amd64.tgz', '+ return 1'],
  50: [
    '+ retrycmd_if_failure 20 1 15 curl -v --insecure --proxy-insecure https://mcr.microsoft.com/v2/',
    'curl: (28) Failed to connect to mcr.microsoft.com port 443: Connection timed out',
  ],
  51: [
    '+ retrycmd_if_failure 300 1 10 nc -vz 10.0.0.4 443',
    '+ VALIDATION_ERR=51',
    "+ echo 'API server connection check code: 51'",
  ],
  52: ['+ STS=1', '+ VALIDATION_ERR=52', "+ echo 'API server connection check code: 52'"],
  53: ['+ STS=1', '+ VALIDATION_ERR=53', "+ echo 'API server connection check code: 53'"],
  65: ["+ '[' -f /opt/azure/vhd-install.complete ']'", 'the VHD build marker was not found'],
  84: ['+ systemctlEnableAndStart nvidia-modprobe 30', 'nvidia-modprobe could not be started by systemctl'],
  85: ['+ retrycmd_if_failure 120 5 300 bash -c /opt/gpu/install.sh', '+ return 1'],
  99: ['+ apt_get_update', 'E: The repository is not signed.'],
  102: ['+ apt_get_purge 20 30 120 moby-engine', 'E: Could not get lock /var/lib/dpkg/lock-frontend'],
  124: ['+ retrycmd_if_failure 100 5 60 systemctl restart containerd'],
  211: [
    '+ logs_to_events AKS.CSE.orasLogin.oras_login_with_kubelet_identity',
    'failed to retrieve refresh token from the registry',
  ],
  212: [
    '+ oras login --identity-token-stdin --registry-config /etc/oras/config.yaml',
    'Error: response status code 401: unauthorized',
  ],
  215: ['+ dnsHealthCheck', 'the DNS server does not answer'],
  216: ['+ systemctlEnableAndStart localdns 30', 'localdns could not be started by systemctl'],
  223: ['+ cloud-init status --wait', 'status: error'],
  233: ['+ ensurePodInfraContainerImage', 'failed to pull the pause image'],
  240: ['aks-node-controller: failed to parse the node configuration'],
};
