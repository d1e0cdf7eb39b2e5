/** The way to the API server: names, routes, proxies, certificates and the clock. */
import { type FlexCause, logRow } from '../cause.ts';

const SERVER = "grep 'server:' /var/lib/kubelet/kubeconfig";

export const NETWORK: readonly FlexCause[] = [
  logRow({
    id: 'flex.clock',
    specificity: 'exact',
    title: "The machine's clock is wrong",
    symptom: 'Certificates or tokens are said to be expired or not yet valid.',
    summary: 'What is valid elsewhere is out of its time on this machine: {problem}',
    fix: 'Set the clock (timedatectl set-ntp true) and let the machine reach a time server.',
    confirm: ['timedatectl', 'date -u'],
    pattern:
      /x509: certificate has expired or is not yet valid|certificate is not yet valid|token (?:is expired|used before issued)|current time \S{1,40} is (?:before|after)/i,
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.unknown-ca',
    specificity: 'exact',
    title: "The API server's certificate is not signed by the CA that the node knows",
    symptom: 'The kubelet reports x509: certificate signed by unknown authority.',
    summary: "The CA in the node's kubeconfig is not that of the API server: {problem}",
    fix: 'After a rotation of certificates run bootstrap again with `--only credentials,kubelet,start-services`. TLS inspection on the way has the same effect: let the API server through untouched.',
    confirm: [
      SERVER,
      "grep certificate-authority-data /var/lib/kubelet/kubeconfig | awk '{print $2}' | base64 -d | openssl x509 -noout -subject -dates",
    ],
    pattern:
      /x509: certificate signed by unknown authority|self-signed certificate in certificate chain|unable to (?:verify the first certificate|get local issuer certificate)/i,
    in: ['kubelet'],
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.no-such-host',
    specificity: 'exact',
    title: 'The name of the API server cannot be resolved',
    symptom: 'The kubelet reports no such host.',
    summary: 'The name {host} has no address here.',
    fix: "Give the machine a DNS server that knows the name. A private cluster's name is known only inside its network: forward privatelink zones to it.",
    confirm: ['getent hosts {host}', 'cat /run/systemd/resolve/resolv.conf'],
    pattern:
      /lookup (\S{1,253}?)(?: on \S{1,100})?: (?:no such host|server misbehaving|Temporary failure)|getaddrinfo (?:ENOTFOUND|EAI_AGAIN) (\S{1,253})/,
    groups: ['host', 'host'],
    in: ['kubelet'],
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.proxy',
    specificity: 'exact',
    title: 'A proxy stands in the way',
    symptom: 'The kubelet or containerd reports proxyconnect or Proxy Authentication Required.',
    summary: 'The proxy of the config did not let the connection through: {problem}',
    fix: 'Correct the proxy section of the config (address, password), or name the API server in proxy.noProxy; then run bootstrap again.',
    confirm: ['systemctl cat kubelet containerd | grep -i proxy'],
    pattern: /proxyconnect tcp|Proxy Authentication Required/i,
  }),
  logRow({
    id: 'flex.connection-refused',
    specificity: 'particular',
    title: 'Nothing answers at the address of the API server',
    symptom: 'The kubelet reports connection refused.',
    summary: 'A connection to {address} was refused.',
    fix: 'See that the cluster runs (az aks show --query powerState) and that no firewall on the way refuses.',
    confirm: [SERVER, 'curl -sk -o /dev/null -w "%{http_code}\\n" https://{address}/readyz'],
    pattern: /dial tcp (?!127\.0\.0\.1)(\S{1,100}): connect: connection refused/,
    groups: ['address'],
    in: ['kubelet'],
    explainedBy: ['flex.proxy'],
  }),
  logRow({
    id: 'flex.timeout',
    specificity: 'particular',
    title: 'The API server cannot be reached',
    symptom: 'The kubelet reports i/o timeout or TLS handshake timeout.',
    summary: 'A connection to the API server gets no answer in time: {problem}',
    fix: "Open the way out to port 443 of the API server. With authorized address ranges, this machine's public address must be among them; a private cluster needs a VPN or a private route.",
    confirm: [SERVER, 'az aks show -g {group} -n {cluster} --query apiServerAccessProfile'],
    pattern:
      /dial tcp \S{1,100}: (?:i\/o timeout|connect: no route to host|connect: network is unreachable)|TLS handshake timeout|Client\.Timeout exceeded while awaiting headers/,
    in: ['kubelet'],
    explainedBy: ['flex.proxy', 'flex.no-such-host'],
  }),
];
