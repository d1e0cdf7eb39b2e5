/**
 * The kubelet of a machine that was provisioned: it signs in with its token, registers its Node, is told by the cloud who
 * it is, and gets into the trouble that a fault has for it. Heartbeats and pods are the stand-in's.
 */
import type { NodeRegistration } from '../../node-host.ts';
import { type Chassis, SHARES } from './chassis.ts';
import {
  describeNode,
  initializeNode,
  type NodeTrouble,
  PREEMPTION,
  reportTrouble,
  UNHEALTHY,
} from './cloud-node.ts';
import { KubeletExit } from './kubelet-config.ts';
import type { Trouble } from './machine-faults.ts';
import { type NodePlan, planNode } from './node-plan.ts';
import { kernelLine, kubeletLine, systemdLine } from './serial-log.ts';

export class Kubelet {
  /** Nodes that it has registered. */
  readonly nodes: string[] = [];
  readonly #chassis: Chassis;
  readonly #trouble: Trouble;
  #refusals = 0;

  constructor(chassis: Chassis, trouble: Trouble) {
    this.#chassis = chassis;
    this.#trouble = trouble;
  }

  /** Undefined: there is no kubelet on the disk. */
  start(environment: ReadonlyMap<string, string>, kubeletVersion: string | undefined): void {
    if (kubeletVersion === undefined) {
      this.#chassis.say((tty) => systemdLine(tty, NO_BINARY));
      return;
    }
    const { parts, vm, bootMs } = this.#chassis;
    try {
      const size = parts.sizeOf(vm);
      const plan = planNode({ environment, vm, size, cluster: parts.cluster, kubeletVersion });
      if (this.#trouble.node === 'never') return;
      const delayMs = bootMs * SHARES.register + (this.#trouble.lateMs ?? 0);
      this.#chassis.after(delayMs, () => this.#register(plan));
    } catch (error) {
      if (!(error instanceof KubeletExit)) throw error;
      this.#exits(error.message);
    }
  }

  dark(): void {
    for (const name of this.nodes) this.#chassis.parts.nodeHost.stopKubelet(name);
  }

  async light(): Promise<void> {
    for (const name of this.nodes) await this.#chassis.parts.nodeHost.resumeKubelet(name);
  }

  #register(plan: NodePlan): void {
    const { parts } = this.#chassis;
    this.#chassis.work(async () => {
      if (!(await parts.isGoodToken(plan.token))) return this.#refused(plan, UNAUTHORIZED);
      for (const node of this.#nodesOf(plan)) {
        if (this.#chassis.ended) return;
        try {
          await parts.nodeHost.startKubelet(node);
        } catch (error) {
          return this.#refused(plan, `Unable to register node with API server: ${String(error)}`);
        }
        if (!this.nodes.includes(node.name)) this.nodes.push(node.name);
        if (this.#chassis.ended) return this.dark();
        await this.#registered(plan, node.name);
      }
      this.#planLater();
    });
  }

  #nodesOf({ node }: NodePlan): readonly NodeRegistration[] {
    const { node: fault } = this.#trouble;
    const readyAfterMs = fault === 'not-ready' ? NEVER_MS : this.#chassis.bootMs * SHARES.ready;
    const first = { ...node, readyAfterMs, ...(fault === 'unlabelled' ? { labels: {} } : {}) };
    return fault === 'twice' ? [first, { ...first, name: `${node.name}-2` }] : [first];
  }

  async #registered(plan: NodePlan, name: string): Promise<void> {
    const { parts, vm, bootMs } = this.#chassis;
    await describeNode(parts.client, name, vm);
    if (!plan.externalCloud) return;
    this.#chassis.after(bootMs * SHARES.initialize, () => {
      this.#chassis.work(() => initializeNode(parts.client, name, vm));
    });
  }

  /** It tries again and again, as systemd starts it again and again; the terminal is told a few times. */
  #refused(plan: NodePlan, message: string): void {
    this.#refusals += 1;
    if (this.#refusals <= TOLD_REFUSALS) this.#exits(message);
    this.#chassis.after(this.#chassis.parts.times.retryMs, () => this.#register(plan));
  }

  #exits(message: string): void {
    this.#chassis.say(
      (tty) => kubeletLine(tty, message),
      (tty) => systemdLine(tty, 'kubelet.service: Main process exited, code=exited, status=1/FAILURE'),
      (tty) => systemdLine(tty, "kubelet.service: Failed with result 'exit-code'."),
    );
  }

  #planLater(): void {
    const { later } = this.#trouble;
    if (later === undefined) return;
    this.#chassis.after(this.#chassis.bootMs * SHARES.ready + later.afterMs, () => {
      if (later.what === 'panic') this.#panic();
      else if (later.what === 'unhealthy') this.#report(UNHEALTHY);
      else this.#evict();
    });
  }

  #evict(): void {
    const { parts, vm } = this.#chassis;
    this.#report(PREEMPTION);
    this.#chassis.after(parts.times.noticeMs, () => parts.control.evict(vm.id));
  }

  #report(trouble: NodeTrouble): void {
    const { parts } = this.#chassis;
    const [name] = this.nodes;
    if (name === undefined) return;
    this.#chassis.work(() => reportTrouble(parts.client, name, trouble, this.#chassis.now()));
  }

  #panic(): void {
    this.#chassis.dead = true;
    this.#chassis.say(
      (tty) => kernelLine(tty, 'Kernel panic - not syncing: Fatal exception in interrupt'),
      (tty) => kernelLine(tty, '---[ end Kernel panic - not syncing: Fatal exception in interrupt ]---'),
    );
    const status = {
      code: 'ProvisioningState/Unavailable',
      level: 'Warning',
      displayStatus: 'Not Ready',
      message: 'VM agent is unresponsive.',
    } as const;
    const { parts, vm } = this.#chassis;
    parts.control.setInstanceView(vm.id, { agent: { version: 'Unknown', status } });
    this.dark();
  }
}

// ---------------------------------------------------------------------------------------------------

const NO_BINARY =
  'Kubelet was skipped because of an unmet condition check (ConditionPathExists=/opt/bin/kubelet).';
const TOLD_REFUSALS = 5;
/** Longer than any run, and as long as a timer can wait. */
const NEVER_MS = 2 ** 31 - 1;
const UNAUTHORIZED = 'failed to run Kubelet: cannot create certificate signing request: Unauthorized';
