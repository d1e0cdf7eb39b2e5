/**
 * Stops the pods of a node during unbootstrap. Shims outlive containerd and hold mounts, so their tasks are deleted while
 * containerd is running; then systemd stops the remaining processes in the cgroups of pods. Only containers in the
 * namespace of the kubelet are stopped, those of an earlier runtime are kept, and no process is stopped by its name.
 */
import type { CommandResult, Host } from '../host/host.ts';
import type { Facts, Leftover, StepContext } from '../step.ts';
import { systemctl, unitState } from '../steps/services.ts';
import { CONTAINERD_SOCKET } from './paths.ts';

/**
 * What the runtime has before the first pod of this node: containers and images of an earlier runtime, which stay. Call it
 * when containerd runs and the kubelet does not.
 */
export async function noteRuntime(host: Host, facts: Facts): Promise<void> {
  if (facts.get(BEFORE.containers) !== undefined) return;
  const [containers, images] = [await idsOf(host, 'containers'), await idsOf(host, 'images')];
  await facts.set(BEFORE.containers, JSON.stringify(containers));
  await facts.set(BEFORE.images, JSON.stringify(images));
}

export async function stopPods(context: StepContext): Promise<readonly Leftover[]> {
  const { host, facts, say } = context;
  // A runtime that existed before bootstrap may have containers and images of its own.
  if (hasForeign(facts)) return await removeOwn(context);
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
  return remainingPods(host);
}

export async function remainingPods(
  host: Host,
  foreign: readonly string[] = [],
): Promise<readonly Leftover[]> {
  return (await host.list(TASKS))
    .filter((id) => !foreign.includes(id))
    .map((id) => ({
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

const BEFORE = { containers: 'runtime.containers-before', images: 'runtime.images-before' } as const;

function hasForeign(facts: Facts): boolean {
  if (facts.get('services.containerd.active-before') === 'true') return true;
  return Object.values(BEFORE).some((fact) => (facts.get(fact) ?? '[]') !== '[]');
}

/** Containers and images in the namespace of the kubelet that were not there before the first pod. */
async function removeOwn({ host, facts, say }: StepContext): Promise<readonly Leftover[]> {
  const known = (fact: string) => new Set(JSON.parse(facts.get(fact) ?? '[]') as readonly string[]);
  // Bootstrapped by a version that did not note them: nothing can be told apart.
  if (facts.get(BEFORE.containers) === undefined) return [];
  const before = { containers: known(BEFORE.containers), images: known(BEFORE.images) };
  const containers = (await idsOf(host, 'containers')).filter((id) => !before.containers.has(id));
  if (containers.length > 0) say(`stopping ${containers.length} containers`);
  for (const id of containers) {
    await ctr(host, 'tasks', 'delete', '--force', id);
    await ctr(host, 'containers', 'delete', id);
  }
  for (const image of (await idsOf(host, 'images')).filter((name) => !before.images.has(name)))
    await ctr(host, 'images', 'remove', image);
  const left = await remainingPods(host, [...before.containers]);
  if (left.length === 0) for (const fact of Object.values(BEFORE)) await facts.delete(fact);
  return left;
}

/** Names as `ctr` prints them, in the namespace of the kubelet. */
async function idsOf(host: Host, kind: 'containers' | 'images'): Promise<readonly string[]> {
  const { exitCode, stdout } = await host.run({
    argv: [
      '/usr/local/bin/ctr',
      '--address',
      CONTAINERD_SOCKET,
      '--namespace',
      'k8s.io',
      kind,
      'list',
      '--quiet',
    ],
    changes: false,
    timeoutMs: 30_000,
  });
  return exitCode === 0 ? stdout.split('\n').filter((line) => line !== '') : [];
}

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
