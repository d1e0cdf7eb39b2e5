/**
 * Stops the pods of a node during unbootstrap. Shims outlive containerd and hold mounts, so their tasks are deleted while
 * containerd is running; then systemd stops the remaining processes in the cgroups of pods. Only containers in the
 * namespace of the kubelet are stopped, those of an earlier runtime are kept, and no process is stopped by its name.
 */
import { FlexError } from '../flex-error.ts';
import type { CommandResult, Host } from '../host/host.ts';
import type { Facts, Leftover, StepContext } from '../step.ts';
import { runsWith, systemctl, unitState } from '../steps/services.ts';
import { CONTAINERD_SOCKET } from './paths.ts';
import { tryUnit } from './systemd.ts';

/**
 * What the runtime has before the first pod of this node: containers and images of an earlier runtime, which stay. Call it
 * when containerd runs and the kubelet does not. A list that fails is an error: taken for an empty one, unbootstrap would
 * delete what it lists.
 */
export async function noteRuntime(host: Host, facts: Facts): Promise<void> {
  if (isRuntimeNoted(facts)) return;
  const containers = await idsOf(host, 'containers');
  if (containers === undefined) throw listFailed('containers');
  const images = await idsOf(host, 'images');
  if (images === undefined) throw listFailed('images');
  // Containers last: this fact says that both are recorded.
  await facts.set(BEFORE.images, JSON.stringify(images));
  await facts.set(BEFORE.containers, JSON.stringify(containers));
}

export function isRuntimeNoted(facts: Pick<Facts, 'get'>): boolean {
  return facts.get(BEFORE.containers) !== undefined;
}

/** Whether a kubelet of this node was ever started; otherwise no container and no certificate is its own. */
export function hasKubeletRun(facts: Pick<Facts, 'get'>): boolean {
  return facts.get(runsWith('kubelet')) !== undefined || isRuntimeNoted(facts);
}

export async function forgetRuntime(facts: Facts): Promise<void> {
  await facts.delete(RUNTIME_IN_USE);
  await facts.delete(BEFORE.containers);
  await facts.delete(BEFORE.images);
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
  return remainingPods(host, facts);
}

export async function remainingPods(host: Host, facts: Pick<Facts, 'get'>): Promise<readonly Leftover[]> {
  const foreign = recorded(facts, BEFORE.containers);
  return (await host.list(TASKS))
    .filter((id) => !foreign.has(id))
    .map((id) => ({
      what: `container ${id}`,
      why: 'it could not be stopped',
      finish: [`ctr --address ${CONTAINERD_SOCKET} --namespace k8s.io tasks delete --force ${id}`],
    }));
}

/**
 * After kubelet and containerd have stopped: strays, and the control groups themselves. Every kubelet uses the same slice, so
 * it stays if pods of an earlier one may be in it.
 */
export async function stopStrayTasks(host: Host, facts: Pick<Facts, 'get'>): Promise<void> {
  if (facts.get('services.kubelet.active-before') === 'true') return;
  const known = isRuntimeNoted(facts) || facts.get('services.containerd.active-before') !== 'true';
  if (!known || recorded(facts, BEFORE.containers).size > 0) return;
  await host.run({ argv: ['systemctl', 'stop', 'kubepods.slice'], changes: true, timeoutMs: 120_000 });
}

/**
 * Why the data of containerd must stay: other namespaces than that of the kubelet have containers or images, for example
 * because Docker was installed after bootstrap. Recorded when containerd can still be asked, for each unbootstrap that follows.
 */
export const RUNTIME_IN_USE = 'runtime.in-use';

/** Call it first: until the namespaces were listed, they count as used, whatever fails in between. */
export async function assumeRuntimeInUse(host: Host, facts: Facts): Promise<void> {
  if ((await host.list(CONTAINERD_DATA)).length > 0)
    await facts.set(RUNTIME_IN_USE, 'the namespaces of containerd could not be listed, and may be in use');
}

/** Call it before containerd is stopped for good. */
export async function noteOtherNamespaces(host: Host, facts: Facts): Promise<void> {
  if (facts.get(RUNTIME_IN_USE) === undefined) return;
  const used = await otherNamespaces(host);
  if (used === undefined) return;
  if (used.length > 0)
    await facts.set(
      RUNTIME_IN_USE,
      `containerd has containers or images of others, in the namespace ${used.join(', ')}`,
    );
  else await facts.delete(RUNTIME_IN_USE);
}

// ---------------------------------------------------------------------------------------------------

const CONTAINERD_DATA = '/var/lib/containerd';

/** `undefined` if they cannot be listed. */
async function otherNamespaces(host: Host): Promise<readonly string[] | undefined> {
  if (!(await unitState(host, 'containerd.service')).active)
    await tryUnit(host, 'start', 'containerd.service');
  const all = await listed(host, [CTR, '--address', CONTAINERD_SOCKET, 'namespaces', 'list', '--quiet']);
  if (all === undefined) return undefined;
  const used: string[] = [];
  for (const namespace of all.filter((each) => each !== NAMESPACE)) {
    const lists = await Promise.all(
      (['containers', 'images'] as const).map((kind) => idsOf(host, kind, namespace)),
    );
    if (lists.includes(undefined)) return undefined;
    if (lists.some((ids) => ids !== undefined && ids.length > 0)) used.push(namespace);
  }
  return used;
}

/** One folder per running container, kept by the shim itself: true even while containerd is stopped. */
const TASKS = '/run/containerd/io.containerd.runtime.v2.task/k8s.io';
const ID = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,120}$/;

const BEFORE = { containers: 'runtime.containers-before', images: 'runtime.images-before' } as const;

function recorded(facts: Pick<Facts, 'get'>, fact: string): ReadonlySet<string> {
  return new Set(JSON.parse(facts.get(fact) ?? '[]') as readonly string[]);
}

function hasForeign(facts: Facts): boolean {
  if (facts.get('services.containerd.active-before') === 'true') return true;
  return Object.values(BEFORE).some((fact) => (facts.get(fact) ?? '[]') !== '[]');
}

/**
 * Containers and images in the namespace of the kubelet that were not there before the first pod. The facts are kept:
 * unbootstrap may have to run again.
 */
async function removeOwn({ host, facts, say }: StepContext): Promise<readonly Leftover[]> {
  // Bootstrapped by a version that did not note them: nothing can be told apart.
  if (!isRuntimeNoted(facts)) return [];
  const before = {
    containers: recorded(facts, BEFORE.containers),
    images: recorded(facts, BEFORE.images),
  };
  if (!(await unitState(host, 'containerd.service')).active)
    await tryUnit(host, 'start', 'containerd.service');
  const listed = await idsOf(host, 'containers');
  if (listed === undefined) return [unlisted('containers')];
  const containers = listed.filter((id) => !before.containers.has(id));
  if (containers.length > 0) say(`stopping ${containers.length} containers`);
  for (const id of containers) {
    await ctr(host, 'tasks', 'delete', '--force', id);
    await ctr(host, 'containers', 'delete', id);
  }
  const left = await remainingPods(host, facts);
  const images = await idsOf(host, 'images');
  if (images === undefined) return [...left, unlisted('images')];
  for (const image of images.filter((name) => !before.images.has(name)))
    await ctr(host, 'images', 'remove', image);
  return left;
}

const CTR = '/usr/local/bin/ctr';
const NAMESPACE = 'k8s.io';
const COMMAND = [CTR, '--address', CONTAINERD_SOCKET, '--namespace', NAMESPACE] as const;

type Kind = 'containers' | 'images';

function listFailed(kind: Kind): FlexError {
  return new FlexError({
    class: 'step',
    code: 'containerd.list-failed',
    message: `the ${kind} of containerd could not be listed, so unbootstrap could not keep them`,
    remedy: `Check \`${[...COMMAND, kind, 'list'].join(' ')}\`, then run bootstrap again.`,
    where: 'containerd.service',
  });
}

function unlisted(kind: Kind): Leftover {
  return {
    what: `${kind} of containerd`,
    why: `they could not be listed, so those of this node were not deleted`,
    finish: [[...COMMAND, kind, 'list'].join(' '), [...COMMAND, kind, 'delete', '<name>'].join(' ')],
  };
}

/** Names as `ctr` prints them, by default in the namespace of the kubelet; `undefined` if the list fails. */
function idsOf(host: Host, kind: Kind, namespace = NAMESPACE): Promise<readonly string[] | undefined> {
  const where = ['--address', CONTAINERD_SOCKET, '--namespace', namespace] as const;
  return listed(host, [CTR, ...where, kind, 'list', '--quiet']);
}

async function listed(
  host: Host,
  argv: readonly [string, ...string[]],
): Promise<readonly string[] | undefined> {
  const { exitCode, stdout } = await host.run({ argv, changes: false, timeoutMs: 120_000 });
  return exitCode === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined;
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
    argv: [...COMMAND, ...words],
    changes: true,
    timeoutMs: 30_000,
  });
}
