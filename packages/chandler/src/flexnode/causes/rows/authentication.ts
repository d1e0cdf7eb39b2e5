/** Who the node says it is, and what the cluster lets it do: tokens, the Arc agent, certificates, roles, names. */
import { type FlexCause, logRow, stateRow } from '../cause.ts';

const WHO = 'chandler-flexnode debug';
const SHOW_ARC = 'azcmagent show';

export const AUTHENTICATION: readonly FlexCause[] = [
  stateRow(
    {
      id: 'flex.arc-disconnected',
      specificity: 'exact',
      title: 'The Arc agent is not connected',
      symptom: '`azcmagent show` says Disconnected or Expired.',
      summary:
        'The Arc agent of this machine is {status}. Without it there are no tokens, and the kubelet cannot prove who it is.',
      fix: 'Let the machine reach Azure again and look at the agent; when its identity has expired (45 days away), disconnect it and run bootstrap again.',
      confirm: [SHOW_ARC, 'azcmagent check'],
    },
    ({ arcStatus }) =>
      arcStatus === undefined || arcStatus.toLowerCase() === 'connected'
        ? undefined
        : { where: 'azcmagent show', what: `Agent Status: ${arcStatus}`, facts: { status: arcStatus } },
  ),
  stateRow(
    {
      id: 'flex.himds-silent',
      specificity: 'exact',
      title: "The Arc agent's identity service does not answer",
      symptom: 'The token helper ends with an error, and nothing listens on 127.0.0.1:40342.',
      summary: 'No token could be had from the identity service of the Arc agent: {problem}',
      fix: 'Start it (systemctl restart himdsd) and see that nothing else listens on port 40342.',
      confirm: ['systemctl status himdsd', 'tail -n 50 /var/opt/azcmagent/log/himds.log'],
      explainedBy: ['flex.arc-disconnected'],
    },
    ({ failure, logs }) => {
      if (failure?.code.startsWith('himds.') === true)
        return { where: 'token helper', what: failure.message, facts: { problem: failure.message } };
      const line = /^.*127\.0\.0\.1:40342.*(?:refused|timeout|timed out).*$/im.exec(logs.kubelet)?.[0];
      return line === undefined
        ? undefined
        : { where: 'journal of kubelet.service', what: line.trim(), facts: { problem: line.trim() } };
    },
  ),
  logRow({
    id: 'flex.token-helper',
    specificity: 'particular',
    title: 'The token helper fails',
    symptom: 'The kubelet reports that executable token.sh failed.',
    summary: 'The kubelet calls {helper} for a token, and it ends with exit code {code}.',
    fix: 'Call the helper as root: it says on standard error what is wrong.',
    confirm: ['{helper} > /dev/null', SHOW_ARC],
    pattern: /exec: executable (\S{1,200}) failed with exit code (\d{1,3})/,
    groups: ['helper', 'code'],
    in: ['kubelet'],
    explainedBy: ['flex.himds-silent', 'flex.arc-disconnected'],
  }),
  logRow({
    id: 'flex.unauthorized',
    specificity: 'exact',
    title: 'The API server does not accept the token',
    symptom: 'The kubelet reports Unauthorized.',
    summary:
      'The API server answers 401 to this machine: it takes no tokens of Entra ID, or none of this tenant, or the token is for somebody else.',
    fix: 'See that the cluster has Entra ID integration (az aks show --query aadProfile) and that azure.tenantId is its tenant; then look at whom the token names.',
    confirm: [WHO, 'az aks show -g {group} -n {cluster} --query aadProfile'],
    pattern: /\bUnauthorized\b|the server has asked for the client to provide credentials/,
    in: ['kubelet'],
    alsoInWords: true,
    explainedBy: ['flex.himds-silent', 'flex.arc-disconnected', 'flex.token-helper', 'flex.clock'],
  }),
  logRow({
    id: 'flex.label-refused',
    specificity: 'exact',
    title: 'The node may not give itself a label',
    symptom: 'The kubelet stops at --node-labels, or the API server forbids the label.',
    summary: 'A label of node.labels is not for a node to set: {problem}',
    fix: 'Take it out of node.labels. Labels under kubernetes.io and k8s.io, except node.kubernetes.io/ and kubelet.kubernetes.io/, are set by an administrator: kubectl label node {node} …',
    confirm: ['grep KUBELET_NODE_LABELS /etc/default/kubelet'],
    pattern:
      /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels|is not allowed to (?:modify|set the following) labels/,
    in: ['kubelet'],
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.name-refused',
    specificity: 'exact',
    title: 'The name of the node is not a valid one',
    symptom: 'The API server says that the Node is invalid: lower case is wanted.',
    summary: 'The machine wants to register under a name that the API server refuses: {problem}',
    fix: 'Set agent.nodeName to a name of lower case letters, digits and dashes, and run bootstrap again.',
    confirm: ['hostname', 'grep -o "hostname-override=[^ ]*" /etc/default/kubelet'],
    pattern: /Node "[^"]{1,253}" is invalid|a lowercase RFC 1123 (?:subdomain|label) must consist/,
    in: ['kubelet'],
    alsoInWords: true,
  }),
  logRow({
    id: 'flex.not-bound',
    specificity: 'exact',
    title: 'The node has no rights in the cluster',
    symptom: 'The API server answers forbidden, and names a user.',
    summary: 'The API server knows the machine as {user}, and this user may not {verb} {resource}.',
    fix: 'Run bootstrap again with `--only credentials,start-services`: the credentials step binds the identity to the ClusterRole system:node. A new identity may have to wait some minutes.',
    confirm: [WHO, 'kubectl get clusterrolebinding chandler-flexnode:{node} -o yaml'],
    pattern: /is forbidden: User "([^"]{1,253})" cannot (\w{1,30}) resource "([^"]{1,100})"/,
    groups: ['user', 'verb', 'resource'],
    in: ['kubelet'],
    alsoInWords: true,
    explainedBy: ['flex.label-refused'],
  }),
  logRow({
    id: 'flex.certificate-pending',
    specificity: 'exact',
    title: "Nobody approves the node's certificate",
    symptom: 'With security.tlsBootstrap the kubelet waits for its certificate request.',
    summary: 'The node asked for a certificate, and the request is not approved: {problem}',
    fix: "Approve it, or bind the identity to the ClusterRole of the cluster's own approver (system:certificates.k8s.io:certificatesigningrequests:nodeclient).",
    confirm: ['kubectl get csr', 'kubectl certificate approve <name>'],
    pattern:
      /certificate signing request \S{1,100} (?:is not approved|was denied)|timed out waiting for (?:the )?certificate|cannot create certificate signing request/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.client-ca',
    specificity: 'exact',
    title: 'The CA for callers of the kubelet cannot be read',
    symptom: 'The kubelet says that it cannot load its client CA file.',
    summary:
      'The file with the CA of the API server, which calls the kubelet for logs and exec, is missing or damaged: {problem}',
    fix: 'Run bootstrap again with `--only credentials,kubelet,start-services`.',
    confirm: ['openssl x509 -noout -subject -in /etc/kubernetes/certs/apiserver-client-ca.crt'],
    pattern: /unable to load client CA file|failed to initialize client CA/i,
    in: ['kubelet'],
  }),
];
