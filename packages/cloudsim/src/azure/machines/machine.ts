/**
 * One machine behind a VM: it boots, runs what it was told, becomes a node or fails in the way a real one would, and
 * goes. What its variables mean is decided by cse.ts and node-plan.ts; here is the order and the time.
 */
import { osProvisioningTimedOut } from '../compute/compute-errors.ts';
import type { ExtensionOutcome, VmFacts } from '../compute/machine-hooks.ts';
import type { FaultSubject } from '../faults/fault.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import { Chassis, type MachineParts, SHARES } from './chassis.ts';
import { systemOf } from './cloud-node.ts';
import { runCse } from './cse.ts';
import { cseStatus } from './cse-status.ts';
import { Kubelet } from './kubelet.ts';
import { BOOT_FAULTS, NO_TROUBLE, strikeMachine, type Trouble } from './machine-faults.ts';
import * as serial from './serial-log.ts';
import { readScript, type Script } from './shell-script.ts';

/** The program that makes a node of a machine. */
export const PROVISIONING = 'provision_start.sh';

export class Machine {
  readonly #chassis: Chassis;
  #trouble: Trouble = NO_TROUBLE;
  #running = false;
  #kubelet: Kubelet | undefined;

  constructor(parts: MachineParts, vm: VmFacts) {
    this.#chassis = new Chassis(parts, vm);
  }

  get vm(): VmFacts {
    return this.#chassis.vm;
  }

  /** Nodes that it has registered. */
  get nodes(): readonly string[] {
    return this.#kubelet?.nodes ?? [];
  }

  /** Switched on; `done` when Azure sees it running, or gives up. */
  boot(done: (error?: ArmErrorBody) => void): void {
    const { customData, size } = this.vm;
    const script = customData.startsWith('#!') ? readScript(customData, PROVISIONING) : undefined;
    this.#strike((name) => script?.started !== undefined || BOOT_FAULTS.has(name));
    const { boot, delayMs = 0 } = this.#trouble;
    if (boot === 'no-system' || boot === 'disk-error') {
      this.#notBooting(boot, done);
      return;
    }
    this.#chassis.say((tty) => serial.kernelStart(tty, size));
    this.#chassis.after(this.#chassis.bootMs * SHARES.up + delayMs, () => {
      this.#up();
      done();
      if (boot === 'hang') this.#chassis.say((tty) => serial.kernelLine(tty, HANGS));
      else this.#runCustomData(script);
    });
  }

  /** A custom script extension, with its command. */
  runCommand(command: unknown, done: (outcome: ExtensionOutcome) => void): void {
    const script = readScript(typeof command === 'string' ? command : '', PROVISIONING);
    const plain = this.#plainOutcome(command, script);
    if (plain !== undefined) {
      this.#chassis.after(plain.afterMs, () => done(plain.outcome));
      return;
    }
    // The register was asked for `cse` at the extension already.
    this.#strike((name) => name !== 'cse' && !BOOT_FAULTS.has(name));
    this.#provision(script.started!, done);
  }

  /** Its power is off: it does not say a word. */
  dark(): void {
    this.#kubelet?.dark();
  }

  async light(): Promise<void> {
    await this.#kubelet?.light();
  }

  /** For good. */
  end(): void {
    this.#running = false;
    this.#chassis.end();
    this.dark();
  }

  /** How a command ends that does not make a node of it. */
  #plainOutcome(
    command: unknown,
    { started, problem }: Script,
  ): { readonly afterMs: number; readonly outcome: ExtensionOutcome } | undefined {
    const { parts, bootMs } = this.#chassis;
    const ended = (exitCode: number, stderr = '') => ({ exitCode, stdout: '', stderr });
    if (!this.#running || this.#chassis.dead) return { afterMs: parts.times.giveUpMs, outcome: SILENT };
    if (typeof command !== 'string' || command === '') return { afterMs: 0, outcome: NO_COMMAND };
    if (problem !== undefined)
      return { afterMs: 0, outcome: ended(2, `/bin/sh: 1: Syntax error: ${problem.message}`) };
    const isNode = this.#kubelet !== undefined;
    return started === undefined || isNode
      ? { afterMs: bootMs * SHARES.register, outcome: ended(0) }
      : undefined;
  }

  #strike(names: (name: string) => boolean): void {
    const struck = strikeMachine(this.#chassis.parts.faults, subjectOf(this.vm), names);
    this.#trouble = { ...this.#trouble, ...struck };
  }

  #notBooting(boot: 'no-system' | 'disk-error', done: (error: ArmErrorBody) => void): void {
    this.#chassis.say(() => (boot === 'disk-error' ? DISK_ERROR : NO_SYSTEM));
    const { giveUpMs } = this.#chassis.parts.times;
    this.#chassis.after(giveUpMs, () => done(osProvisioningTimedOut(this.vm.name).error));
  }

  #up(): void {
    const { osImage } = systemOf(this.vm);
    const [osName = osImage, osVersion = ''] = /^(\D+?) ([\d.]+)/.exec(osImage)?.slice(1) ?? [];
    const status = {
      code: 'ProvisioningState/succeeded',
      level: 'Info',
      displayStatus: 'Ready',
      message: 'Guest Agent is running',
      time: new Date(this.#chassis.now()).toISOString(),
    } as const;
    this.#chassis.parts.control.setInstanceView(this.vm.id, {
      computerName: this.vm.computerName,
      agent: { version: AGENT_VERSION, status },
      osName,
      osVersion,
    });
    this.#chassis.say(
      (tty) => serial.cloudInit(tty, 'init-local'),
      (tty) => serial.cloudInit(tty, 'init'),
    );
  }

  /** Undefined: it is no script. */
  #runCustomData(script: Script | undefined): void {
    this.#running = true;
    if (script?.started !== undefined) this.#provision(script.started, undefined);
    else if (script?.problem !== undefined) this.#broken(script.problem.line, script.problem.message);
    else this.#chassis.say((tty) => serial.cloudInit(tty, 'modules:final'), serial.loginPrompt);
  }

  #broken(line: number, message: string): void {
    this.#chassis.say(
      (tty) => serial.cloudInitLine(tty, `${PART}: line ${line}: ${message}`),
      (tty) => serial.cloudInitLine(tty, `[WARNING]: Failed running ${PART} [2]`),
    );
  }

  /** The provisioning script; `report` is the extension that runs it, if one does. */
  #provision(
    environment: ReadonlyMap<string, string>,
    report: ((outcome: ExtensionOutcome) => void) | undefined,
  ): void {
    const { cluster, times, sizeOf } = this.#chassis.parts;
    const { gpus, diskSizeGB } = sizeOf(this.vm);
    const { exitCode, lost, says } = this.#trouble;
    const kubelet = new Kubelet(this.#chassis, this.#trouble);
    this.#kubelet = kubelet;
    const { startedMs: bootMs } = this.#chassis;
    const scriptMs = this.#chassis.now();
    const end = runCse({
      environment,
      cluster,
      gpus,
      diskSizeGB,
      ...(lost === undefined ? {} : { lost }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(says === undefined ? {} : { says }),
    });
    const lastsMs = this.#chassis.bootMs * SHARES.script + (times.patient ? end.patienceMs : 0);
    this.#chassis.after(lastsMs, () => {
      const status = cseStatus(end, { bootMs, scriptMs, endMs: this.#chassis.now() });
      if (report === undefined) this.#saidByCloudInit(status, end.exitCode);
      else report({ exitCode: end.exitCode, stdout: status, stderr: '' });
      if (end.exitCode === 0) kubelet.start(environment, end.kubeletVersion);
    });
  }

  #saidByCloudInit(status: string, exitCode: number): void {
    this.#chassis.say((tty) => serial.cloudInitLine(tty, status));
    if (exitCode !== 0)
      this.#chassis.say(
        (tty) => serial.cloudInitLine(tty, `[WARNING]: Failed running ${PART} [${exitCode}]`),
        (tty) => serial.cloudInitLine(tty, '[WARNING]: Running module scripts-user failed'),
      );
    this.#chassis.say((tty) => serial.cloudInit(tty, 'modules:final'), serial.loginPrompt);
  }
}

// ---------------------------------------------------------------------------------------------------

const AGENT_VERSION = '2.14.0.1';
const PART = '/var/lib/cloud/instance/scripts/part-001';
const HANGS = 'systemd[1]: Job cloud-final.service/start running (no limit)';
const NO_SYSTEM = [
  'EFI SCSI Device... ',
  'The boot loader did not load an operating system.',
  'Virtual Machine Boot Summary: 1. SCSI Disk (0,0) The boot loader failed.',
  '',
].join('\r\n');
const DISK_ERROR = [
  '[    1.391920] sd 0:0:0:0: [sda] tag#12 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK',
  '[    1.392004] blk_update_request: I/O error, dev sda, sector 2099200 op 0x0:(READ)',
  '[    3.020118] EXT4-fs error (device sda1): ext4_journal_check_start: Detected aborted journal',
  'Gave up waiting for root file system device.',
  '(initramfs) ',
].join('\n');

const SILENT: ExtensionOutcome = { exitCode: -1, stdout: '', stderr: '', timedOut: true };
const NO_COMMAND: ExtensionOutcome = {
  exitCode: 51,
  stdout: '',
  stderr: '',
  message:
    "Enable failed: failed to get configuration: invalid configuration: 'commandToExecute' is not specified",
};

function subjectOf(vm: VmFacts): FaultSubject {
  const nodepool = vm.tags['karpenter.sh_nodepool'];
  return {
    method: 'PUT',
    type: vm.resource.type,
    name: vm.name,
    zone: vm.zone ?? '0',
    size: vm.size,
    capacity: vm.spot ? 'spot' : 'on-demand',
    ...(nodepool === undefined ? {} : { nodepool }),
  };
}
