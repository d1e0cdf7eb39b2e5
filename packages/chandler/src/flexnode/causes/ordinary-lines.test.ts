import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import { fakeContext } from '../kubelet/step-context.fixture.ts';
import { evidenceOf, type FlexEvidence } from './evidence.ts';
import { gatherEvidence } from './gather.ts';
import { explain } from './table.ts';

const CLUSTER = { name: 'harbour', group: 'rg-harbour', host: 'harbour.hcp.azmk8s.io' };

const kubelet = (log: string): Partial<FlexEvidence> => ({ logs: { kubelet: log, containerd: '' } });
const idsOf = (evidence: Partial<FlexEvidence>) =>
  explain(evidenceOf({ nodeName: 'edge-01', cluster: CLUSTER, ...evidence })).map(({ id }) => id);

/** A kubelet with --v=2 prints these whenever it starts. */
const START_OF_KUBELET = `
I1116 08:00:01.101 812 server.go:491] "Kubelet version" kubeletVersion="v1.32.7"
I1116 08:00:01.102 812 server.go:493] "Golang settings" GOGC="" GOMAXPROCS="" GOTRACEBACK=""
I1116 08:00:01.131 812 dynamic_cafile_content.go:161] "Starting controller" name="client-ca-bundle::/etc/kubernetes/certs/apiserver-client-ca.crt"
I1116 08:00:01.141 812 server.go:753] "--cgroups-per-qos enabled, but --cgroup-root was not specified.  Defaulting to /"
I1116 08:00:01.142 812 swap_util.go:113] "Swap is on" /proc/swaps contents="Filename\\t\\t\\t\\tType\\t\\tSize\\t\\tUsed\\t\\tPriority"
I1116 08:00:01.151 812 container_manager_linux.go:268] "Creating Container Manager object based on Node Config" nodeConfig={"NodeName":"edge-01","HardEvictionThresholds":[{"Signal":"nodefs.available","Operator":"LessThan","Value":{"Quantity":null,"Percentage":0.1}},{"Signal":"imagefs.inodesFree"}],"CgroupDriver":"systemd"}
I1116 08:00:01.161 812 kubelet.go:446] "Attempting to sync node with API server"
I1116 08:00:01.162 812 kuberuntime_manager.go:270] "Container runtime initialized" containerRuntime="containerd" version="1.7.20" apiVersion="v1"
I1116 08:00:01.171 812 server.go:1287] "Started kubelet"
I1116 08:00:01.172 812 server.go:180] "Starting to listen" address="0.0.0.0" port=10250
I1116 08:00:01.181 812 volume_manager.go:297] "Starting Kubelet Volume Manager"
E1116 08:00:01.182 812 kubelet.go:1555] "Image garbage collection failed once. Stats initialization may not have completed yet" err="failed to get imageFs info: unable to find data in memory cache"
I1116 08:00:01.191 812 kubelet.go:2321] "Starting kubelet main sync loop"
E1116 08:00:01.192 812 kubelet.go:2345] "Skipping pod synchronization" err="[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]"
E1116 08:00:01.193 812 kubelet_node_status.go:466] "Error getting the current node from lister" err="node \\"edge-01\\" not found"
I1116 08:00:01.194 812 eviction_manager.go:188] "Eviction manager: starting control loop"
I1116 08:00:01.195 812 kubelet_node_status.go:687] "Recording event message for node" node="edge-01" event="NodeHasSufficientMemory"
I1116 08:00:01.196 812 kubelet_node_status.go:687] "Recording event message for node" node="edge-01" event="NodeHasNoDiskPressure"
I1116 08:00:01.197 812 kubelet_node_status.go:687] "Recording event message for node" node="edge-01" event="NodeHasSufficientPID"
I1116 08:00:01.198 812 kubelet_node_status.go:75] "Attempting to register node" node="edge-01"
I1116 08:00:01.221 812 kubelet_node_status.go:78] "Successfully registered node" node="edge-01"
I1116 08:00:01.222 812 setters.go:602] "Node became not ready" node="edge-01" condition={"type":"Ready","status":"False","reason":"KubeletNotReady","message":"container runtime status check may not have completed yet"}
I1116 08:00:01.301 812 kubelet_node_status.go:502] "Fast updating node status as it just became ready"
I1116 08:00:01.302 812 reflector.go:376] Caches populated for *v1.Node from k8s.io/client-go/informers/factory.go:160
`;

const START_OF_CONTAINERD = `
time="2026-11-16T08:00:00Z" level=info msg="starting containerd" revision=8fc6bcff51318944179630522a095cc9dbf9f353 version=1.7.20
time="2026-11-16T08:00:00Z" level=info msg="skip loading plugin \\"io.containerd.snapshotter.v1.btrfs\\"..." error="path /var/lib/containerd/io.containerd.snapshotter.v1.btrfs (ext4) must be a btrfs filesystem to be used with the btrfs snapshotter: skip plugin"
time="2026-11-16T08:00:00Z" level=info msg="loading plugin \\"io.containerd.grpc.v1.cri\\"..." type=io.containerd.grpc.v1
time="2026-11-16T08:00:00Z" level=info msg="Start cri plugin with config {PluginConfig:{SystemdCgroup:true MaxConcurrentDownloads:3 StateDir:/run/containerd/io.containerd.grpc.v1.cri}"
time="2026-11-16T08:00:00Z" level=info msg="Connect containerd service"
time="2026-11-16T08:00:00Z" level=info msg="Start recovering state"
time="2026-11-16T08:00:00Z" level=info msg="containerd successfully booted in 0.042s"
`;

/** Failures of pods, images and probes, which are no cause for a Node that is not Ready. */
const ABOUT_PODS: readonly [what: string, line: string][] = [
  [
    'a ConfigMap before the pod is known to the authorizer',
    `E1116 reflector.go:166] "Unhandled Error" err="object-\\"default\\"/\\"kube-root-ca.crt\\": Failed to watch *v1.ConfigMap: failed to list *v1.ConfigMap: configmaps \\"kube-root-ca.crt\\" is forbidden: User \\"system:node:edge-01\\" cannot list resource \\"configmaps\\" in API group \\"\\" in the namespace \\"default\\": no relationship found between node 'edge-01' and this object"`,
  ],
  [
    'a readiness probe that is refused',
    'I1116 prober.go:107] "Probe failed" probeType="Readiness" pod="kube-system/coredns-1" podUID="1f0c" containerName="coredns" probeResult="failure" output="Get \\"http://10.244.0.5:8181/ready\\": dial tcp 10.244.0.5:8181: connect: connection refused"',
  ],
  [
    'a probe of a TCP port that is refused',
    'I1116 prober.go:107] "Probe failed" probeType="Liveness" pod="shop/db-0" podUID="1f0d" containerName="db" probeResult="failure" output="dial tcp 10.244.0.6:5432: connect: connection refused"',
  ],
  [
    'a patch of the status of a probe without the name of the pod',
    'I1116 prober.go:120] output="Get \\"http://10.244.0.5:8181/ready\\": dial tcp 10.244.0.5:8181: connect: connection refused"',
  ],
  [
    'a probe that times out',
    'I1116 prober.go:107] "Probe failed" probeType="Readiness" pod="shop/web-1" podUID="1f0e" containerName="web" probeResult="failure" output="Get \\"http://10.244.0.7:8080/healthz\\": context deadline exceeded (Client.Timeout exceeded while awaiting headers)"',
  ],
  [
    'an image of a private registry',
    'E1116 log.go:32] "PullImage from image service failed" err="rpc error: code = Unknown desc = failed to pull and unpack image \\"registry.example/shop/web:1\\": failed to resolve reference: failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://registry.example/token: 401 Unauthorized" image="registry.example/shop/web:1"',
  ],
  [
    'the same of the worker of the pod',
    'E1116 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"web\\" with ErrImagePull: \\"failed to authorize: unexpected status: 401 Unauthorized\\"" pod="shop/web-1" podUID="1f0e"',
  ],
  [
    'a registry whose name cannot be resolved',
    'E1116 log.go:32] "PullImage from image service failed" err="failed to do request: Head \\"https://registry.example/v2/web/manifests/1\\": dial tcp: lookup registry.example on 127.0.0.53:53: no such host" image="registry.example/web:1"',
  ],
  [
    'a registry with a certificate of its own CA',
    'E1116 log.go:32] "PullImage from image service failed" err="failed to do request: Head \\"https://registry.example/v2/web/manifests/1\\": tls: failed to verify certificate: x509: certificate signed by unknown authority" image="registry.example/web:1"',
  ],
  [
    'a registry with an expired certificate',
    'E1116 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"web\\" with ErrImagePull: \\"x509: certificate has expired or is not yet valid: current time 2026-11-16T08:00:00Z is after 2026-01-01T00:00:00Z\\"" pod="shop/web-1"',
  ],
  [
    'a command that the image does not contain',
    'E1116 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"web\\" with RunContainerError: \\"failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: exec: \\"/srv/web\\": stat /srv/web: no such file or directory: unknown\\"" pod="shop/web-1"',
  ],
  [
    'too many inotify watches, which are not disk space',
    'E1116 watcher.go:50] "Failed to watch" err="inotify_add_watch /sys/fs/cgroup/kubepods.slice: no space left on device"',
  ],
];

describe('lines that explain nothing', () => {
  test('a normal start of kubelet and containerd has no cause', () => {
    expect(idsOf({ logs: { kubelet: START_OF_KUBELET, containerd: START_OF_CONTAINERD } })).toEqual([]);
  });

  test.each([
    'I1116 kubelet_node_status.go:687] "Recording event message for node" node="edge-01" event="NodeHasDiskPressure"',
    'I1116 eviction_manager.go:383] "Eviction manager: attempting to reclaim" resourceName="ephemeral-storage"',
  ])('disk pressure is recognised after a normal start: %s', (line) => {
    expect(idsOf(kubelet(`${START_OF_KUBELET}${line}\n`))).toEqual(['flex.disk-full']);
  });

  test.each(ABOUT_PODS)('%s is no cause', (_, line) => {
    expect(idsOf(kubelet(line))).toEqual([]);
  });

  test.each(ABOUT_PODS.slice(5, 11))('%s is no cause in the journal of containerd either', (_, line) => {
    expect(idsOf({ logs: { kubelet: '', containerd: line } })).toEqual([]);
  });

  test('an earlier failure to reach the API server is found before later lines about pods', () => {
    const failure = `E1116 controller.go:145] "Failed to ensure lease exists, will retry" err="Get \\"https://${CLUSTER.host}:443/apis/coordination.k8s.io/v1/leases/edge-01\\": dial tcp 20.1.2.3:443: connect: connection refused" interval="7s"`;
    const log = [failure, ...ABOUT_PODS.map(([, line]) => line)].join('\n');
    const [cause] = explain(evidenceOf({ nodeName: 'edge-01', cluster: CLUSTER, ...kubelet(log) }));
    expect(cause?.summary).toBe('A connection to 20.1.2.3:443 was refused.');
  });
});

describe('a containerd that was restarted', () => {
  const refused =
    'E1116 remote_runtime.go:1] "Status from runtime service failed" err="rpc error: dial unix /run/containerd/containerd.sock: connect: connection refused"';
  const later = `E1116 reflector.go:1] "Failed to watch" err="Get \\"https://${CLUSTER.host}:443/api/v1/nodes\\": dial tcp 20.1.2.3:443: i/o timeout"`;

  test('is no cause once it responds', () => {
    const seen = kubelet([refused, later].join('\n'));
    expect(idsOf({ ...seen, containerdStable: true })).toEqual(['flex.timeout']);
    expect(idsOf({ ...seen, containerdStable: false })[0]).toBe('flex.cri-silent');
    expect(idsOf(seen)[0]).toBe('flex.cri-silent');
  });

  test.each<[string, (machine: FolderMachine) => void, string, boolean]>([
    ['by us', () => undefined, '0', true],
    ['by systemd, after crashes', () => undefined, '3', false],
    ['and does not run', (machine) => machine.systemd.active.delete('containerd.service'), '0', false],
  ])('is judged by its state: %s', async (_, change, restarts, expected) => {
    const machine = createFolderMachine();
    try {
      expect((await machine.bootstrap()).error).toBeUndefined();
      change(machine);
      const { world, host, config } = await machine.parts();
      const run: typeof host.run = async (command) =>
        command.argv.includes('--property=NRestarts') && command.argv.includes('containerd.service')
          ? { exitCode: 0, stdout: restarts, stderr: '' }
          : host.run(command);
      const evidence = await gatherEvidence({ world, host: { ...host, run }, config, facts: new Map() });
      expect(evidence.containerdStable).toBe(expected);
    } finally {
      machine.dispose();
    }
  });
});

describe('an Arc agent that is not connected', () => {
  const log = `E1116 reflector.go:1] "Failed to watch" err="Get \\"https://${CLUSTER.host}:443/api/v1/nodes\\": dial tcp 20.1.2.3:443: i/o timeout"`;

  test('is no cause if the node authenticates with a certificate', () => {
    const offline = { ...kubelet(log), arcStatus: 'Disconnected' };
    expect(idsOf({ ...offline, usesCertificate: true })).toEqual(['flex.timeout']);
    expect(idsOf({ ...offline, usesCertificate: false })).toEqual(['flex.arc-disconnected', 'flex.timeout']);
  });

  test.each([
    ['a service that does not respond', { failure: { code: 'himds.unreachable', message: 'refused' } }],
    ['a line about the service', kubelet('E1116 Get "http://127.0.0.1:40342/": connect: connection refused')],
    ['a helper that fails', kubelet('E1116 exec: executable /opt/token.sh failed with exit code 1')],
  ])('%s is no cause either', (_, arc) => {
    expect(idsOf({ ...arc, usesCertificate: false })[0]).toMatch(/^flex\.(himds-silent|token-helper)$/);
    const ids = idsOf({ ...arc, usesCertificate: true });
    expect(ids).not.toContain('flex.himds-silent');
    expect(ids).not.toContain('flex.token-helper');
  });

  test.each([
    ['with a certificate', true, true],
    ['with a certificate that it does not have yet', true, false],
    ['with the Arc token, beside an old certificate', false, true],
  ])('is judged by how the node authenticates: %s', async (_, tlsBootstrap, hasCertificate) => {
    const machine = createFolderMachine();
    try {
      expect((await machine.bootstrap()).error).toBeUndefined();
      const { world, host } = await machine.parts();
      const config = await machine.configOf({ security: { tlsBootstrap } });
      if (!hasCertificate) rmSync(`${machine.root}/var/lib/kubelet/pki`, { recursive: true });
      const evidence = await gatherEvidence({ world, host, config, facts: new Map() });
      expect(evidence.usesCertificate).toBe(tlsBootstrap && hasCertificate);
    } finally {
      machine.dispose();
    }
  });
});

describe('commands of causes', () => {
  test('name the cluster of the config', async () => {
    const line =
      'E1116 kubelet_node_status.go:107] "Unable to register node with API server" err="Unauthorized" node="edge-01"';
    const context = fakeContext({ commands: { 'journalctl -u kubelet': { stdout: `${line}\n` } } });
    const config = sampleConfig();
    const { name, resourceGroup } = config.azure.targetCluster;
    const evidence = await gatherEvidence({
      world: context.world,
      host: context.host,
      config,
      facts: context.facts,
    });
    const [cause] = explain(evidence);
    expect(cause?.commands).toContain(`az aks show -g ${resourceGroup} -n ${name} --query aadProfile`);
    for (const text of [...(cause?.commands ?? []), cause?.fix]) expect(text).not.toMatch(/\{\w+\}/);
  });
});
