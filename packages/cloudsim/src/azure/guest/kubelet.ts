/**
 * The kubelet of a VM that was provisioned: it authenticates with its token, registers its Node, is
 * initialized by the cloud, and fails as a fault says. Heartbeats and pods are the node host's.
 */
import type { NodeRegistration } from '../../node-host.ts';
import {
  describeNode,
  initializeNode,
  type NodeProblem,
  PREEMPTION,
  reportProblem,
  UNHEALTHY,
} from './cloud-node.ts';
import type { GuestFault } from './guest-faults.ts';
import { KubeletExit } from './kubelet-config.ts';
import { type NodePlan, planNode } from './node-plan.ts';
import { kernelLine, kubeletLine, systemdLine } from './serial-log.ts';
import { SHARES, type VmRuntime } from './vm-runtime.ts';

export class Kubelet {
  /** Nodes that it has registered. */
  readonly nodes: string[] = [];
  readonly #runtime: VmRuntime;
  readonly #fault: GuestFault;
  #refusals = 0;

  constructor(runtime: VmRuntime, fault: GuestFault) {
    this.#runtime = runtime;
    this.#fault = fault;
  }

  /** Undefined: there is no kubelet on the disk. */
  start(environment: ReadonlyMap<string, string>, kubeletVersion: string | undefined): void {
    if (kubeletVersion === undefined) {
      this.#runtime.writeSerial((tty) => systemdLine(tty, NO_BINARY));
      return;
    }
    const { parts, vm, bootMs } = this.#runtime;
    try {
      const size = parts.sizeOf(vm);
      const plan = planNode({ environment, vm, size, cluster: parts.cluster, kubeletVersion });
      if (this.#fault.node === 'never') return;
      const delayMs = bootMs * SHARES.register + (this.#fault.lateMs ?? 0);
      this.#runtime.after(delayMs, () => this.#register(plan));
    } catch (error) {
      if (!(error instanceof KubeletExit)) throw error;
      this.#exits(error.message);
    }
  }

  stop(): void {
    for (const name of this.nodes) this.#runtime.parts.nodeHost.stopKubelet(name);
  }

  async resume(): Promise<void> {
    for (const name of this.nodes) await this.#runtime.parts.nodeHost.resumeKubelet(name);
  }

  #register(plan: NodePlan): void {
    const { parts } = this.#runtime;
    this.#runtime.run(async () => {
      if (!(await parts.isGoodToken(plan.token))) return this.#refused(plan, UNAUTHORIZED);
      for (const node of this.#nodesOf(plan)) {
        if (this.#runtime.ended) return;
        try {
          await parts.nodeHost.startKubelet(node);
        } catch (error) {
          return this.#refused(plan, `Unable to register node with API server: ${String(error)}`);
        }
        if (!this.nodes.includes(node.name)) this.nodes.push(node.name);
        if (this.#runtime.ended) return this.stop();
        await this.#registered(plan, node.name);
      }
      this.#planLater();
    });
  }

  #nodesOf({ node }: NodePlan): readonly NodeRegistration[] {
    const { node: fault } = this.#fault;
    const readyAfterMs = fault === 'not-ready' ? NEVER_MS : this.#runtime.bootMs * SHARES.ready;
    const first = { ...node, readyAfterMs, ...(fault === 'unlabelled' ? { labels: {} } : {}) };
    return fault === 'twice' ? [first, { ...first, name: `${node.name}-2` }] : [first];
  }

  async #registered(plan: NodePlan, name: string): Promise<void> {
    const { parts, vm, bootMs } = this.#runtime;
    await describeNode(parts.client, name, vm);
    if (!plan.externalCloud) return;
    this.#runtime.after(bootMs * SHARES.initialize, () => {
      this.#runtime.run(() => initializeNode(parts.client, name, vm));
    });
  }

  /** It retries without limit, because systemd restarts it; the console shows only the first attempts. */
  #refused(plan: NodePlan, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= MAX_LOGGED_REFUSALS) this.#exits(message);
    this.#runtime.after(this.#runtime.parts.times.retryMs, () => this.#register(plan));
  }

  #exits(message: string): void {
    this.#runtime.writeSerial(
      (tty) => kubeletLine(tty, message),
      (tty) => systemdLine(tty, 'kubelet.service: Main process exited, code=exited, status=1/FAILURE'),
      (tty) => systemdLine(tty, "kubelet.service: Failed with result 'exit-code'."),
    );
  }

  #planLater(): void {
    const { later } = this.#fault;
    if (later === undefined) return;
    this.#runtime.after(this.#runtime.bootMs * SHARES.ready + later.afterMs, () => {
      if (later.what === 'panic') this.#panic();
      else if (later.what === 'unhealthy') this.#report(UNHEALTHY);
      else this.#evict();
    });
  }

  #evict(): void {
    const { parts, vm } = this.#runtime;
    this.#report(PREEMPTION);
    this.#runtime.after(parts.times.noticeMs, () => parts.control.evict(vm.id));
  }

  #report(problem: NodeProblem): void {
    const { parts } = this.#runtime;
    const [name] = this.nodes;
    if (name === undefined) return;
    this.#runtime.run(() => reportProblem(parts.client, name, problem, this.#runtime.now()));
  }

  #panic(): void {
    this.#runtime.dead = true;
    this.#runtime.writeSerial(
      (tty) => kernelLine(tty, 'Kernel panic - not syncing: Fatal exception in interrupt'),
      (tty) => kernelLine(tty, '---[ end Kernel panic - not syncing: Fatal exception in interrupt ]---'),
    );
    const status = {
      code: 'ProvisioningState/Unavailable',
      level: 'Warning',
      displayStatus: 'Not Ready',
      message: 'VM agent is unresponsive.',
    } as const;
    const { parts, vm } = this.#runtime;
    parts.control.setInstanceView(vm.id, { agent: { version: 'Unknown', status } });
    this.stop();
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_BINARY =
  'Kubelet was skipped because of an unmet condition check (ConditionPathExists=/opt/bin/kubelet).';
const MAX_LOGGED_REFUSALS = 5;
/** Longer than any run, and the maximum of a timer. */
const NEVER_MS = 2 ** 31 - 1;
const UNAUTHORIZED = 'failed to run Kubelet: cannot create certificate signing request: Unauthorized';
