/** Between kubelet and containers: containerd, control groups, the pod network, the pause image; and rows that only say where. */
import { type FlexCause, logRow, stateRow } from '../cause.ts';

export const RUNTIME: readonly FlexCause[] = [
  logRow({
    id: 'flex.cgroup-driver',
    specificity: 'exact',
    title: 'Kubelet and containerd use different cgroup drivers',
    symptom:
      'expected cgroupsPath to be of format "slice:prefix:name", or a word about a cgroup driver that differs.',
    summary: 'One of them uses systemd for control groups and the other does not: {problem}',
    fix: 'Both are systemd by default. Look at SystemdCgroup in containerd.extraConfig and cgroupDriver in node.kubelet.extraConfig: they must agree.',
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
    title: 'The image that holds a pod together cannot be pulled',
    symptom: 'failed to get sandbox image.',
    summary: 'containerd cannot pull the pause image {image}.',
    fix: 'Let the machine reach the registry (through the proxy of the config, if there is one), or name an image of a registry that it reaches: containerd.pauseImage.',
    confirm: ['ctr -n k8s.io images pull {image}'],
    pattern:
      /failed to (?:get|pull) sandbox image "([^"]{1,250})"|failed to pull image "([^"]{1,200}pause[^"]{0,60})"/,
    groups: ['image', 'image'],
  }),
  logRow({
    id: 'flex.cni-plugin-missing',
    specificity: 'exact',
    title: 'A program of the pod network is missing',
    symptom: 'failed to find plugin in path.',
    summary: 'The pod network names the plugin {plugin}, and it is not in {path}.',
    fix: "Run bootstrap again with `--only cni,start-services`; a plugin of the cluster's own network comes with its DaemonSet.",
    confirm: ['ls -l {path}', 'ls /etc/cni/net.d'],
    pattern: /failed to find plugin "([^"]{1,60})" in path \[([^\]]{1,200})\]/,
    groups: ['plugin', 'path'],
  }),
  logRow({
    id: 'flex.cni-not-ready',
    specificity: 'particular',
    title: 'There is no pod network',
    symptom: 'The node is NotReady: cni plugin not initialized.',
    summary: 'No network for pods is configured: {problem}',
    fix: "Look at the files in /etc/cni/net.d. Where the cluster brings its own network (Cilium, Azure CNI overlay), its DaemonSet must run on this node: look at its pods and whether they tolerate the node's taints.",
    confirm: [
      'ls -l /etc/cni/net.d /opt/cni/bin',
      'kubectl -n kube-system get pods --field-selector spec.nodeName={node} -o wide',
    ],
    pattern:
      /cni plugin not initialized|NetworkPluginNotReady|no networks? (?:found|config found) in \S{1,100}/i,
    alsoInWords: true,
    explainedBy: ['flex.cni-plugin-missing', 'flex.bridge-module'],
  }),
  logRow({
    id: 'flex.cri-silent',
    specificity: 'exact',
    title: 'containerd does not speak to the kubelet',
    symptom: 'validate service connection, or unknown service runtime.v1.RuntimeService.',
    summary: 'The kubelet gets no answer from containerd, or one without the part for Kubernetes: {problem}',
    fix: 'Look at containerd (systemctl status containerd). If /etc/containerd/config.toml disables the plugin "cri", as packages of Docker do, run bootstrap again with `--only containerd,start-services`.',
    confirm: ['ctr plugins ls | grep cri', 'grep disabled_plugins /etc/containerd/config.toml'],
    pattern:
      /validate service connection|unknown service runtime\.v1\.RuntimeService|containerd\.sock: connect: (?:connection refused|no such file)|failed to load plugin.*cri/i,
    alsoInWords: true,
    explainedBy: ['flex.port-in-use', 'flex.disk-full'],
  }),
  logRow({
    id: 'flex.runc',
    specificity: 'exact',
    title: 'Containers cannot be started',
    symptom: 'OCI runtime create failed.',
    summary: 'runc refuses to start a container: {problem}',
    fix: 'Look at the line: an old kernel, a missing cgroup controller or a damaged runc are the usual ones. `--only runc,start-services` installs runc anew.',
    confirm: ['runc --version', 'cat /sys/fs/cgroup/cgroup.controllers'],
    pattern: /OCI runtime create failed|failed to create containerd task/i,
    explainedBy: ['flex.cgroup-driver', 'flex.selinux', 'flex.disk-full'],
  }),
  stateRow(
    {
      id: 'flex.kubelet-restarts',
      specificity: 'general',
      title: 'The kubelet ends again and again',
      symptom: 'systemd has restarted the kubelet several times.',
      summary: 'The kubelet was started again {restarts} times and does not stay.',
      fix: 'The last lines of its journal say why.',
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
      symptom: 'The API server has no Node of this name.',
      summary: 'The kubelet runs, and the API server has no Node {node}.',
      fix: 'Look at the journal of the kubelet for what it says about the API server.',
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
      summary: 'The Node {node} says {reason}: {message}',
      fix: 'The message names the part that is missing.',
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
