/**
 * What everything that runs inside one VM shares: the VM, its time since power-on, its serial console, and timers that end
 * with it.
 */
import type { KubeClient, Timer, World } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { Schedule } from '../../schedule.ts';
import type { VmControl, VmFacts } from '../compute/vm-hooks.ts';
import type { FaultRegister } from '../faults/fault.ts';
import type { ClusterFacts } from './cse.ts';
import type { GuestSize } from './guest-size.ts';
import { nodeNameOf } from './node-plan.ts';
import type { Tty } from './serial-log.ts';

/** What all guests share. */
export interface GuestParts {
  readonly world: World;
  readonly schedule: Schedule;
  readonly control: VmControl;
  readonly faults: Pick<FaultRegister, 'list' | 'trigger'>;
  readonly nodeHost: NodeHost;
  readonly client: KubeClient;
  readonly cluster: ClusterFacts;
  readonly sizeOf: (vm: VmFacts) => GuestSize;
  readonly isGoodToken: (token: string) => Promise<boolean>;
  readonly times: GuestTimes;
}

export interface GuestTimes {
  /** From power-on to Ready, of one VM. */
  readonly bootMs: () => number;
  /** After this, Azure reports that a VM which does not boot has failed. */
  readonly provisioningTimeoutMs: number;
  /** A script that fails takes as long as on a real VM. */
  readonly realistic: boolean;
  /** Between two attempts of a kubelet that is rejected. */
  readonly retryMs: number;
  /** From the notice of an eviction to the eviction. */
  readonly noticeMs: number;
}

/** Of the time from power-on to Ready: boot, script, registration, initialization by the cloud, readiness. */
export const SHARES = { up: 0.4, script: 0.4, register: 0.1, initialize: 0.04, ready: 0.1 };

export class VmRuntime {
  readonly parts: GuestParts;
  readonly vm: VmFacts;
  readonly bootMs: number;
  readonly startedMs: number;
  ended = false;
  /** The kernel has stopped; the VM is still there. */
  dead = false;
  readonly #timers = new Set<Timer>();

  constructor(parts: GuestParts, vm: VmFacts) {
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

  /** Runs a task of the guest; its failure is logged. */
  run(task: () => Promise<void>): void {
    task().catch((error: unknown) => {
      if (!this.ended)
        this.parts.world.log.warn('a task of a VM guest failed', {
          vm: this.vm.name,
          error: String(error),
        });
    });
  }

  /** Appends to the serial console. */
  writeSerial(...lines: readonly ((tty: Tty) => string)[]): void {
    const nowMs = this.now();
    const tty = { nowMs, sinceBootMs: nowMs - this.startedMs, host: nodeNameOf(this.vm) };
    this.parts.control.appendSerialLog(this.vm.id, lines.map((line) => line(tty)).join(''));
  }

  now(): number {
    return this.parts.world.clock.now();
  }
}
