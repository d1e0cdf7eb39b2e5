/** Causes about the container runtime: containerd, cgroups, the pod network, the pause image; and generic causes. */
import { type FlexCause, logRow, stateRow } from '../cause.ts';

export const RUNTIME: readonly FlexCause[] = [
  logRow({
    id: 'flex.cgroup-driver',
    specificity: 'exact',
    title: 'Kubelet and containerd use different cgroup drivers',
    symptom:
      'The journal contains "expected cgroupsPath to be of format "slice:prefix:name"" or reports different cgroup drivers.',
    summary:
      'The kubelet and containerd use different cgroup drivers; only one of them uses systemd: {problem}',
    fix: 'Both use systemd by default. Check SystemdCgroup in containerd.extraConfig and cgroupDriver in node.kubelet.extraConfig: both must name the same driver.',
    confirm: [
      'grep SystemdCgroup /etc/containerd/config.toml',
      'grep cgroupDriver /var/lib/kubelet/config.yaml',
    ],
    pattern:
      /expected cgroupsPath to be of format|is different from (?:docker|runtime|container runtime) cgroup driver/i,
  }),
  logRow({
    id: 'flex.pause-image',
    specificity: 'exact',
    title: 'The pause image cannot be pulled',
    symptom: 'The journal contains "failed to get sandbox image".',
    summary: 'containerd cannot pull the pause image {image}.',
    fix: 'Allow connections to the registry, directly or through the configured proxy. Or set containerd.pauseImage to an image in a registry that the machine can reach.',
    confirm: ['ctr -n k8s.io images pull {image}'],
    pattern:
      /failed to (?:get|pull) sandbox image "([^"]{1,250})"|failed to pull image "([^"]{1,200}pause[^"]{0,60})"/,
    groups: ['image', 'image'],
  }),
  logRow({
    id: 'flex.cni-plugin-missing',
    specificity: 'exact',
    title: 'A CNI plugin is missing',
    symptom: 'The journal contains "failed to find plugin in path".',
    summary: 'The CNI configuration uses the plugin {plugin}, but it is not in {path}.',
    fix: 'Run bootstrap again with `--only cni,start-services`. If the plugin belongs to the network of the cluster, the DaemonSet of that network installs it.',
    confirm: ['ls -l {path}', 'ls /etc/cni/net.d'],
    pattern: /failed to find plugin "([^"]{1,60})" in path \[([^\]]{1,200})\]/,
    groups: ['plugin', 'path'],
  }),
  logRow({
    id: 'flex.cni-not-ready',
    specificity: 'particular',
    title: 'The pod network is not configured',
    symptom: 'The node is NotReady: cni plugin not initialized.',
    summary: 'No CNI configuration is found: {problem}',
    fix: 'Check the files in /etc/cni/net.d. If the network plugin of the cluster is a DaemonSet (Cilium, Azure CNI overlay), its pods must run on this node: check whether they tolerate the taints of the node.',
    confirm: [
      'ls -l /etc/cni/net.d /opt/cni/bin',
      'kubectl -n kube-system get pods --field-selector spec.nodeName={node} -o wide',
    ],
    pattern:
      /cni plugin not initialized|NetworkPluginNotReady|no networks? (?:found|config found) in \S{1,100}/i,
    alsoInMessages: true,
    explainedBy: ['flex.cni-plugin-missing', 'flex.bridge-module'],
  }),
  logRow({
    id: 'flex.cri-silent',
    specificity: 'exact',
    title: 'The kubelet cannot connect to containerd',
    symptom:
      'The journal contains "validate service connection" or "unknown service runtime.v1.RuntimeService", and containerd does not respond or was restarted by systemd.',
    summary: 'containerd does not respond, or its CRI plugin is disabled: {problem}',
    fix: 'Check containerd (systemctl status containerd). If /etc/containerd/config.toml disables the plugin "cri", as the Docker packages do, run bootstrap again with `--only containerd,start-services`.',
    confirm: ['ctr plugins ls | grep cri', 'grep disabled_plugins /etc/containerd/config.toml'],
    pattern:
      /validate service connection|unknown service runtime\.v1\.RuntimeService|containerd\.sock: connect: (?:connection refused|no such file)|failed to load plugin.*cri/i,
    ofRuntime: true,
    alsoInMessages: true,
    explainedBy: ['flex.port-in-use', 'flex.disk-full'],
  }),
  logRow({
    id: 'flex.runc',
    specificity: 'exact',
    title: 'Containers cannot be started',
    symptom: 'The journal contains "OCI runtime create failed".',
    summary: 'runc cannot start a container: {problem}',
    fix: 'The message of runc says what failed. Common causes are an old kernel, a missing cgroup controller or a damaged runc. Bootstrap with `--only runc,start-services` installs runc again.',
    confirm: ['runc --version', 'cat /sys/fs/cgroup/cgroup.controllers'],
    pattern: /OCI runtime create failed|failed to create containerd task/i,
    // The image of a pod does not contain the command of the pod.
    except: /unable to start container process:.*\bexec: "/,
    explainedBy: ['flex.cgroup-driver', 'flex.selinux', 'flex.disk-full'],
  }),
  stateRow(
    {
      id: 'flex.kubelet-restarts',
      specificity: 'general',
      title: 'The kubelet restarts repeatedly',
      symptom: 'systemd has restarted the kubelet several times.',
      summary: 'systemd restarted the kubelet {restarts} times.',
      fix: 'Read the last lines of the journal of the kubelet.',
      confirm: ['journalctl -u kubelet -n 100 --no-pager'],
    },
    ({ restarts }) =>
      restarts === undefined || restarts < 2
        ? undefined
        : {
            where: 'systemctl show kubelet',
            what: `NRestarts=${restarts}`,
            facts: { restarts: String(restarts) },
          },
  ),
  stateRow(
    {
      id: 'flex.never-registered',
      specificity: 'general',
      title: 'The node has not registered',
      symptom: 'The API server has no Node with this name.',
      summary: 'The kubelet is running, but the API server has no Node {node}.',
      fix: 'Check the journal of the kubelet for errors about the API server.',
      confirm: ['journalctl -u kubelet -n 100 --no-pager', 'chandler-flexnode debug'],
    },
    ({ node, nodeName }) =>
      node === null ? { where: 'API server', what: `nodes "${nodeName}" not found` } : undefined,
  ),
  stateRow(
    {
      id: 'flex.not-ready',
      specificity: 'general',
      title: 'The node is not ready',
      symptom: 'The Ready condition of the Node is not True.',
      summary: 'The Node {node} is not Ready. {reason}: {message}',
      fix: 'Resolve the problem in the message.',
      confirm: ['kubectl describe node {node}'],
    },
    ({ node }) =>
      node === undefined || node === null || node.ready
        ? undefined
        : {
            where: 'condition Ready',
            what: `${node.reason ?? 'no reason'}: ${node.message ?? 'no message'}`,
            facts: { reason: node.reason ?? 'no reason', message: node.message ?? 'no message' },
          },
  ),
];
