/**
 * What is known of each VM beside its resource: how far it is, its power, its agent, its serial log. Machines and
 * checkers reach it from this side of the wire; the provider tells the hooks through it.
 */
import type { Timer } from '@chandler/kube';
import { configurationsOf } from '../network/nics.ts';
import { idKey, parseResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import type {
  ExtensionFacts,
  ExtensionOutcome,
  InstanceViewPatch,
  MachineControl,
  MachineHooks,
  PowerState,
  VmFacts,
} from './machine-hooks.ts';
import type { ImageFacts, SizeFacts } from './services.ts';
import type { VmWish } from './vm-request.ts';

export interface VmState {
  readonly id: string;
  readonly createdMs: number;
  /** `properties.vmId`. */
  readonly vmId: string;
  wish: VmWish;
  size: SizeFacts | undefined;
  image: ImageFacts | undefined;
  readonly diskName: string;
  readonly diskSizeGB: number;
  phase: VmPhase;
  phaseSinceMs: number;
  power: PowerState;
  error: ArmErrorBody | undefined;
  /** It has hardware and a disk. */
  allocated: boolean;
  /** Operations that end when the current attempt does. */
  operations: string[];
  /** Counts attempts: what an earlier one left in the schedule is void. */
  attempt: number;
  timer: Timer | undefined;
  view: InstanceViewPatch;
  serial: string;
}

export type VmPhase = 'creating' | 'updating' | 'succeeded' | 'failed' | 'deleting';

type RoomContext = Pick<ArmContext, 'store' | 'hooks' | 'world'>;

export class MachineRoom implements MachineControl {
  readonly #context: RoomContext;
  readonly #states = new Map<string, VmState>();
  /** Set by the provider: only it knows how a VM goes. */
  onEvict: (id: string) => void = () => undefined;

  constructor(context: RoomContext) {
    this.#context = context;
  }

  add(state: VmState): void {
    this.#states.set(idKey(state.id), state);
  }

  remove(id: string): void {
    this.#states.delete(idKey(id));
  }

  state(id: string): VmState | undefined {
    return this.#states.get(idKey(id));
  }

  get size(): number {
    return this.#states.size;
  }

  vm(id: string): VmFacts | undefined {
    const state = this.state(id);
    const resource = this.#context.store.get(id);
    if (state === undefined || resource === undefined) return undefined;
    const { wish } = state;
    const { name, resourceGroup } = parseResourceId(resource.id)!;
    return {
      id: resource.id,
      name,
      vmId: state.vmId,
      resourceGroup,
      location: wish.location,
      zone: wish.zone,
      size: wish.size,
      spot: wish.spot,
      computerName: wish.osProfile.computerName,
      customData: Buffer.from(wish.osProfile.customData ?? '', 'base64').toString(),
      privateIpAddress: this.#addressOf(state),
      tags: resource.tags ?? {},
      resource,
    };
  }

  powerOf(id: string): PowerState | undefined {
    return this.state(id)?.power;
  }

  setInstanceView(id: string, patch: InstanceViewPatch): void {
    const state = this.state(id);
    if (state === undefined) return;
    state.view = { ...state.view, ...patch };
    if (patch.power !== undefined) state.power = patch.power;
  }

  appendSerialLog(id: string, text: string): void {
    const state = this.state(id);
    if (state === undefined) return;
    const all = state.serial + text;
    state.serial = all.length > SERIAL_LIMIT ? all.slice(-SERIAL_LIMIT) : all;
  }

  serialLog(id: string): string {
    return this.state(id)?.serial ?? '';
  }

  evict(id: string): void {
    this.onEvict(id);
  }

  /** Starts the machine; `done` is called once, by it or, where nobody plays it, by `otherwise`. */
  provision(id: string, done: (error?: ArmErrorBody) => void, otherwise: () => void): void {
    const vm = this.vm(id);
    const hook = this.#context.hooks.find((one) => one.provision !== undefined);
    if (vm === undefined || hook === undefined) otherwise();
    else this.#guard(() => hook.provision?.(vm, once(done)));
  }

  runExtension(
    id: string,
    extension: ExtensionFacts,
    done: (outcome: ExtensionOutcome) => void,
    otherwise: () => void,
  ): void {
    const vm = this.vm(id);
    const hook = this.#context.hooks.find((one) => one.runExtension !== undefined);
    if (vm === undefined || hook === undefined) otherwise();
    else this.#guard(() => hook.runExtension?.(vm, extension, once(done)));
  }

  tell(what: 'vmRunning' | 'vmGone', id: string): void {
    this.#each(id, (hook, vm) => hook[what]?.(vm));
  }

  tellFailed(id: string, error: ArmErrorBody): void {
    this.#each(id, (hook, vm) => hook.vmFailed?.(vm, error));
  }

  #each(id: string, call: (hook: MachineHooks, vm: VmFacts) => void): void {
    if (this.#context.hooks.length === 0) return;
    const vm = this.vm(id);
    if (vm === undefined) return;
    for (const hook of this.#context.hooks) this.#guard(() => call(hook, vm));
  }

  /** A machine that throws is the machine's trouble, not ARM's. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#context.world.log.error('a machine failed', { error: String(error) });
    }
  }

  #addressOf({ wish }: VmState): string | undefined {
    const nic = wish.nics[0] && this.#context.store.get(wish.nics[0].id);
    return nic && configurationsOf(nic).find((one) => one.properties.primary)?.properties.privateIPAddress;
  }
}

// ---------------------------------------------------------------------------------------------------

const SERIAL_LIMIT = 256 * 1024;

function once<T>(call: (value: T) => void): (value: T) => void {
  let called = false;
  return (value) => {
    if (called) return;
    called = true;
    call(value);
  };
}
