/** What the provisioning script prints last, in its exact form: the JSON of jq with its white space collapsed. */
import type { CseEnd } from './cse.ts';

export interface CseTimes {
  /** When the VM was powered on. */
  readonly bootMs: number;
  readonly scriptMs: number;
  readonly endMs: number;
}

export function cseStatus(end: CseEnd, times: CseTimes): string {
  const at = (ms: number) => new Date(ms).toUTCString().replace('GMT', 'UTC');
  const early = (share: number) => at(times.bootMs + (times.scriptMs - times.bootMs) * share);
  const kernel = at(times.bootMs);
  const cse = at(times.scriptMs);
  const agent = early(0.8);
  const status = {
    ExitCode: String(end.exitCode),
    Output: lastBytes(end.trace.join('\n'), OUTPUT_BYTES),
    Error: '',
    ExecDuration: String(Math.round((times.endMs - times.scriptMs) / 1000)),
    KernelStartTime: kernel,
    CloudInitLocalStartTime: early(0.2),
    CloudInitStartTime: early(0.4),
    CloudFinalStartTime: early(0.9),
    NetworkdStartTime: early(0.3),
    CSEStartTime: cse,
    GuestAgentStartTime: agent,
    SystemdSummary: `Startup finished in 1.9s (kernel) + ${((times.scriptMs - times.bootMs) / 1000).toFixed(3)}s (userspace)`,
    BootDatapoints: {
      KernelStartTime: kernel,
      CSEStartTime: cse,
      GuestAgentStartTime: agent,
      KubeletStartTime: end.exitCode === 0 ? at(times.endMs) : 'n/a',
    },
  };
  return JSON.stringify(status, undefined, 1).replace(/\s+/g, ' ');
}

// ---------------------------------------------------------------------------------------------------

/** Of the script's log. */
const OUTPUT_BYTES = 3000;

function lastBytes(text: string, limit: number): string {
  const bytes = Buffer.from(text);
  return bytes.length <= limit ? text : bytes.subarray(bytes.length - limit).toString();
}
