/**
 * The guest of one VM: it boots, runs its custom data, becomes a node or fails as a real VM does. What the variables mean
 * is decided by cse.ts and node-plan.ts; this file decides order and time.
 */
import { osProvisioningTimedOut } from '../compute/compute-errors.ts';
import type { ExtensionOutcome, VmFacts } from '../compute/vm-hooks.ts';
import type { FaultSubject } from '../faults/fault.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import { systemOf } from './cloud-node.ts';
import { runCse } from './cse.ts';
import { cseStatus } from './cse-status.ts';
import { BOOT_FAULTS, type GuestFault, NO_FAULT, triggerGuestFault } from './guest-faults.ts';
import { Kubelet } from './kubelet.ts';
import * as serial from './serial-log.ts';
import { readScript, type Script } from './shell-script.ts';
import { type GuestParts, SHARES, VmRuntime } from './vm-runtime.ts';

/** The program that makes a VM a node. */
export const PROVISIONING = 'provision_start.sh';

export class VmGuest {
  readonly #runtime: VmRuntime;
  #fault: GuestFault = NO_FAULT;
  #running = false;
  #kubelet: Kubelet | undefined;

  constructor(parts: GuestParts, vm: VmFacts) {
    this.#runtime = new VmRuntime(parts, vm);
  }

  get vm(): VmFacts {
    return this.#runtime.vm;
  }

  /** Nodes that it has registered. */
  get nodes(): readonly string[] {
    return this.#kubelet?.nodes ?? [];
  }

  /** Powered on; `done` when Azure reports it as running, or as failed. */
  boot(done: (error?: ArmErrorBody) => void): void {
    const { customData, size } = this.vm;
    const script = customData.startsWith('#!') ? readScript(customData, PROVISIONING) : undefined;
    this.#triggerFaults((name) => script?.started !== undefined || BOOT_FAULTS.has(name));
    const { boot, delayMs = 0 } = this.#fault;
    if (boot === 'no-system' || boot === 'disk-error') {
      this.#notBooting(boot, done);
      return;
    }
    this.#runtime.writeSerial((tty) => serial.kernelStart(tty, size));
    this.#runtime.after(this.#runtime.bootMs * SHARES.up + delayMs, () => {
      this.#up();
      done();
      if (boot === 'hang') this.#runtime.writeSerial((tty) => serial.kernelLine(tty, HANGING));
      else this.#runCustomData(script);
    });
  }

  /** A custom script extension, with its command. */
  runCommand(command: unknown, done: (outcome: ExtensionOutcome) => void): void {
    const script = readScript(typeof command === 'string' ? command : '', PROVISIONING);
    const plain = this.#plainOutcome(command, script);
    if (plain !== undefined) {
      this.#runtime.after(plain.afterMs, () => done(plain.outcome));
      return;
    }
    // The register was already queried for `cse` at the extension.
    this.#triggerFaults((name) => name !== 'cse' && !BOOT_FAULTS.has(name));
    this.#provision(script.started!, done);
  }

  /** Powered off: nothing is written any more. */
  powerOff(): void {
    this.#kubelet?.stop();
  }

  async powerOn(): Promise<void> {
    await this.#kubelet?.resume();
  }

  /** Loses power at once, and boots again from its disk: what was provisioned is there, and a kernel that stopped runs. */
  restart(): void {
    this.powerOff();
    this.#runtime.dead = false;
    this.#runtime.writeSerial((tty) => serial.kernelStart(tty, this.vm.size));
    this.#runtime.after(this.#runtime.bootMs * (SHARES.up + SHARES.ready), () =>
      this.#runtime.run(() => this.powerOn()),
    );
  }

  /** Permanently. */
  end(): void {
    this.#running = false;
    this.#runtime.end();
    this.powerOff();
  }

  /** The result of a command that does not make the VM a node. */
  #plainOutcome(
    command: unknown,
    { started, problem }: Script,
  ): { readonly afterMs: number; readonly outcome: ExtensionOutcome } | undefined {
    const { parts, bootMs } = this.#runtime;
    const ended = (exitCode: number, stderr = '') => ({ exitCode, stdout: '', stderr });
    if (!this.#running || this.#runtime.dead)
      return { afterMs: parts.times.provisioningTimeoutMs, outcome: TIMED_OUT };
    if (typeof command !== 'string' || command === '') return { afterMs: 0, outcome: NO_COMMAND };
    if (problem !== undefined)
      return { afterMs: 0, outcome: ended(2, `/bin/sh: 1: Syntax error: ${problem.message}`) };
    const isNode = this.#kubelet !== undefined;
    return started === undefined || isNode
      ? { afterMs: bootMs * SHARES.register, outcome: ended(0) }
      : undefined;
  }

  #triggerFaults(names: (name: string) => boolean): void {
    const triggered = triggerGuestFault(this.#runtime.parts.faults, subjectOf(this.vm), names);
    this.#fault = { ...this.#fault, ...triggered };
  }

  #notBooting(boot: 'no-system' | 'disk-error', done: (error: ArmErrorBody) => void): void {
    this.#runtime.writeSerial(() => (boot === 'disk-error' ? DISK_ERROR : NO_SYSTEM));
    const { provisioningTimeoutMs } = this.#runtime.parts.times;
    this.#runtime.after(provisioningTimeoutMs, () => done(osProvisioningTimedOut(this.vm.name).error));
  }

  #up(): void {
    const { osImage } = systemOf(this.vm);
    const [osName = osImage, osVersion = ''] = /^(\D+?) ([\d.]+)/.exec(osImage)?.slice(1) ?? [];
    const status = {
      code: 'ProvisioningState/succeeded',
      level: 'Info',
      displayStatus: 'Ready',
      message: 'Guest Agent is running',
      time: new Date(this.#runtime.now()).toISOString(),
    } as const;
    this.#runtime.parts.control.setInstanceView(this.vm.id, {
      computerName: this.vm.computerName,
      agent: { version: AGENT_VERSION, status },
      osName,
      osVersion,
    });
    this.#runtime.writeSerial(
      (tty) => serial.cloudInit(tty, 'init-local'),
      (tty) => serial.cloudInit(tty, 'init'),
    );
  }

  /** Undefined: not a script. */
  #runCustomData(script: Script | undefined): void {
    this.#running = true;
    if (script?.started !== undefined) this.#provision(script.started, undefined);
    else if (script?.problem !== undefined) this.#broken(script.problem.line, script.problem.message);
    else this.#runtime.writeSerial((tty) => serial.cloudInit(tty, 'modules:final'), serial.loginPrompt);
  }

  #broken(line: number, message: string): void {
    this.#runtime.writeSerial(
      (tty) => serial.cloudInitLine(tty, `${PART}: line ${line}: ${message}`),
      (tty) => serial.cloudInitLine(tty, `[WARNING]: Failed running ${PART} [2]`),
    );
  }

  /** The provisioning script; `report` is the extension that runs it, if one does. */
  #provision(
    environment: ReadonlyMap<string, string>,
    report: ((outcome: ExtensionOutcome) => void) | undefined,
  ): void {
    const { cluster, times, sizeOf } = this.#runtime.parts;
    const { gpus, diskSizeGB } = sizeOf(this.vm);
    const { exitCode, lost, trace } = this.#fault;
    const kubelet = new Kubelet(this.#runtime, this.#fault);
    this.#kubelet = kubelet;
    const { startedMs: bootMs } = this.#runtime;
    const scriptMs = this.#runtime.now();
    const end = runCse({
      environment,
      cluster,
      gpus,
      diskSizeGB,
      ...(lost === undefined ? {} : { lost }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(trace === undefined ? {} : { trace }),
    });
    const lastsMs = this.#runtime.bootMs * SHARES.script + (times.realistic ? end.realDurationMs : 0);
    this.#runtime.after(lastsMs, () => {
      const status = cseStatus(end, { bootMs, scriptMs, endMs: this.#runtime.now() });
      if (report === undefined) this.#logByCloudInit(status, end.exitCode);
      else report({ exitCode: end.exitCode, stdout: status, stderr: '' });
      if (end.exitCode === 0) kubelet.start(environment, end.kubeletVersion);
    });
  }

  #logByCloudInit(status: string, exitCode: number): void {
    this.#runtime.writeSerial((tty) => serial.cloudInitLine(tty, status));
    if (exitCode !== 0)
      this.#runtime.writeSerial(
        (tty) => serial.cloudInitLine(tty, `[WARNING]: Failed running ${PART} [${exitCode}]`),
        (tty) => serial.cloudInitLine(tty, '[WARNING]: Running module scripts-user failed'),
      );
    this.#runtime.writeSerial((tty) => serial.cloudInit(tty, 'modules:final'), serial.loginPrompt);
  }
}

// ---------------------------------------------------------------------------------------------------

const AGENT_VERSION = '2.14.0.1';
const PART = '/var/lib/cloud/instance/scripts/part-001';
const HANGING = 'systemd[1]: Job cloud-final.service/start running (no limit)';
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

const TIMED_OUT: ExtensionOutcome = { exitCode: -1, stdout: '', stderr: '', timedOut: true };
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
