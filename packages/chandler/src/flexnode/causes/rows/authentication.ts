/** Causes about identity and permissions: tokens, the Arc agent, certificates, roles, names. */
import { type FlexCause, logRow, stateRow } from '../cause.ts';

const WHO = 'chandler-flexnode debug';
const SHOW_ARC = 'azcmagent show';

export const AUTHENTICATION: readonly FlexCause[] = [
  stateRow(
    {
      id: 'flex.arc-disconnected',
      specificity: 'exact',
      title: 'The Arc agent is not connected',
      symptom:
        '`azcmagent show` reports Disconnected or Expired, and the node has no valid certificate, or `security.tlsBootstrap` is false.',
      summary:
        'The Arc agent of this machine is {status}. The kubelet cannot authenticate without a token from the agent.',
      fix: 'Restore the connection to Azure and check the agent. If the identity has expired (after 45 days without a connection), disconnect the agent and run bootstrap again.',
      confirm: [SHOW_ARC, 'azcmagent check', 'azcmagent config get proxy.url'],
    },
    ({ arcStatus, usesCertificate }) =>
      arcStatus === undefined || arcStatus.toLowerCase() === 'connected' || usesCertificate === true
        ? undefined
        : { where: 'azcmagent show', what: `Agent Status: ${arcStatus}`, facts: { status: arcStatus } },
  ),
  stateRow(
    {
      id: 'flex.himds-silent',
      specificity: 'exact',
      title: 'The identity service of the Arc agent does not respond',
      symptom:
        'The token helper fails, and no process listens on 127.0.0.1:40342. The node has no valid certificate, or `security.tlsBootstrap` is false.',
      summary: 'The identity service of the Arc agent returns no token: {problem}',
      fix: 'Restart the service (systemctl restart himdsd), and check that no other process listens on port 40342.',
      confirm: ['systemctl status himdsd', 'tail -n 50 /var/opt/azcmagent/log/himds.log'],
      explainedBy: ['flex.arc-disconnected'],
    },
    ({ failure, logs, usesCertificate }) => {
      if (usesCertificate === true) return undefined;
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
    symptom:
      'The kubelet reports that executable token.sh failed, and the node has no valid certificate, or `security.tlsBootstrap` is false.',
    summary: 'The kubelet runs {helper} to get a token, but the helper exits with code {code}.',
    fix: 'To see why it fails, run the helper by hand as root. It prints the error to standard error.',
    confirm: ['{helper} > /dev/null', SHOW_ARC],
    pattern: /exec: executable (\S{1,200}) failed with exit code (\d{1,3})/,
    groups: ['helper', 'code'],
    in: ['kubelet'],
    ofToken: true,
    explainedBy: ['flex.himds-silent', 'flex.arc-disconnected'],
  }),
  logRow({
    id: 'flex.unauthorized',
    specificity: 'exact',
    title: 'The API server does not accept the token',
    symptom: 'The kubelet reports Unauthorized.',
    summary:
      'The API server returns 401 to this machine. It does not accept tokens of Entra ID, or it does not accept tokens of this tenant, or the audience of the token is wrong.',
    fix: 'Check that Entra ID integration is enabled on the cluster (az aks show -g {group} -n {cluster} --query aadProfile) and that azure.tenantId is its tenant. Then check the identity in the token.',
    confirm: [WHO, 'az aks show -g {group} -n {cluster} --query aadProfile'],
    pattern: /\bUnauthorized\b|the server has asked for the client to provide credentials/,
    in: ['kubelet'],
    ofServer: true,
    alsoInMessages: true,
    explainedBy: ['flex.himds-silent', 'flex.arc-disconnected', 'flex.token-helper', 'flex.clock'],
  }),
  logRow({
    id: 'flex.label-refused',
    specificity: 'exact',
    title: 'The node is not allowed to set a label',
    symptom: 'The kubelet rejects --node-labels, or the API server rejects the label.',
    summary: 'A node is not allowed to set a label of node.labels on itself: {problem}',
    fix: 'Remove the label from node.labels. Labels under kubernetes.io and k8s.io, except node.kubernetes.io/ and kubelet.kubernetes.io/, must be set by an administrator: kubectl label node {node} …',
    confirm: ['grep KUBELET_NODE_LABELS /etc/default/kubelet'],
    pattern:
      /unknown 'kubernetes\.io' or 'k8s\.io' labels specified with --node-labels|is not allowed to (?:modify|set the following) labels/,
    in: ['kubelet'],
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.name-refused',
    specificity: 'exact',
    title: 'The name of the node is invalid',
    symptom: 'The API server reports that the name of the Node must be lower case.',
    summary: 'The API server rejects the name under which the kubelet registers the Node: {problem}',
    fix: 'Set agent.nodeName to a name of lower case letters, digits and dashes, then run bootstrap again.',
    confirm: ['hostname', 'grep -o "hostname-override=[^ ]*" /etc/default/kubelet'],
    pattern: /Node "[^"]{1,253}" is invalid|a lowercase RFC 1123 (?:subdomain|label) must consist/,
    in: ['kubelet'],
    alsoInMessages: true,
  }),
  logRow({
    id: 'flex.not-bound',
    specificity: 'exact',
    title: 'The node has no permissions in the cluster',
    symptom: 'The API server returns Forbidden and names a user.',
    summary:
      'The API server authenticates the machine as {user}, but this user is not allowed to {verb} {resource}.',
    fix: 'Run bootstrap again with `--only credentials,kubelet,start-services`. The credentials step creates the bindings of the node. A new identity takes effect after some minutes.',
    confirm: [WHO, 'kubectl get clusterrolebindings -l app.kubernetes.io/managed-by=chandler-flexnode'],
    pattern: /is forbidden: User "([^"]{1,253})" cannot (\w{1,30}) resource "([^"]{1,100})"/,
    groups: ['user', 'verb', 'resource'],
    in: ['kubelet'],
    // The authorizer of nodes learns of a pod some moments after the kubelet.
    except: /no relationship found between node/,
    alsoInMessages: true,
    explainedBy: ['flex.label-refused'],
  }),
  logRow({
    id: 'flex.certificate-pending',
    specificity: 'exact',
    title: 'The certificate request of the node is not approved',
    symptom: 'The kubelet cannot create its certificate request, or waits for its approval.',
    summary: 'The certificate request of the node is pending: {problem}',
    fix: 'Run bootstrap again: it creates the bindings for a new certificate. If the request stays pending, the cluster does not approve requests of nodes: approve it, or set security.tlsBootstrap to false.',
    confirm: ['kubectl get csr', 'kubectl certificate approve <name>'],
    pattern:
      /certificate signing request \S{1,100} (?:is not approved|was denied)|timed out waiting for (?:the )?certificate|cannot create certificate signing request/i,
    in: ['kubelet'],
  }),
  logRow({
    id: 'flex.client-ca',
    specificity: 'exact',
    title: 'The client CA of the kubelet cannot be read',
    symptom: 'The kubelet reports that it cannot load its client CA file.',
    summary:
      'The CA file with which the kubelet verifies requests of the API server (logs, exec) is missing or damaged: {problem}',
    fix: 'Run bootstrap again with `--only credentials,kubelet,start-services`.',
    confirm: ['openssl x509 -noout -subject -in /etc/kubernetes/certs/apiserver-client-ca.crt'],
    pattern: /unable to load client CA file|failed to initialize client CA/i,
    in: ['kubelet'],
  }),
];
