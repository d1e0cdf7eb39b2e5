/**
 * The machines behind the VMs of an ARM server: plugged into its hooks, joined to a cluster's kubelets. Keeps one
 * `Machine` for each VM, follows its power, and takes away the Nodes of VMs that are gone, as AKS does.
 */
import { KubeClient, type Transport, type World, withUserAgent } from '@chandler/kube';
import type { NodeHost } from '../../node-host.ts';
import type { ArmServer } from '../arm-server.ts';
import type { AzureSizes } from '../catalogue/size-catalogue.ts';
import type { ExtensionFacts, ExtensionOutcome, PowerState, VmFacts } from '../compute/machine-hooks.ts';
import { idKey } from '../store/resource-id.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import { isGoodToken } from './bootstrap-tokens.ts';
import type { MachineParts, MachineTimes } from './chassis.ts';
import { findNode } from './cloud-node.ts';
import type { ClusterFacts } from './cse.ts';
import { Machine } from './machine.ts';
import type { MachineSize } from './machine-size.ts';
import { providerIdOf } from './node-plan.ts';

export interface MachinesOptions {
  readonly world: World;
  readonly arm: Pick<ArmServer, 'context' | 'machines' | 'faults' | 'addHooks'>;
  /** Runs the kubelets of VMs that become nodes. */
  readonly nodeHost: NodeHost;
  /** To the API server, as somebody who may do everything. */
  readonly transport: Transport;
  readonly cluster: ClusterFacts;
  /** For cores, memory and GPUs of a size. */
  readonly sizes: Pick<AzureSizes, 'find'>;
  /** From power to Ready. Default 5 s, or 60 to 120 s when realistic. */
  readonly bootTimeMs?: number;
  /** Times of the field. Default false. */
  readonly realistic?: boolean;
  /** Tokens that are good beside the Secrets of the cluster. */
  readonly tokens?: readonly string[];
  /** Whom to ask for faults. Default: the ARM server's register. */
  readonly faultRegister?: MachineParts['faults'];
  /** From a VM's end to that of its Node. Default 10 s, or 60 s when realistic. */
  readonly nodeCleanupMs?: number;
}

export interface AzureMachines {
  /** How many VMs have a machine just now. */
  readonly size: number;
  stop(): void;
}

export function startMachines(options: MachinesOptions): AzureMachines {
  return new Machines(options);
}

// ---------------------------------------------------------------------------------------------------

const POWER_CHECK_MS = 2000;
const RUNS: ReadonlySet<PowerState | undefined> = new Set<PowerState>(['starting', 'running']);

class Machines implements AzureMachines {
  readonly #options: MachinesOptions;
  readonly #parts: MachineParts;
  readonly #machines = new Map<string, Machine>();
  readonly #dark = new Set<Machine>();
  readonly #cleanupMs: number;
  readonly #unplug: () => void;
  #watching = false;
  #stopped = false;

  constructor(options: MachinesOptions) {
    const { world, arm, nodeHost, cluster, tokens = [] } = options;
    const client = new KubeClient({ transport: withUserAgent(options.transport, 'cloud-node-manager') });
    this.#options = options;
    this.#cleanupMs = options.nodeCleanupMs ?? (options.realistic ? 60_000 : 10_000);
    this.#parts = {
      world,
      schedule: arm.context.schedule,
      control: arm.machines,
      faults: options.faultRegister ?? arm.faults,
      nodeHost,
      client,
      cluster,
      sizeOf: (vm) => sizeOf(options, vm),
      isGoodToken: async (token) => tokens.includes(token) || (await isGoodToken(client, world.clock, token)),
      times: timesOf(options),
    };
    this.#unplug = arm.addHooks({
      provision: (vm, done) => this.#provision(vm, done),
      vmGone: (vm) => this.#gone(vm),
      runExtension: (vm, extension, done) => this.#runExtension(vm, extension, done),
    });
  }

  get size(): number {
    return this.#machines.size;
  }

  stop(): void {
    this.#stopped = true;
    this.#unplug();
    for (const machine of this.#machines.values()) machine.end();
    this.#machines.clear();
  }

  #provision(vm: VmFacts, done: (error?: ArmErrorBody) => void): void {
    this.#machines.get(idKey(vm.id))?.end();
    const machine = new Machine(this.#parts, vm);
    this.#machines.set(idKey(vm.id), machine);
    machine.boot(done);
    this.#watchPower();
  }

  #gone(vm: VmFacts): void {
    const machine = this.#machines.get(idKey(vm.id));
    if (machine === undefined) return;
    machine.end();
    this.#machines.delete(idKey(vm.id));
    this.#dark.delete(machine);
    this.#cleanUpLater(machine);
  }

  #runExtension(vm: VmFacts, extension: ExtensionFacts, done: (outcome: ExtensionOutcome) => void): void {
    const machine = this.#machines.get(idKey(vm.id));
    const { schedule, latencies } = this.#options.arm.context;
    if (machine === undefined || !/^CustomScript/i.test(extension.type)) {
      const outcome = { exitCode: 0, stdout: '', stderr: '', message: 'Plugin enabled' };
      schedule.after(latencies.extensionMs, () => done(outcome));
      return;
    }
    const { settings, protectedSettings } = extension;
    machine.runCommand(protectedSettings['commandToExecute'] ?? settings['commandToExecute'], done);
  }

  /** Its controllers see that a silent Node has no VM any more, and take it away. */
  #cleanUpLater(machine: Machine): void {
    this.#parts.schedule.after(this.#cleanupMs, () => {
      const { id } = machine.vm;
      if (this.#stopped || this.#machines.has(idKey(id))) return;
      if (this.#parts.control.vm(id) !== undefined) return this.#cleanUpLater(machine);
      this.#cleanUp(machine).catch((error: unknown) =>
        this.#options.world.log.warn('a node could not be taken away', {
          vm: machine.vm.name,
          error: String(error),
        }),
      );
    });
  }

  async #cleanUp({ nodes, vm }: Machine): Promise<void> {
    const ours = providerIdOf(vm);
    for (const name of nodes) {
      const node = await findNode(this.#parts.client, name);
      if (node !== undefined && (node.spec?.providerID ?? ours) === ours)
        await this.#parts.nodeHost.removeNode(name);
    }
  }

  /** Nobody tells of power-offs, so it is looked at, as long as there is a machine. */
  #watchPower(): void {
    if (this.#watching || this.#stopped) return;
    this.#watching = true;
    this.#parts.schedule.after(POWER_CHECK_MS, () => {
      this.#watching = false;
      for (const machine of this.#machines.values()) this.#followPower(machine);
      if (this.#machines.size > 0) this.#watchPower();
    });
  }

  #followPower(machine: Machine): void {
    const on = RUNS.has(this.#parts.control.powerOf(machine.vm.id));
    if (on === !this.#dark.has(machine)) return;
    if (on) {
      this.#dark.delete(machine);
      machine.light().catch(() => undefined);
    } else {
      this.#dark.add(machine);
      machine.dark();
    }
  }
}

function timesOf({ world, bootTimeMs, realistic = false }: MachinesOptions): MachineTimes {
  const bootMs = () => bootTimeMs ?? (realistic ? 60_000 * (1 + world.random.next()) : 5000);
  const quickMs = bootTimeMs ?? 5000;
  return {
    bootMs,
    patient: realistic,
    giveUpMs: realistic ? 20 * 60_000 : 12 * quickMs,
    retryMs: 10_000,
    noticeMs: realistic ? 30_000 : quickMs,
  };
}

/** A size that the catalogue does not have is a small one. */
function sizeOf({ sizes, arm }: MachinesOptions, vm: VmFacts): MachineSize {
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
