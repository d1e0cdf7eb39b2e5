import { describe, expect, test } from 'vitest';
import { type Changes, CLUSTER_ID, reading, told } from './read.fixture.ts';

const SUBSCRIPTION = '11111111-2222-3333-4444-555555555555';

/** The mistake, the change that makes it, and the complete output. */
const MISTAKES: readonly (readonly [string, Changes, readonly unknown[]])[] = [
  [
    'no subscription',
    { 'azure.subscriptionId': undefined },
    [`azure.subscriptionId is required → the subscription of the cluster is "${SUBSCRIPTION}"`],
  ],
  ['no tenant', { 'azure.tenantId': '' }, ['azure.tenantId is required']],
  [
    'no cluster at all',
    { 'azure.targetCluster': undefined },
    ['azure.targetCluster.resourceId is required', 'azure.targetCluster.location is required'],
  ],
  [
    'no region of the cluster',
    { 'azure.targetCluster.location': undefined },
    ['azure.targetCluster.location is required'],
  ],
  [
    'a mistyped key',
    { 'azure.arc.machinename': 'x' },
    ['azure.arc.machinename: unknown key → did you mean "machineName"?'],
  ],
  ['another mistyped key', { nodes: {} }, ['nodes: unknown key → did you mean "node"?']],
  [
    'a key in the wrong place',
    { 'azure.maxPods': 30 },
    ['azure.maxPods: unknown key → did you mean node.maxPods?'],
  ],
  [
    'a subscription that is no GUID',
    { 'azure.subscriptionId': '<sub>' },
    [
      'invalid azure.subscriptionId: must be a GUID such as 01234567-89ab-cdef-0123-456789abcdef, not "<sub>"',
    ],
  ],
  [
    'a cluster id of another kind',
    { 'azure.targetCluster.resourceId': CLUSTER_ID.replace('managedClusters', 'agents') },
    [expect.stringMatching(/^invalid azure\.targetCluster\.resourceId: must be \/subscriptions/)],
  ],
  [
    'an unknown cloud',
    { 'azure.cloud': 'AzureGermanCloud' },
    [
      'invalid azure.cloud: must be one of AzurePublicCloud, AzureUSGovernment, AzureChinaCloud, not "AzureGermanCloud" → did you mean "AzureChinaCloud"?',
    ],
  ],
  [
    'an unknown log level',
    { 'agent.logLevel': 'INFO' },
    ['invalid agent.logLevel: must be one of debug, info, warning, error, not "INFO" → did you mean "info"?'],
  ],
  [
    'a number for a text',
    { 'kubernetes.version': 1.32 },
    ['kubernetes.version: must be a string, not a number → "1.32"'],
  ],
  ['a text for a number', { 'node.maxPods': '110' }, ['node.maxPods: must be a number, not a string → 110']],
  [
    'a text for a switch',
    { 'azure.arc.autoRoleAssignment': 'True' },
    ['azure.arc.autoRoleAssignment: must be true or false, not a string → true'],
  ],
  [
    'a text for an object',
    { azure: 'x' },
    [expect.stringContaining('azure: must be an object with subscriptionId')],
  ],
  ['nothing for a value', { 'agent.logDir': null }, ['agent.logDir: is null → remove the key']],
  [
    'a version with a v',
    { 'kubernetes.version': 'v1.32.7' },
    ['invalid kubernetes.version: must be a version without the v, not "v1.32.7" → 1.32.7'],
  ],
  [
    'a version without patch',
    { 'components.containerd': '1.7' },
    ['invalid components.containerd: must be a full version, not "1.7" → 1.7.N, with the patch version'],
  ],
  [
    'a made-up version',
    { 'runc.version': 'latest' },
    ['invalid runc.version: must be a version of the form 1.32.7, not "latest"'],
  ],
  [
    'too many pods',
    { 'node.maxPods': 1000 },
    ['invalid node.maxPods: must be an integer from 1 to 250, not 1000'],
  ],
  [
    'half a pod',
    { 'node.maxPods': 1.5 },
    ['invalid node.maxPods: must be an integer from 1 to 250, not 1.5'],
  ],
  [
    'image thresholds the wrong way round',
    { 'node.kubelet.imageGCHighThreshold': 70 },
    ['node.kubelet.imageGCLowThreshold (80) must be below imageGCHighThreshold (70)'],
  ],
  [
    'a threshold over 100',
    { 'node.kubelet.imageGCHighThreshold': 120 },
    ['invalid node.kubelet.imageGCHighThreshold: must be an integer from 0 to 100, not 120'],
  ],
  [
    'an eviction signal in lower case',
    { 'node.kubelet.evictionHard|nodefs.inodesfree': '5%' },
    [expect.stringContaining('unknown key "nodefs.inodesfree"')],
  ],
  [
    'an eviction signal split at its dot',
    { 'node.kubelet.evictionHard.memory.available': '100Mi' },
    [
      'node.kubelet.evictionHard["memory"]: must be a string, not an object → one key with dots: "memory.available"',
    ],
  ],
  [
    'an eviction threshold that is no amount',
    { 'node.kubelet.evictionHard|memory.available': 'little' },
    [
      'invalid node.kubelet.evictionHard["memory.available"]: must be a quantity or a percentage, such as 100Mi or 10%, not "little"',
    ],
  ],
  [
    'more than everything',
    { 'node.kubelet.evictionHard|memory.available': '101%' },
    [expect.stringContaining('"101%"')],
  ],
  [
    'a reservation of something unknown',
    { 'node.kubelet.kubeReserved': { cpus: '1' } },
    [expect.stringContaining('did you mean "cpu"?')],
  ],
  [
    'a reservation in millimeters',
    { 'node.kubelet.kubeReserved': { cpu: '100mm' } },
    ['invalid node.kubelet.kubeReserved["cpu"]: must be a quantity such as 100m or 256Mi, not "100mm"'],
  ],
  [
    'a label with a true in it',
    { 'node.labels|gpu': true },
    ['node.labels["gpu"]: must be a string, not true or false → "true"'],
  ],
  [
    'a label value with a space',
    { 'node.labels|site': 'north gate' },
    [expect.stringContaining('invalid node.labels["site"]: must be at most 63 letters')],
  ],
  [
    'a label name with two slashes',
    { 'node.labels|a/b/c': 'x' },
    [expect.stringContaining('invalid node.labels["a/b/c"]: must be a name')],
  ],
  [
    'a role label',
    { 'node.labels|node-role.kubernetes.io/worker': '' },
    [
      'invalid node.labels["node-role.kubernetes.io/worker"]: a kubelet is not allowed to set the label node-role.kubernetes.io/worker on its own Node → an administrator can set roles: kubectl label node',
    ],
  ],
  [
    'a restricted label',
    { 'node.labels|node-restriction.kubernetes.io/x': '1' },
    [expect.stringContaining('a kubelet is not allowed to set the label')],
  ],
  [
    'a taint without effect',
    { 'node.taints': ['dedicated=gpu'] },
    ['invalid node.taints.0: must be key=value:Effect or key:Effect, not "dedicated=gpu"'],
  ],
  [
    'a taint with a mistyped effect',
    { 'node.taints': ['a=b:NoExecute', 'a=b:Noschedule'] },
    [
      'invalid node.taints.1: must be one of NoSchedule, PreferNoSchedule, NoExecute, not "Noschedule" → a=b:NoSchedule',
    ],
  ],
  [
    'a node name in capitals',
    { 'agent.nodeName': 'Edge_01' },
    ['invalid agent.nodeName: must be a DNS name (a-z, 0-9, - and .), not "Edge_01" → edge-01'],
  ],
  [
    'a relative path',
    { 'agent.logDir': 'logs' },
    ['invalid agent.logDir: must be an absolute path, not "logs"'],
  ],
  [
    'a path that climbs',
    { 'paths.cni.binDir': '/opt/../usr/x' },
    ['invalid paths.cni.binDir: must be a path without .., not "/opt/../usr/x"'],
  ],
  [
    'a blank in a directory',
    { 'paths.kubernetes.kubeletDir': '/data/my kubelet' },
    [
      'invalid paths.kubernetes.kubeletDir: must be a path of letters, digits and . _ @ + -, not "/data/my kubelet"',
    ],
  ],
  [
    'a quote in a directory',
    { 'paths.kubernetes.certsDir': "/data/o'neill" },
    [
      'invalid paths.kubernetes.certsDir: must be a path of letters, digits and . _ @ + -, not "/data/o\'neill"',
    ],
  ],
  [
    'the root as our own folder',
    { 'paths.kubernetes.configDir': '/etc' },
    [
      'invalid paths.kubernetes.configDir: "/etc" is a system directory → a subdirectory such as /etc/flexnode',
    ],
  ],
  [
    'one folder for two things',
    { 'paths.cni.libDir': '/opt/cni/bin' },
    ['invalid paths.cni.libDir: /opt/cni/bin is already used by another key'],
  ],
  [
    'Resource Manager by plain HTTP',
    { 'azure.resourceManagerEndpoint': 'http://management.azure.com' },
    ['invalid azure.resourceManagerEndpoint: must be an https URL, not "http://management.azure.com"'],
  ],
  [
    'Resource Manager with a path',
    { 'azure.resourceManagerEndpoint': 'https://management.azure.com/x?y' },
    [
      'invalid azure.resourceManagerEndpoint: must be a URL without path and query, not "https://management.azure.com/x?y" → https://management.azure.com',
    ],
  ],
  [
    'Arc switched off',
    { 'azure.arc.enabled': false },
    ['azure.arc.enabled: must be true: the machine always joins with its Arc identity → remove the key'],
  ],
  [
    'a runc address of another version',
    {
      'runc.version': '1.2.5',
      'runc.url': 'https://github.com/opencontainers/runc/releases/download/v1.1.12/runc.amd64',
    },
    [
      'invalid runc.url: contains another version than runc.version (1.2.5) → https://github.com/opencontainers/runc/releases/download/v{version}/runc.amd64',
    ],
  ],
  [
    'a range of one pod',
    { 'cni.bridge.podCidr': '10.244.0.0/32' },
    ['invalid cni.bridge.podCidr: must be a CIDR range such as 10.244.7.0/24, not "10.244.0.0/32"'],
  ],
  [
    'an unknown placeholder',
    { 'runc.url': 'https://x.example/{ver}/runc' },
    ['invalid runc.url: unknown placeholder {ver} → supported placeholders: {version} and {arch}'],
  ],
  [
    'an OCI bundle',
    { 'bootstrap.offlineArtifacts.source': 'oci://x.example/y' },
    [
      'invalid bootstrap.offlineArtifacts.source: OCI artifacts are not supported → a directory or file on this machine',
    ],
  ],
  [
    'a hash in capitals',
    { 'downloads.sha256|runc/1.2.5/amd64': 'A'.repeat(64) },
    [expect.stringContaining(`→ ${'a'.repeat(64)}`)],
  ],
  [
    'a hash of something unknown',
    { 'downloads.sha256|runk/1.2.5/amd64': 'a'.repeat(64) },
    [expect.stringContaining('→ runc/1.2.5/amd64')],
  ],
  [
    'a password in a proxy',
    { 'proxy.https': 'http://u:hunter2@proxy.example:3128' },
    [
      'invalid proxy.https: contains a user name or password → a URL without credentials; all users could read them',
    ],
  ],
  [
    'a tag with a comma',
    { 'azure.arc.tags': { site: 'a,b' } },
    [
      expect.stringContaining(
        'invalid azure.arc.tags["site"]: must be at most 256 characters without commas',
      ),
    ],
  ],
  [
    'a deadline of a second',
    { 'readiness.deadlineSeconds': 1 },
    ['invalid readiness.deadlineSeconds: must be an integer from 10 to 3600, not 1'],
  ],
];

describe('a mistake in the config file', () => {
  test.each(MISTAKES)('%s', (_what, changes, messages) => {
    expect(told(reading(changes))).toEqual(messages);
  });

  test('is reported with its line', () => {
    const result = reading('{\n  "azure": {\n    "tenantId": 5,\n    "claud": "x"\n  }\n}');
    expect(result.ok ? [] : result.problems.map(({ line, path }) => [line, path])).toEqual([
      [2, 'azure.subscriptionId'],
      [2, 'azure.targetCluster.resourceId'],
      [2, 'azure.targetCluster.location'],
      [3, 'azure.tenantId'],
      [4, 'azure.claud'],
    ]);
  });

  test('a key with dots instead of objects is shown as it should be', () => {
    const text = JSON.stringify(minimalText()).replace('{', '{"node.maxPods": 30,');
    expect(told(reading(text))).toEqual([
      'node.maxPods: unknown key → write it as nested objects: {"node": {"maxPods": …}}',
    ]);
  });

  test('a name that is there twice is refused, not silently the last', () => {
    const text = JSON.stringify(minimalText()).replace('{"azure"', '{"node":{"maxPods":1},"node":{},"azure"');
    expect(told(reading(text))).toEqual(['duplicate key node (first in line 1) → remove one of them']);
  });

  test('a file that is no object', () => {
    expect(told(reading('[]'))).toEqual(['the file must contain an object: { … }']);
    expect(told(reading(''))).toEqual(['not JSON: the file is empty (column 1) → an object: { … }']);
  });

  test('a host name that cannot name a node asks for one', () => {
    expect(told(reading({}, { hostname: 'my_machine' }))).toEqual([
      'agent.nodeName is required: the host name "my_machine" cannot be the name of a node → my-machine',
    ]);
    expect(told(reading({ 'agent.nodeName': 'n1' }, { hostname: 'my_machine' }))).toEqual(['accepted']);
    expect(told(reading({ 'agent.nodeName': 'n1' }, { hostname: 'x'.repeat(60) }))).toEqual([
      expect.stringContaining('azure.arc.machineName is required'),
    ]);
  });

  test('weak kubelet settings are pointed out, not refused', () => {
    const result = reading({ 'node.kubelet.extraConfig.authentication.anonymous.enabled': true });
    expect(result.ok && result.warnings[0]?.message).toBe(
      'node.kubelet.extraConfig: authentication.anonymous.enabled = true: the kubelet accepts anonymous requests',
    );
  });
});

function minimalText(): unknown {
  return {
    azure: {
      subscriptionId: SUBSCRIPTION,
      tenantId: SUBSCRIPTION,
      targetCluster: { resourceId: CLUSTER_ID, location: 'westus2' },
    },
  };
}
