/**
 * What is common to everything that runs on one machine: its VM, its clock since power came on, its serial terminal, and
 * timers that end with it.
 */
import type { KubeClient, Timer, World } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { MachineControl, VmFacts } from '../compute/machine-hooks.ts';
import type { FaultRegister } from '../faults/fault.ts';
import type { Schedule } from '../store/schedule.ts';
import type { ClusterFacts } from './cse.ts';
import type { MachineSize } from './machine-size.ts';
import { nodeNameOf } from './node-plan.ts';
import type { Tty } from './serial-log.ts';

/** What all machines share. */
export interface MachineParts {
  readonly world: World;
  readonly schedule: Schedule;
  readonly control: MachineControl;
  readonly faults: Pick<FaultRegister, 'list' | 'strike'>;
  readonly nodeHost: NodeHost;
  readonly client: KubeClient;
  readonly cluster: ClusterFacts;
  readonly sizeOf: (vm: VmFacts) => MachineSize;
  readonly isGoodToken: (token: string) => Promise<boolean>;
  readonly times: MachineTimes;
}

export interface MachineTimes {
  /** From power to Ready, of one machine. */
  readonly bootMs: () => number;
  /** Until Azure gives up on one that does not come up. */
  readonly giveUpMs: number;
  /** A script that fails takes as long as in the field. */
  readonly patient: boolean;
  /** Between two attempts of a kubelet that is not let in. */
  readonly retryMs: number;
  /** From the notice of an eviction to the eviction. */
  readonly noticeMs: number;
}

/** Of the time from power to Ready: up, then the script, then registering, being told by the cloud, and being ready. */
export const SHARES = { up: 0.4, script: 0.4, register: 0.1, initialize: 0.04, ready: 0.1 };

export class Chassis {
  readonly parts: MachineParts;
  readonly vm: VmFacts;
  readonly bootMs: number;
  readonly startedMs: number;
  ended = false;
  /** The kernel has stopped; the VM is still there. */
  dead = false;
  readonly #timers = new Set<Timer>();

  constructor(parts: MachineParts, vm: VmFacts) {
    this.parts = parts;
    this.vm = vm;
    this.startedMs = parts.world.clock.now();
    this.bootMs = parts.times.bootMs();
  }

  end(): void {
    this.ended = true;
    for (const timer of this.#timers) timer.cancel();
    this.#timers.clear();
  }

  after(delayMs: number, task: () => void): void {
    if (this.ended) return;
    const timer = this.parts.schedule.after(delayMs, () => {
      this.#timers.delete(timer);
      if (!this.ended) task();
    });
    this.#timers.add(timer);
  }

  /** Work whose failure is the machine's own. */
  work(work: () => Promise<void>): void {
    work().catch((error: unknown) => {
      if (!this.ended)
        this.parts.world.log.warn('a machine could not do its work', {
          vm: this.vm.name,
          error: String(error),
        });
    });
  }

  /** On the serial terminal. */
  say(...lines: readonly ((tty: Tty) => string)[]): void {
    const nowMs = this.now();
    const tty = { nowMs, sinceBootMs: nowMs - this.startedMs, host: nodeNameOf(this.vm) };
    this.parts.control.appendSerialLog(this.vm.id, lines.map((line) => line(tty)).join(''));
  }

  now(): number {
    return this.parts.world.clock.now();
  }
}
