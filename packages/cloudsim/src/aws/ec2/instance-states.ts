/**
 * The states of instances over time, and what can happen to one: terminated, rebooted, interrupted, impaired. Tells the hooks
 * and EventBridge about it.
 */
import type { AwsContext } from '../context.ts';
import type { InstanceRecord, InstanceState } from '../store/records.ts';
import type { Events } from './events.ts';

/** Called for everything that happens to instances. */
export interface InstanceHooks {
  launched?(instance: InstanceRecord): void;
  rebooted?(instance: InstanceRecord): void;
  /** It has no power any more. */
  stopped?(instance: InstanceRecord): void;
  /** It is terminated. */
  gone?(instance: InstanceRecord): void;
}

/** What a scenario or a fault does to instances, outside of the API. */
export interface InstanceControl {
  get(id: string): InstanceRecord | undefined;
  list(): readonly InstanceRecord[];
  /** A warning, and two minutes later the end. */
  interruptSpot(id: string): void;
  /** The capacity reservation is taken back. */
  interruptReservation(id: string): void;
  recommendRebalance(id: string): void;
  /** A retirement, announced by AWS Health and DescribeInstanceStatus. */
  scheduleRetirement(id: string, inMs?: number): void;
  impair(id: string, check: 'instance' | 'system'): void;
  recover(id: string): void;
  /** By somebody outside of the cluster. */
  terminate(id: string): void;
  /** By somebody outside of the cluster: it keeps its disk and its address, and runs no more. */
  stop(id: string): void;
}

export class InstanceStates implements InstanceControl {
  readonly #context: AwsContext;
  readonly #events: Events;
  readonly #hooks: InstanceHooks[] = [];

  constructor(context: AwsContext, events: Events) {
    this.#context = context;
    this.#events = events;
  }

  addHooks(hooks: InstanceHooks): () => void {
    this.#hooks.push(hooks);
    return () => {
      const at = this.#hooks.indexOf(hooks);
      if (at >= 0) this.#hooks.splice(at, 1);
    };
  }

  get(id: string): InstanceRecord | undefined {
    return this.#context.account.instances.get(id);
  }

  list(): readonly InstanceRecord[] {
    return [...this.#context.account.instances.values()];
  }

  started(instance: InstanceRecord): void {
    const { schedule, latencies } = this.#context;
    this.#events.stateChange(instance);
    schedule.after(latencies.pendingMs, () => {
      if (instance.state !== 'pending') return;
      this.#become(instance, 'running');
      for (const hooks of this.#hooks) hooks.launched?.(instance);
    });
  }

  /** Launched by a call that is undone: nothing of it was ever seen. */
  discard(instance: InstanceRecord): void {
    instance.state = 'terminated';
    this.#release(instance);
    this.#context.account.instances.delete(instance.id);
  }

  terminate(
    id: string,
    reason: Reason = USER,
  ): { readonly previous: InstanceState; readonly current: InstanceState } {
    const { schedule, latencies } = this.#context;
    const instance = this.get(id)!;
    const previous = instance.state;
    if (previous === 'shutting-down' || previous === 'terminated') return { previous, current: previous };
    instance.stateReason = reason;
    instance.stateTransition = `${reason.Message} (${this.#timeText()})`;
    this.#become(instance, 'shutting-down');
    for (const hooks of this.#hooks) hooks.stopped?.(instance);
    schedule.after(latencies.shuttingDownMs, () => {
      instance.terminatedMs = this.#now();
      this.#become(instance, 'terminated');
      this.#release(instance);
      for (const hooks of this.#hooks) hooks.gone?.(instance);
      schedule.after(latencies.terminatedVisibleMs, () => this.#context.account.instances.delete(id));
    });
    return { previous, current: 'shutting-down' };
  }

  stop(id: string): void {
    const { schedule, latencies } = this.#context;
    const instance = this.#running(id);
    if (instance === undefined) return;
    instance.stateReason = USER;
    instance.stateTransition = `${USER.Message} (${this.#timeText()})`;
    this.#become(instance, 'stopping');
    for (const hooks of this.#hooks) hooks.stopped?.(instance);
    schedule.after(latencies.shuttingDownMs, () => {
      if (instance.state === 'stopping') this.#become(instance, 'stopped');
    });
  }

  reboot(id: string): void {
    const { schedule, latencies } = this.#context;
    const instance = this.get(id)!;
    schedule.after(latencies.rebootMs, () => {
      if (instance.state !== 'running') return;
      instance.instanceImpairedMs = undefined;
      for (const hooks of this.#hooks) hooks.rebooted?.(instance);
    });
  }

  interruptSpot(id: string): void {
    const instance = this.#running(id);
    if (instance?.spot !== true) return;
    this.#events.spotInterruption(instance);
    this.#later(this.#context.latencies.interruptionNoticeMs, instance, SPOT);
  }

  interruptReservation(id: string): void {
    const instance = this.#running(id);
    if (instance?.reservedBy === undefined) return;
    this.#events.reservationInterruption(instance);
    this.#later(this.#context.latencies.interruptionNoticeMs, instance, RESERVATION);
  }

  recommendRebalance(id: string): void {
    const instance = this.#running(id);
    if (instance?.spot === true) this.#events.rebalanceRecommendation(instance);
  }

  scheduleRetirement(id: string, inMs = 14 * 86_400_000): void {
    const instance = this.#running(id);
    if (instance === undefined) return;
    const startMs = this.#now() + inMs;
    instance.events = [
      ...instance.events,
      {
        InstanceEventId: `instance-event-0${id.slice(3, 19)}`,
        Code: 'instance-retirement',
        Description: 'The instance is running on degraded hardware',
        NotBefore: new Date(startMs),
      },
    ];
    this.#events.scheduledChange([instance], startMs);
    this.#later(inMs, instance, RETIRED);
  }

  impair(id: string, check: 'instance' | 'system'): void {
    const instance = this.#running(id);
    if (instance === undefined) return;
    if (check === 'instance') instance.instanceImpairedMs ??= this.#now();
    else instance.systemImpairedMs ??= this.#now();
  }

  recover(id: string): void {
    const instance = this.get(id);
    if (instance === undefined) return;
    instance.instanceImpairedMs = undefined;
    instance.systemImpairedMs = undefined;
  }

  #later(delayMs: number, instance: InstanceRecord, reason: Reason): void {
    this.#context.schedule.after(delayMs, () => {
      if (this.#running(instance.id) !== undefined) this.terminate(instance.id, reason);
    });
  }

  #running(id: string): InstanceRecord | undefined {
    const instance = this.get(id);
    return instance?.state === 'running' || instance?.state === 'pending' ? instance : undefined;
  }

  #become(instance: InstanceRecord, state: InstanceState): void {
    instance.state = state;
    this.#events.stateChange(instance);
  }

  #release(instance: InstanceRecord): void {
    const { account, catalogue } = this.#context;
    account.subnets.get(instance.subnetId)?.release(instance.privateIp);
    const reservation = instance.reservedBy && account.capacityReservations.get(instance.reservedBy);
    if (reservation) reservation.AvailableInstanceCount = (reservation.AvailableInstanceCount ?? 0) + 1;
    else catalogue.changeStock(instance.type, instance.zone, instance.spot ? 'spot' : 'on-demand', 1);
  }

  #now(): number {
    return this.#context.world.clock.now();
  }

  #timeText(): string {
    return new Date(this.#now()).toISOString().slice(0, 19).replace('T', ' ').concat(' GMT');
  }
}

// ---------------------------------------------------------------------------------------------------

interface Reason {
  readonly Code: string;
  readonly Message: string;
}

const USER: Reason = {
  Code: 'Client.UserInitiatedShutdown',
  Message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};
const SPOT: Reason = {
  Code: 'Server.SpotInstanceTermination',
  Message: 'Server.SpotInstanceTermination: Spot instance termination',
};
const RESERVATION: Reason = {
  Code: 'Server.InstanceTermination',
  Message: 'Server.InstanceTermination: Capacity reservation interrupted',
};
const RETIRED: Reason = {
  Code: 'Server.ScheduledStop',
  Message: 'Server.ScheduledStop: Stopped due to scheduled retirement',
};
