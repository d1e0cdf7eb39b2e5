/**
 * The state of each VM besides its resource: progress, power, agent, serial log. Guests and tests access it without HTTP;
 * the provider calls the hooks through it.
 */
import type { Timer } from '@chandler/kube';
import { configurationsOf } from '../network/nics.ts';
import { idKey, parseResourceId } from '../store/resource-id.ts';
import type { ArmContext } from '../wire/context.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import type { ImageFacts, SizeFacts } from './services.ts';
import type {
  ExtensionFacts,
  ExtensionOutcome,
  InstanceViewPatch,
  PowerState,
  VmControl,
  VmFacts,
  VmHooks,
} from './vm-hooks.ts';
import type { DesiredVm } from './vm-request.ts';

export interface VmState {
  readonly id: string;
  readonly createdMs: number;
  /** `properties.vmId`. */
  readonly vmId: string;
  desired: DesiredVm;
  size: SizeFacts | undefined;
  image: ImageFacts | undefined;
  readonly diskName: string;
  readonly diskSizeGB: number;
  phase: VmPhase;
  phaseSinceMs: number;
  power: PowerState;
  error: ArmErrorBody | undefined;
  /** Allocated, with a disk. */
  allocated: boolean;
  /** Operations that end when the current attempt does. */
  operations: string[];
  /** Counts attempts: scheduled steps of an earlier attempt are ignored. */
  attempt: number;
  timer: Timer | undefined;
  view: InstanceViewPatch;
  serial: string;
}

export type VmPhase = 'creating' | 'updating' | 'succeeded' | 'failed' | 'deleting';

type StatesContext = Pick<ArmContext, 'store' | 'hooks' | 'world'>;

export class VmStates implements VmControl {
  readonly #context: StatesContext;
  readonly #states = new Map<string, VmState>();
  /** Set by the provider, which implements the eviction of a VM. */
  onEvict: (id: string) => void = () => undefined;

  constructor(context: StatesContext) {
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
    const { desired } = state;
    const { name, resourceGroup } = parseResourceId(resource.id)!;
    return {
      id: resource.id,
      name,
      vmId: state.vmId,
      resourceGroup,
      location: desired.location,
      zone: desired.zone,
      size: desired.size,
      spot: desired.spot,
      computerName: desired.osProfile.computerName,
      customData: Buffer.from(desired.osProfile.customData ?? '', 'base64').toString(),
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

  /** Starts the guest; `done` is called once, by the guest or, where there is none, by `otherwise`. */
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

  notify(what: 'vmRunning' | 'vmRestarted' | 'vmGone', id: string): void {
    this.#each(id, (hook, vm) => hook[what]?.(vm));
  }

  notifyFailed(id: string, error: ArmErrorBody): void {
    this.#each(id, (hook, vm) => hook.vmFailed?.(vm, error));
  }

  #each(id: string, call: (hook: VmHooks, vm: VmFacts) => void): void {
    if (this.#context.hooks.length === 0) return;
    const vm = this.vm(id);
    if (vm === undefined) return;
    for (const hook of this.#context.hooks) this.#guard(() => call(hook, vm));
  }

  /** A hook that throws is a failure of the guest, not of ARM. */
  #guard(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.#context.world.log.error('a VM hook failed', { error: String(error) });
    }
  }

  #addressOf({ desired }: VmState): string | undefined {
    const nic = desired.nics[0] && this.#context.store.get(desired.nics[0].id);
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
