import { describe, expect, test } from 'vitest';
import { renderFlexCausesDoc } from './causes-doc.ts';
import { evidenceOf, type FlexEvidence } from './evidence.ts';
import { explain, FLEX_CAUSES } from './table.ts';

const kubelet = (log: string): Partial<FlexEvidence> => ({ logs: { kubelet: log, containerd: '' } });
const containerd = (log: string): Partial<FlexEvidence> => ({ logs: { kubelet: '', containerd: log } });

/** What machines really print, one for each row. */
const EXCERPTS: readonly [id: string, evidence: Partial<FlexEvidence>, facts?: RegExp][] = [
  [
    'flex.swap',
    kubelet(
      'E1115 08:01:02.000001 812 run.go:72] "command failed" err="failed to run Kubelet: running with swap on is not supported, please disable swap or set --fail-swap-on flag to false"',
    ),
  ],
  [
    'flex.kernel-settings',
    kubelet(
      'E1115 08:01:02.1 1 kubelet.go:1511] "Failed to start ContainerManager" err="[invalid kernel flag: vm/overcommit_memory, expected value: 1, actual value: 0]"',
    ),
    /vm\/overcommit_memory is 0; the kubelet requires 1/,
  ],
  [
    'flex.cgroup-v1',
    kubelet(
      'E1115 run.go:72] "command failed" err="failed to validate kubelet configuration, error: kubelet is configured to not run on a host using cgroup v1. cgroup v1 support is unsupported"',
    ),
  ],
  [
    'flex.bridge-module',
    kubelet(
      'E1115 kubelet_network_linux.go:80] open /proc/sys/net/bridge/bridge-nf-call-iptables: no such file or directory',
    ),
  ],
  [
    'flex.port-in-use',
    kubelet(
      'E1115 server.go:245] "Failed to listen and serve" err="listen tcp 0.0.0.0:10250: bind: address already in use"',
    ),
    /Port 10250/,
  ],
  [
    'flex.flag-removed',
    kubelet(
      'E1115 run.go:72] "command failed" err="failed to parse kubelet flag: unknown flag: --pod-infra-container-image"',
    ),
    /--pod-infra-container-image\./,
  ],
  [
    'flex.kubelet-config',
    kubelet(
      'E1115 run.go:72] "command failed" err="failed to load kubelet config file, path: /var/lib/kubelet/config.yaml, error: failed to decode: json: cannot unmarshal string into Go struct field KubeletConfiguration.maxPods of type int32"',
    ),
  ],
  [
    'flex.resolv-conf',
    kubelet(
      'E1115 dns.go:284] "Could not open resolv conf file." err="open /run/systemd/resolve/resolv.conf: no such file or directory"',
    ),
    /\/run\/systemd\/resolve\/resolv\.conf/,
  ],
  ['flex.version-skew', { versions: { kubelet: '1.34.0', server: 'v1.33.5' } }, /1\.30 to v1\.33\.5/],
  [
    'flex.disk-full',
    containerd(
      'time="2026-11-15T08:01:02Z" level=error msg="failed to pull" error="write /var/lib/containerd/io.containerd.content.v1.content/ingest/1/data: no space left on device"',
    ),
  ],
  [
    'flex.selinux',
    {
      ...kubelet('kubelet.service: Failed to execute /usr/local/bin/kubelet: Permission denied'),
      selinux: 'enforcing',
    },
  ],
  [
    'flex.clock',
    kubelet(
      'E1115 reflector.go:158] "Unhandled Error" err="Get \\"https://h:443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2020-01-01T00:00:00Z is before 2026-01-01T00:00:00Z"',
    ),
  ],
  [
    'flex.unknown-ca',
    kubelet(
      'E1115 kubelet_node_status.go:107] "Unable to register node with API server" err="Post \\"https://h:443/api/v1/nodes\\": tls: failed to verify certificate: x509: certificate signed by unknown authority" node="edge-01"',
    ),
  ],
  [
    'flex.no-such-host',
    kubelet(
      'E1115 controller.go:145] "Failed to ensure lease exists, will retry" err="Get \\"https://harbour.hcp.azmk8s.io:443/x\\": dial tcp: lookup harbour.hcp.azmk8s.io on 127.0.0.53:53: no such host"',
    ),
    /harbour\.hcp\.azmk8s\.io cannot be resolved/,
  ],
  [
    'flex.proxy',
    kubelet(
      'E1115 reflector.go] err="Get \\"https://h:443/x\\": proxyconnect tcp: dial tcp 192.0.2.9:3128: connect: connection refused"',
    ),
  ],
  [
    'flex.connection-refused',
    kubelet(
      'E1115 reflector.go] err="Get \\"https://20.1.2.3:443/api/v1/services\\": dial tcp 20.1.2.3:443: connect: connection refused"',
    ),
    /20\.1\.2\.3:443 was refused/,
  ],
  [
    'flex.timeout',
    kubelet(
      'E1115 kubelet_node_status.go:96] "Unable to register node with API server" err="Post \\"https://h:443/api/v1/nodes\\": dial tcp 20.1.2.3:443: i/o timeout" node="edge-01"',
    ),
  ],
  ['flex.arc-disconnected', { arcStatus: 'Disconnected' }],
  [
    'flex.himds-silent',
    { failure: { code: 'himds.unreachable', message: 'HIMDS does not answer at http://127.0.0.1:40342' } },
  ],
  [
    'flex.token-helper',
    kubelet(
      'E1115 reflector.go] err="Get \\"https://h:443/x\\": getting credentials: exec: executable /var/lib/kubelet/token.sh failed with exit code 1"',
    ),
    /token\.sh to get a token, but the helper exits with code 1/,
  ],
  [
    'flex.unauthorized',
    kubelet(
      'E1115 kubelet_node_status.go:107] "Unable to register node with API server" err="Unauthorized" node="edge-01"',
    ),
  ],
  [
    'flex.label-refused',
    kubelet(
      `E1115 run.go:72] "command failed" err="failed to validate kubelet flags: unknown 'kubernetes.io' or 'k8s.io' labels specified with --node-labels: [node-role.kubernetes.io/worker]"`,
    ),
  ],
  [
    'flex.label-refused',
    kubelet(
      'E1115 kubelet_node_status.go:107] err="nodes \\"edge-01\\" is forbidden: is not allowed to modify labels: node-restriction.kubernetes.io/team" node="edge-01"',
    ),
  ],
  [
    'flex.name-refused',
    kubelet(
      `E1115 kubelet_node_status.go:107] err="Node \\"EDGE-01\\" is invalid: metadata.name: Invalid value: \\"EDGE-01\\": a lowercase RFC 1123 subdomain must consist of lower case"`.replaceAll(
        '\\"',
        '"',
      ),
    ),
  ],
  [
    'flex.not-bound',
    kubelet(
      'E1115 kubelet_node_status.go:107] err="nodes is forbidden: User "1f0c-11" cannot create resource "nodes" in API group "" at the cluster scope" node="edge-01"',
    ),
    /as 1f0c-11, but this user is not allowed to create nodes/,
  ],
  [
    'flex.certificate-pending',
    kubelet('E1115 bootstrap.go] "certificate signing request csr-x7k2p is not approved, timed out waiting"'),
  ],
  [
    'flex.client-ca',
    kubelet(
      'E1115 run.go:72] "command failed" err="failed to run Kubelet: unable to load client CA file /etc/kubernetes/certs/apiserver-client-ca.crt: open: no such file"',
    ),
  ],
  [
    'flex.cgroup-driver',
    containerd(
      'level=error msg="RunPodSandbox failed" error="runc create failed: expected cgroupsPath to be of format "slice:prefix:name" for systemd cgroups, got "/kubepods/besteffort/pod1" instead"',
    ),
  ],
  [
    'flex.pause-image',
    containerd(
      'level=error msg="RunPodSandbox failed, error" error="failed to get sandbox image "mcr.microsoft.com/oss/kubernetes/pause:3.6": failed to pull image: dial tcp: i/o timeout"',
    ),
    /pause:3\.6/,
  ],
  [
    'flex.cni-plugin-missing',
    kubelet(
      'E1115 pod_workers.go] err="plugin type="bridge" failed (add): failed to find plugin "bridge" in path [/opt/cni/bin]"',
    ),
    /bridge, but it is not in \/opt\/cni\/bin/,
  ],
  [
    'flex.cni-not-ready',
    {
      node: {
        ready: false,
        reason: 'KubeletNotReady',
        message:
          'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized',
      },
    },
  ],
  [
    'flex.cri-silent',
    kubelet(
      'E1115 run.go:72] err="failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "unix:///run/containerd/containerd.sock": rpc error: code = Unimplemented desc = unknown service runtime.v1.RuntimeService"',
    ),
  ],
  [
    'flex.runc',
    containerd(
      'level=error msg="StartContainer failed" error="failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process"',
    ),
  ],
  ['flex.kubelet-restarts', { restarts: 7 }, /7 times/],
  ['flex.never-registered', { node: null }],
  [
    'flex.not-ready',
    { node: { ready: false, reason: 'KubeletNotReady', message: 'something new' } },
    /something new/,
  ],
];

describe('causes of a flex node that does not come up', () => {
  test.each(EXCERPTS)('[004-S11] %s is recognised from what the machine prints', (id, evidence, facts) => {
    const [first] = explain(evidenceOf({ nodeName: 'edge-01', ...evidence }));
    expect(first?.id).toBe(id);
    expect(first?.summary).toMatch(facts ?? /./);
    expect(first?.fix.length).toBeGreaterThan(10);
    expect(first?.seen.length).toBeGreaterThan(0);
  });

  test.each(EXCERPTS)('%s is recognised where the quotes inside an error are escaped', (id, evidence) => {
    const { logs = { kubelet: '', containerd: '' } } = evidence;
    const escaped = (log: string) => log.replaceAll(/\\?"/g, '\\"');
    const printed = { kubelet: escaped(logs.kubelet), containerd: escaped(logs.containerd) };
    expect(explain(evidenceOf({ ...evidence, logs: printed }))[0]?.id).toBe(id);
  });

  test('every row has an excerpt that shows it, and a name of its own', () => {
    const ids = FLEX_CAUSES.flatMap(({ causes }) => causes.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect([...new Set(EXCERPTS.map(([id]) => id))].sort()).toEqual([...ids].sort());
  });

  test('a machine that is well has no cause', () => {
    const well = evidenceOf({
      ...kubelet('I1115 08:00:00 kubelet_node_status.go:76] "Successfully registered node" node="edge-01"'),
      node: { ready: true },
      arcStatus: 'Connected',
      versions: { kubelet: '1.32.7', server: 'v1.33.1' },
      restarts: 0,
    });
    expect(explain(well)).toEqual([]);
  });

  test('a disconnected Arc agent explains the failing helper, which is not reported in addition', () => {
    const evidence = evidenceOf({
      ...kubelet(
        'E1115 err="getting credentials: exec: executable /var/lib/kubelet/token.sh failed with exit code 1"\nE1115 err="Unauthorized"',
      ),
      arcStatus: 'Expired',
      node: null,
      restarts: 3,
    });
    expect(explain(evidence).map(({ id }) => id)).toEqual(['flex.arc-disconnected']);
  });

  test('a rejected label is not reported as missing permissions', () => {
    const evidence = evidenceOf(
      kubelet(
        'E1115 err="nodes "edge-01" is forbidden: is not allowed to modify labels: a"\nE1115 err="leases is forbidden: User "u" cannot get resource "leases" in API group"',
      ),
    );
    expect(explain(evidence).map(({ id }) => id)).toEqual(['flex.label-refused']);
  });

  test('the page lists every row', () => {
    const page = renderFlexCausesDoc();
    for (const { causes } of FLEX_CAUSES) for (const { id } of causes) expect(page).toContain(`### ${id}: `);
  });
});
