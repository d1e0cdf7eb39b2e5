/** The configs of the plans in golden/: the default, the mode of the document, and all other options at once. */
import { type Changes, PRINCIPAL } from '../../packages/chandler/src/flexnode/testing.ts';

export const CLIENT_SECRET = 'pl4nted~client-secret';

export const AGENT = { 'downloads.sha256|azcmagent/1.66.03466.1193/amd64': 'a'.repeat(64) };

/** By the name of the golden file. */
export const CONFIGS: Readonly<Record<string, Changes>> = {
  /** The default: secure, with a service principal. */
  'plan-default': { ...AGENT, ...PRINCIPAL, 'azure.servicePrincipal.clientSecret': CLIENT_SECRET },
  /** What the document asks for, insecure choices included, signed in with the Azure CLI. */
  'plan-document-mode': {
    ...AGENT,
    'security.documentMode': true,
    'azure.arc.autoRoleAssignment': true,
    'azure.arc.tags': { site: 'north' },
  },
  /** Everything else at once. */
  'plan-arc-token': {
    ...AGENT,
    'security.tlsBootstrap': false,
    'downloads.bundle': '/srv/flexnode-bundle',
    'proxy.http': 'http://proxy.test:3128',
    'proxy.https': 'http://proxy.test:3128',
    'proxy.noProxy': ['10.0.0.0/8'],
    'node.labels|example.com/site': 'north',
    'node.taints': ['dedicated=edge:NoSchedule'],
    'node.kubelet.evictionHard|memory.available': '200Mi',
    'node.kubelet.kubeReserved': { cpu: '100m', memory: '512Mi' },
    'node.kubelet.extraConfig': { serializeImagePulls: false },
    'containerd.extraConfig': '[debug]\nlevel = "info"\n',
    'containerd.version': '2.0.4',
  },
};
