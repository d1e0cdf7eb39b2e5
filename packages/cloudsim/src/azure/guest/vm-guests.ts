/**
 * The guests of an ARM server's VMs: called by its hooks, their kubelets run by the node host. Keeps one `VmGuest` for each
 * VM, follows its power, and deletes the Nodes of VMs that no longer exist, as AKS does.
 */
import { KubeClient, type Transport, type World, withUserAgent } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { ArmServer } from '../arm-server.ts';
import type { AzureSizes } from '../catalogue/size-catalogue.ts';
import type { ExtensionFacts, ExtensionOutcome, PowerState, VmFacts } from '../compute/vm-hooks.ts';
import { idKey } from '../store/resource-id.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import { isGoodToken } from './bootstrap-tokens.ts';
import { findNode } from './cloud-node.ts';
import type { ClusterFacts } from './cse.ts';
import type { GuestSize } from './guest-size.ts';
import { providerIdOf } from './node-plan.ts';
import { VmGuest } from './vm-guest.ts';
import type { GuestParts, GuestTimes } from './vm-runtime.ts';

export interface VmGuestsOptions {
  readonly world: World;
  readonly arm: Pick<ArmServer, 'context' | 'vms' | 'faults' | 'addHooks'>;
  /** Runs the kubelets of VMs that become nodes. */
  readonly nodeHost: NodeHost;
  /** Client of the API server with administrator rights. */
  readonly transport: Transport;
  readonly cluster: ClusterFacts;
  /** For cores, memory and GPUs of a size. */
  readonly sizes: Pick<AzureSizes, 'find'>;
  /** From power to Ready. Default 5 s, or 60 to 120 s when realistic. */
  readonly bootTimeMs?: number;
  /** Realistic times. Default false. */
  readonly realistic?: boolean;
  /** Tokens that are valid besides the Secrets of the cluster. */
  readonly tokens?: readonly string[];
  /** The register of faults. Default: that of the ARM server. */
  readonly faultRegister?: GuestParts['faults'];
  /** From the deletion of a VM to that of its Node. Default 10 s, or 60 s when realistic. */
  readonly nodeCleanupMs?: number;
}

export interface VmGuests {
  /** How many VMs have a guest now. */
  readonly size: number;
  stop(): void;
}

export function startVmGuests(options: VmGuestsOptions): VmGuests {
  return new RunningGuests(options);
}

// ---------------------------------------------------------------------------------------------------

const POWER_CHECK_MS = 2000;
const RUNS: ReadonlySet<PowerState | undefined> = new Set<PowerState>(['starting', 'running']);

class RunningGuests implements VmGuests {
  readonly #options: VmGuestsOptions;
  readonly #parts: GuestParts;
  readonly #guests = new Map<string, VmGuest>();
  readonly #poweredOff = new Set<VmGuest>();
  readonly #cleanupMs: number;
  readonly #removeHooks: () => void;
  #watching = false;
  #stopped = false;

  constructor(options: VmGuestsOptions) {
    const { world, arm, nodeHost, cluster, tokens = [] } = options;
    const client = new KubeClient({ transport: withUserAgent(options.transport, 'cloud-node-manager') });
    this.#options = options;
    this.#cleanupMs = options.nodeCleanupMs ?? (options.realistic ? 60_000 : 10_000);
    this.#parts = {
      world,
      schedule: arm.context.schedule,
      control: arm.vms,
      faults: options.faultRegister ?? arm.faults,
      nodeHost,
      client,
      cluster,
      sizeOf: (vm) => sizeOf(options, vm),
      isGoodToken: async (token) => tokens.includes(token) || (await isGoodToken(client, world.clock, token)),
      times: timesOf(options),
    };
    this.#removeHooks = arm.addHooks({
      provision: (vm, done) => this.#provision(vm, done),
      vmRestarted: (vm) => this.#guests.get(idKey(vm.id))?.restart(),
      vmGone: (vm) => this.#gone(vm),
      runExtension: (vm, extension, done) => this.#runExtension(vm, extension, done),
    });
  }

  get size(): number {
    return this.#guests.size;
  }

  stop(): void {
    this.#stopped = true;
    this.#removeHooks();
    for (const guest of this.#guests.values()) guest.end();
    this.#guests.clear();
  }

  #provision(vm: VmFacts, done: (error?: ArmErrorBody) => void): void {
    this.#guests.get(idKey(vm.id))?.end();
    const guest = new VmGuest(this.#parts, vm);
    this.#guests.set(idKey(vm.id), guest);
    guest.boot(done);
    this.#watchPower();
  }

  #gone(vm: VmFacts): void {
    const guest = this.#guests.get(idKey(vm.id));
    if (guest === undefined) return;
    guest.end();
    this.#guests.delete(idKey(vm.id));
    this.#poweredOff.delete(guest);
    this.#cleanUpLater(guest);
  }

  #runExtension(vm: VmFacts, extension: ExtensionFacts, done: (outcome: ExtensionOutcome) => void): void {
    const guest = this.#guests.get(idKey(vm.id));
    const { schedule, latencies } = this.#options.arm.context;
    if (guest === undefined || !/^CustomScript/i.test(extension.type)) {
      const outcome = { exitCode: 0, stdout: '', stderr: '', message: 'Plugin enabled' };
      schedule.after(latencies.extensionMs, () => done(outcome));
      return;
    }
    const { settings, protectedSettings } = extension;
    guest.runCommand(protectedSettings['commandToExecute'] ?? settings['commandToExecute'], done);
  }

  /** The controllers of AKS detect that a NotReady Node has no VM any more, and delete it. */
  #cleanUpLater(guest: VmGuest): void {
    this.#parts.schedule.after(this.#cleanupMs, () => {
      const { id } = guest.vm;
      if (this.#stopped || this.#guests.has(idKey(id))) return;
      if (this.#parts.control.vm(id) !== undefined) return this.#cleanUpLater(guest);
      this.#cleanUp(guest).catch((error: unknown) =>
        this.#options.world.log.warn('failed to delete the node of a VM that no longer exists', {
          vm: guest.vm.name,
          error: String(error),
        }),
      );
    });
  }

  async #cleanUp({ nodes, vm }: VmGuest): Promise<void> {
    const ours = providerIdOf(vm);
    for (const name of nodes) {
      const node = await findNode(this.#parts.client, name);
      if (node !== undefined && (node.spec?.providerID ?? ours) === ours)
        await this.#parts.nodeHost.removeNode(name);
    }
  }

  /** There is no hook for power, so it is polled as long as there is a guest. */
  #watchPower(): void {
    if (this.#watching || this.#stopped) return;
    this.#watching = true;
    this.#parts.schedule.after(POWER_CHECK_MS, () => {
      this.#watching = false;
      for (const guest of this.#guests.values()) this.#followPower(guest);
      if (this.#guests.size > 0) this.#watchPower();
    });
  }

  #followPower(guest: VmGuest): void {
    const on = RUNS.has(this.#parts.control.powerOf(guest.vm.id));
    if (on === !this.#poweredOff.has(guest)) return;
    if (on) {
      this.#poweredOff.delete(guest);
      guest.powerOn().catch(() => undefined);
    } else {
      this.#poweredOff.add(guest);
      guest.powerOff();
    }
  }
}

function timesOf({ world, bootTimeMs, realistic = false }: VmGuestsOptions): GuestTimes {
  const bootMs = () => bootTimeMs ?? (realistic ? 60_000 * (1 + world.random.next()) : 5000);
  const quickMs = bootTimeMs ?? 5000;
  return {
    bootMs,
    realistic,
    provisioningTimeoutMs: realistic ? 20 * 60_000 : 12 * quickMs,
    retryMs: 10_000,
    noticeMs: realistic ? 30_000 : quickMs,
  };
}

/** A size that is not in the catalogue counts as a small one. */
function sizeOf({ sizes, arm }: VmGuestsOptions, vm: VmFacts): GuestSize {
  const known = sizes.find(vm.size, vm.location);
  const storage = vm.resource.properties['storageProfile'] as
    | { osDisk?: { diskSizeGB?: number } }
    | undefined;
  const facts = arm.context.services.sizes?.sizeOf(vm.size, vm.location);
  return {
    vCpus: known?.vCpusAvailable ?? facts?.vCpus ?? 4,
    memoryGiB: known?.memoryGiB ?? facts?.memoryGiB ?? 16,
    gpus: known?.gpus ?? 0,
    diskSizeGB: storage?.osDisk?.diskSizeGB ?? 128,
    architecture: known?.family.cpu === 'Arm64' ? 'arm64' : 'amd64',
  };
}
