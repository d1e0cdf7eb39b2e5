/** Causes about the connection to the API server: DNS, routes, proxies, certificates and the clock. */
import { type FlexCause, logRow } from '../cause.ts';

const SERVER = "grep 'server:' /var/lib/kubelet/kubeconfig";

export const NETWORK: readonly FlexCause[] = [
  logRow({
    id: 'flex.clock',
    specificity: 'exact',
    title: 'The clock of the machine is wrong',
    symptom: 'Certificates or tokens are reported as expired or not yet valid.',
    summary: 'The machine rejects valid certificates or tokens because its clock is wrong: {problem}',
    fix: 'Set the clock (timedatectl set-ntp true), and allow connections to a time server.',
    confirm: ['timedatectl', 'date -u'],
    pattern:
      /x509: certificate has expired or is not yet valid|certificate is not yet valid|token (?:is expired|used before issued)|current time \S{1,40} is (?:before|after)/i,
    in: ['kubelet'],
    ofServer: true,
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.unknown-ca',
    specificity: 'exact',
    title: 'The certificate of the API server is not signed by the CA in the kubeconfig',
    symptom: 'The kubelet reports x509: certificate signed by unknown authority.',
    summary: 'The CA in the kubeconfig of the node is not the CA of the API server: {problem}',
    fix: 'After a certificate rotation, run bootstrap again with `--only credentials,kubelet,start-services`. TLS inspection by a proxy has the same effect: exempt the API server from it.',
    confirm: [
      SERVER,
      "grep certificate-authority-data /var/lib/kubelet/kubeconfig | awk '{print $2}' | base64 -d | openssl x509 -noout -subject -dates",
    ],
    pattern:
      /x509: certificate signed by unknown authority|self-signed certificate in certificate chain|unable to (?:verify the first certificate|get local issuer certificate)/i,
    in: ['kubelet'],
    ofServer: true,
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.no-such-host',
    specificity: 'exact',
    title: 'The name of the API server cannot be resolved',
    symptom: 'The kubelet reports no such host.',
    summary: 'The name {host} cannot be resolved on this machine.',
    fix: 'Configure a DNS server that can resolve the name. The name of a private cluster can be resolved only inside its network: forward the privatelink zones to that network.',
    confirm: ['getent hosts {host}', 'cat /run/systemd/resolve/resolv.conf'],
    pattern:
      /lookup (\S{1,253}?)(?: on \S{1,100})?: (?:no such host|server misbehaving|Temporary failure)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S{1,253})/,
    groups: ['host', 'host'],
    in: ['kubelet'],
    ofServer: true,
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.proxy',
    specificity: 'exact',
    title: 'A proxy rejects the connection',
    symptom: 'The kubelet or containerd reports proxyconnect or Proxy Authentication Required.',
    summary: 'The proxy that is configured in the proxy section rejected the connection: {problem}',
    fix: 'Correct the proxy section of the config (URL, password), or add the API server to proxy.noProxy. Then run bootstrap again.',
    confirm: ['systemctl cat kubelet containerd | grep -i proxy'],
    pattern: /proxyconnect tcp|Proxy Authentication Required/i,
  }),
  logRow({
    id: 'flex.connection-refused',
    specificity: 'particular',
    title: 'The API server refuses connections',
    symptom: 'The kubelet reports connection refused.',
    summary: 'A connection to {address} was refused.',
    fix: 'Check that the cluster is running (az aks show -g {group} -n {cluster} --query powerState) and that no firewall rejects the connection.',
    confirm: [SERVER, 'curl -sk -o /dev/null -w "%{http_code}\\n" https://{address}/readyz'],
    pattern: /dial tcp (?!127\.0\.0\.1)(\S{1,100}): connect: connection refused/,
    groups: ['address'],
    in: ['kubelet'],
    ofServer: true,
    explainedBy: ['flex.proxy'],
  }),
  logRow({
    id: 'flex.timeout',
    specificity: 'particular',
    title: 'The API server cannot be reached',
    symptom: 'The kubelet reports i/o timeout or TLS handshake timeout.',
    summary: 'Connections to the API server time out: {problem}',
    fix: 'Allow outbound connections to port 443 of the API server. If the cluster has authorized IP ranges, add the public IP address of this machine. A private cluster requires a VPN or a private route.',
    confirm: [SERVER, 'az aks show -g {group} -n {cluster} --query apiServerAccessProfile'],
    pattern:
      /dial tcp \S{1,100}: (?:i\/o timeout|connect: no route to host|connect: network is unreachable)|TLS handshake timeout|Client\.Timeout exceeded while awaiting headers/,
    in: ['kubelet'],
    ofServer: true,
    explainedBy: ['flex.proxy', 'flex.no-such-host'],
  }),
];
