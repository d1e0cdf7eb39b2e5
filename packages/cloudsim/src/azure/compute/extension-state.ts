/**
 * The state of an extension besides its resource, and how its result is reported: the status of the instance view and
 * the error of the operation, in the texts of the custom script extension and of the compute provider.
 */
import type { Fault } from '../faults/fault.ts';
import { numberOf } from '../faults/parse-fault.ts';
import type { ArmErrorBody } from '../wire/errors.ts';
import type { ExtensionOutcome, InstanceStatus } from './vm-hooks.ts';

export interface ExtensionState {
  readonly id: string;
  readonly name: string;
  readonly publisher: string;
  readonly type: string;
  readonly typeHandlerVersion: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Never shown. */
  readonly protectedSettings: Readonly<Record<string, unknown>>;
  status: InstanceStatus;
  /** Counts runs: the result of an earlier run is ignored. */
  run: number;
  operations: string[];
  /** Why the last run failed. */
  error: ArmErrorBody | undefined;
}

export function statusOf(outcome: ExtensionOutcome, time: string): InstanceStatus {
  if (outcome.timedOut)
    return {
      code: 'ProvisioningState/failed/-1',
      level: 'Error',
      displayStatus: 'Provisioning failed',
      message: 'Enable in progress',
      time,
    };
  const failed = outcome.exitCode !== 0;
  return {
    code: failed ? `ProvisioningState/failed/${outcome.exitCode}` : 'ProvisioningState/succeeded',
    level: failed ? 'Error' : 'Info',
    displayStatus: failed ? 'Provisioning failed' : 'Provisioning succeeded',
    message: messageOf(outcome),
    time,
  };
}

/** Undefined on success. */
export function errorOf(extension: ExtensionState, outcome: ExtensionOutcome): ArmErrorBody | undefined {
  if (outcome.timedOut)
    return {
      code: 'VMExtensionProvisioningTimeout',
      message:
        `Provisioning of VM extension ${extension.name} has timed out. Extension provisioning has taken too long to complete. ` +
        `The extension last reported "Enable in progress". More information on troubleshooting is available at ${HELP}`,
    };
  if (outcome.exitCode === 0) return undefined;
  return {
    code: 'VMExtensionProvisioningError',
    message:
      `VM has reported a failure when processing extension '${extension.name}' (publisher '${extension.publisher}' and type ` +
      `'${extension.type}'). Error message: '${messageOf(outcome)}'. More information on troubleshooting is available at ${HELP}`,
  };
}

/** The result that a fault causes; undefined when it does not apply to this kind of extension. */
export function faultOutcome(
  fault: Fault,
  extension: ExtensionState,
  startedMs: number,
): ExtensionOutcome | undefined {
  if (fault.name === 'extension-timeout') return { exitCode: -1, stdout: '', stderr: '', timedOut: true };
  if (fault.name === 'extension-fails')
    return {
      exitCode: 1,
      stdout: '',
      stderr: '',
      message: `Enable failed: the handler of ${extension.publisher}.${extension.type} is not ready.`,
    };
  if (fault.name === 'preempted' || !isScript(extension)) return undefined;
  const exitCode = numberOf(fault);
  const trace = `+ exit ${exitCode}`;
  if (fault.name === 'cse-plain') return { exitCode, stdout: '', stderr: trace };
  const output =
    fault.name === 'cse-truncated' ? `${'+ retrycmd_if_failure 100 5\n'.repeat(200)}${trace}` : trace;
  return { exitCode, stdout: nodeStatus(exitCode, output, startedMs), stderr: '' };
}

export function isScript(extension: Pick<ExtensionState, 'type'>): boolean {
  return /^CustomScript/i.test(extension.type);
}

/** What the provisioning script of the node prints last: every value is a text, the exit code comes first. */
export function nodeStatus(exitCode: number, output: string, startedMs: number): string {
  const at = (offsetMs: number) => new Date(startedMs + offsetMs).toUTCString();
  return JSON.stringify({
    ExitCode: String(exitCode),
    Output: output,
    Error: '',
    ExecDuration: '12',
    KernelStartTime: at(-20_000),
    CloudInitLocalStartTime: at(-16_000),
    CloudInitStartTime: at(-14_000),
    CloudFinalStartTime: at(-2000),
    NetworkdStartTime: at(-15_000),
    CSEStartTime: at(0),
    GuestAgentStartTime: at(-3000),
    SystemdSummary: 'Startup finished in 2.1s (kernel) + 11.9s (userspace) = 14.0s',
    BootDatapoints: {
      KernelStartTime: at(-20_000),
      CSEStartTime: at(0),
      GuestAgentStartTime: at(-3000),
      KubeletStartTime: '',
    },
  });
}

// ---------------------------------------------------------------------------------------------------

const HELP = 'https://aka.ms/VMExtensionCSELinuxTroubleshoot. ';
/** The extension sends only the tail of the output of a script. */
const TAIL_BYTES = 4096;

function messageOf(outcome: ExtensionOutcome): string {
  if (outcome.message !== undefined) return outcome.message;
  const streams = `\n[stdout]\n${tail(outcome.stdout)}\n[stderr]\n${tail(outcome.stderr)}`;
  return outcome.exitCode === 0
    ? `Enable succeeded: ${streams}`
    : `Enable failed: failed to execute command: command terminated with exit status=${outcome.exitCode}${streams}`;
}

function tail(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length <= TAIL_BYTES ? text : bytes.subarray(bytes.length - TAIL_BYTES).toString();
}
