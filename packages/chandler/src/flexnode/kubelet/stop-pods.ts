/**
 * Stops the pods of a node during unbootstrap. Shims outlive containerd and hold mounts, so their tasks are deleted while
 * containerd is running; then systemd stops the remaining processes in the cgroups of pods. Only containers in the
 * namespace of the kubelet are stopped, only if bootstrap installed containerd, and never by process name.
 */
import type { CommandResult, Host } from '../host/host.ts';
import type { Leftover, StepContext } from '../step.ts';
import { systemctl, unitState } from '../steps/services.ts';
import { CONTAINERD_SOCKET } from './paths.ts';

export async function stopPods(context: StepContext): Promise<readonly Leftover[]> {
  const { host, facts, say } = context;
  // A runtime that existed before bootstrap may run other containers.
  if (facts.get('services.containerd.active-before') === 'true') return [];
  const tasks = await host.list(TASKS);
  if (tasks.length > 0) {
    say(`stopping ${tasks.length} containers`);
    if (!(await unitState(host, 'containerd.service')).active)
      await systemctl(host, 'start', 'containerd.service');
    await politely(host);
    for (const id of (await host.list(TASKS)).filter((each) => ID.test(each))) {
      await ctr(host, 'tasks', 'delete', '--force', id);
      await ctr(host, 'containers', 'delete', id);
    }
  }
  return (await host.list(TASKS)).map((id) => ({
    what: `container ${id}`,
    why: 'it could not be stopped',
    finish: [`ctr --address ${CONTAINERD_SOCKET} --namespace k8s.io tasks delete --force ${id}`],
  }));
}

/** After kubelet and containerd have stopped: strays, and the control groups themselves. */
export async function stopStrayTasks(host: Host): Promise<void> {
  await host.run({ argv: ['systemctl', 'stop', 'kubepods.slice'], changes: true, timeoutMs: 120_000 });
}

// ---------------------------------------------------------------------------------------------------

/** One folder per running container, kept by the shim itself: true even while containerd is stopped. */
const TASKS = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,120}$/;

/** With crictl, pods are stopped as the kubelet stops them: the CNI plugins release their network, too. */
async function politely(host: Host): Promise<void> {
  const { exitCode } = await host.run({ argv: ['crictl', '--version'], changes: false });
  if (exitCode !== 0) return;
  await host.run({
    argv: ['crictl', '--runtime-endpoint', `unix://${CONTAINERD_SOCKET}`, 'rmp', '--all', '--force'],
    changes: true,
    timeoutMs: 120_000,
  });
}

function ctr(host: Host, ...words: readonly string[]): Promise<CommandResult> {
  return host.run({
    argv: ['/usr/local/bin/ctr', '--address', CONTAINERD_SOCKET, '--namespace', 'k8s.io', ...words],
    changes: true,
    timeoutMs: 30_000,
  });
}
