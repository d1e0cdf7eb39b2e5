/**
 * Rules about several values, or about a value and its environment. Each rule checks the whole draft and returns the
 * problem, if any; errors and warnings are separate lists.
 */
import { arcName, subdomain } from './checks.ts';
import type { ConfigProblem, Surroundings } from './config-result.ts';
import type { Draft } from './draft.ts';
import { invalidToml, unknownKubeletField } from './extra-config.ts';
import { MANAGED_LABEL } from './node-checks.ts';

export type Rule = (draft: Draft, surroundings: Surroundings) => ConfigProblem | undefined;

export const ERRORS: readonly Rule[] = [
  (draft) =>
    draft.flag('azure.arc.enabled')
      ? undefined
      : draft.problem(
          'azure.arc.enabled',
          'azure.arc.enabled: must be true: the machine always joins with its Arc identity',
          'remove the key',
        ),
  (draft) => {
    const [high, low] = [
      draft.number('node.kubelet.imageGCHighThreshold'),
      draft.number('node.kubelet.imageGCLowThreshold'),
    ];
    return low < high
      ? undefined
      : draft.problem(
          'node.kubelet.imageGCLowThreshold',
          `node.kubelet.imageGCLowThreshold (${low}) must be below imageGCHighThreshold (${high})`,
        );
  },
  (draft) => {
    const version = draft.sure('runc.version');
    const stray = draft.texts('runc.url').find((url) => !url.includes('{version}') && !url.includes(version));
    return stray === undefined
      ? undefined
      : draft.problem(
          'runc.url',
          `invalid runc.url: contains another version than runc.version (${version})`,
          stray.replace(/v\d+\.\d+\.\d+/, 'v{version}'),
        );
  },
  (draft) => {
    const twice = PATHS.find((path, at) =>
      PATHS.slice(0, at).some((other) => draft.sure(other) === draft.sure(path)),
    );
    return twice === undefined
      ? undefined
      : draft.problem(twice, `invalid ${twice}: ${draft.sure(twice)} is already used by another key`);
  },
  (draft, { hostname }) =>
    draft.given('agent.nodeName') || subdomain(hostname.toLowerCase()) === undefined
      ? undefined
      : draft.problem(
          'agent.nodeName',
          `agent.nodeName is required: the host name ${JSON.stringify(hostname)} cannot be the name of a node`,
          hostname.toLowerCase().replaceAll('_', '-'),
        ),
  (draft, { hostname }) =>
    draft.given('azure.arc.machineName') || arcName(hostname) === undefined
      ? undefined
      : draft.problem(
          'azure.arc.machineName',
          `azure.arc.machineName is required: the host name ${JSON.stringify(hostname)} cannot be the name of an Arc machine`,
        ),
  (draft) =>
    Object.keys(draft.map('azure.arc.tags')).length > 15
      ? draft.problem(
          'azure.arc.tags',
          'invalid azure.arc.tags: Azure allows at most 15 tags for an Arc machine',
        )
      : undefined,
  invalidToml,
];

export const WARNINGS: readonly Rule[] = [
  unknownKubeletField,
  (draft) =>
    draft.texts('kubernetes.urlTemplate').includes(ORIGINAL_KUBERNETES_URL)
      ? draft.problem(
          'kubernetes.urlTemplate',
          'kubernetes.urlTemplate is ignored: it is the default archive of AKS Flex Node; single programs with known hashes are used instead',
        )
      : undefined,
  (draft) =>
    draft.texts('runc.url').some((url) => url.includes('amd64'))
      ? draft.problem(
          'runc.url',
          'runc.url contains amd64 and cannot be used on arm64',
          'runc.{arch} instead of runc.amd64',
        )
      : undefined,
  (draft) => {
    const value = draft.map('node.labels')[MANAGED_LABEL];
    return value === undefined || value === 'false'
      ? undefined
      : draft.problem(
          'node.labels',
          `node.labels["${MANAGED_LABEL}"] is always set to false: with ${JSON.stringify(value)}, Azure would delete the node`,
        );
  },
  (draft) =>
    draft.flag('azure.arc.autoRoleAssignment') && !draft.flag('security.documentMode')
      ? draft.problem(
          'azure.arc.autoRoleAssignment',
          'azure.arc.autoRoleAssignment has no effect: bindings in the cluster authorize the machine instead; only security.documentMode assigns the three admin roles',
        )
      : undefined,
  (draft) =>
    draft.flag('security.documentMode')
      ? draft.problem(
          'security.documentMode',
          'security.documentMode: an admin kubeconfig that all users can read remains on the machine, and the machine becomes cluster admin',
        )
      : undefined,
  (draft) =>
    draft.flag('security.documentMode') && givenTrue(draft, 'security.tlsBootstrap')
      ? draft.problem(
          'security.tlsBootstrap',
          'security.tlsBootstrap has no effect because security.documentMode makes the same identity cluster admin',
        )
      : undefined,
  (draft) =>
    draft.given('security.tlsBootstrap') && !draft.flag('security.tlsBootstrap')
      ? draft.problem(
          'security.tlsBootstrap',
          'security.tlsBootstrap is false: the machine can read every Secret and ConfigMap of the cluster, create tokens of every ServiceAccount and change every Node',
          'remove the key, unless the cluster does not sign node certificates',
        )
      : undefined,
  (draft) =>
    /^(0\.0\.0\.0|\[::\]):/.test(draft.sure('containerd.metricsAddress')) &&
    !draft.flag('security.documentMode')
      ? draft.problem(
          'containerd.metricsAddress',
          'containerd.metricsAddress: anyone who can connect to the machine can read the metrics',
          '127.0.0.1:10257',
        )
      : undefined,
  (draft) =>
    draft.given('downloads.bundle') && draft.texts('downloads.mirrors').length > 0
      ? draft.problem(
          'downloads.mirrors',
          'downloads.mirrors is ignored: all files are read from downloads.bundle',
        )
      : undefined,
  (draft) => {
    const [own, theirs] = [draft.text('azure.tenantId'), draft.text('azure.servicePrincipal.tenantId')];
    return theirs === undefined || own?.toLowerCase() === theirs.toLowerCase()
      ? undefined
      : draft.problem(
          'azure.servicePrincipal.tenantId',
          'azure.servicePrincipal.tenantId differs from azure.tenantId: the machine is registered in the latter',
        );
  },
  (draft) => {
    const extra = draft.object('node.kubelet.extraConfig');
    const weak = WEAK_KUBELET.find(({ path, value }) => JSON.stringify(at(extra, path)) === value);
    return weak === undefined
      ? undefined
      : draft.problem(
          'node.kubelet.extraConfig',
          `node.kubelet.extraConfig: ${weak.path} = ${weak.value}: ${weak.means}`,
        );
  },
  (draft, { env }) => {
    const name = Object.keys(env).find((each) => each.startsWith('AKS_NODE_CONTROLLER_'));
    return name === undefined
      ? undefined
      : draft.problem('', `the environment variable ${name} is ignored: set the value in the config file`);
  },
  (draft, { env }) => {
    const name = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].find(
      (each) => (env[each] ?? '') !== '',
    );
    return name === undefined || draft.hasObject('proxy')
      ? undefined
      : draft.problem(
          '',
          `the environment variable ${name} is ignored: services would not have it after a reboot`,
          'proxy.http, proxy.https and proxy.noProxy in the config file',
        );
  },
];

/** A template of the original has two `%s`: the version, then the architecture. */
export function withoutPrintf(template: string): string {
  return template.replace('%s', '{version}').replace('%s', '{arch}');
}

export function usableKubernetesUrls(draft: Draft): readonly string[] {
  return draft
    .texts('kubernetes.urlTemplate')
    .filter((base) => base !== ORIGINAL_KUBERNETES_URL)
    .map((base) => withoutPrintf(base).replace(/\/+$/, ''));
}

/** May contain variables: `bundleOf` fills them in, because `upgrade` may be to another version. */
export function bundlePath(draft: Draft): string | undefined {
  return draft.text('downloads.bundle')?.replace(/^file:\/\//, '');
}

// ---------------------------------------------------------------------------------------------------

const ORIGINAL_KUBERNETES_URL =
  'https://acs-mirror.azureedge.net/kubernetes/v%s/binaries/kubernetes-node-linux-%s.tar.gz';

const PATHS = [
  'paths.kubernetes.configDir',
  'paths.kubernetes.certsDir',
  'paths.kubernetes.manifestsDir',
  'paths.kubernetes.volumePluginDir',
  'paths.kubernetes.kubeletDir',
  'paths.cni.binDir',
  'paths.cni.confDir',
  'paths.cni.libDir',
];

const WEAK_KUBELET = [
  {
    path: 'authentication.anonymous.enabled',
    value: 'true',
    means: 'the kubelet accepts anonymous requests',
  },
  {
    path: 'authorization.mode',
    value: '"AlwaysAllow"',
    means: 'the kubelet authorizes every request',
  },
  { path: 'readOnlyPort', value: '10255', means: 'anyone can read pods and metrics' },
  { path: 'failSwapOn', value: 'false', means: 'the kubelet starts while swap is enabled' },
  { path: 'protectKernelDefaults', value: 'false', means: 'the kubelet changes kernel settings' },
];

function givenTrue(draft: Draft, path: string): boolean {
  return draft.given(path) && draft.flag(path);
}

function at(value: unknown, path: string): unknown {
  let here = value;
  for (const name of path.split('.')) {
    if (typeof here !== 'object' || here === null) return undefined;
    here = (here as Record<string, unknown>)[name];
  }
  return here;
}
