/** systemctl for the steps: the state of a unit, and actions that fail with the output of systemd. */
import { FlexError } from '../flex-error.ts';
import type { Host } from '../host/host.ts';
import type { Facts } from '../step.ts';

export interface UnitState {
  /** Runs, or is about to. */
  readonly active: boolean;
  /** Starts with the machine. */
  readonly enabled: boolean;
}

/**
 * @throws {FlexError} if systemd does not say the state. Some callers record it as the state before bootstrap, so a query that
 * timed out or was interrupted must not count as a unit that does not run.
 */
export async function unitState(host: Host, unit: string): Promise<UnitState> {
  const [active, enabled] = await Promise.all([
    askUnit(host, 'is-active', unit),
    askUnit(host, 'is-enabled', unit),
  ]);
  return { active: RUNS.has(active), enabled: STARTS.has(enabled) };
}

export async function systemctl(host: Host, ...args: readonly string[]): Promise<void> {
  const result = await host.run({ argv: ['systemctl', ...args], changes: true, timeoutMs: 120_000 });
  if (result.exitCode === 0) return;
  const said = lastLine(result.stderr) || lastLine(result.stdout) || `exit code ${result.exitCode}`;
  const unit = args.at(-1) ?? '';
  throw new FlexError({
    class: 'step',
    code: result.exitCode === 127 ? 'systemd.missing' : 'systemd.failed',
    where: unit,
    message: `systemctl ${args.join(' ')} failed: ${said}`,
    remedy:
      result.exitCode === 127
        ? 'The machine must use systemd as its init system.'
        : `See \`systemctl status ${unit}\` and \`journalctl -u ${unit}\`.`,
  });
}

/** `yes`: unbootstrap has restored kubelet and containerd as they were; whatever runs under these names now is not ours. */
export const RETURNED = 'services.returned';

/** The fact that says with which files a unit was last started by us. */
export const runsWith = (unit: 'containerd' | 'kubelet'): string => `services.${unit}.runs-with`;

/**
 * Before a file of the unit is written that is not as it should be: the unit may have been started in between by somebody
 * else, with what was there. Step 11 then starts it anew, even though the wanted files are the same as before.
 */
export async function forgetRun(facts: Facts, unit: 'containerd' | 'kubelet'): Promise<void> {
  if (facts.get(runsWith(unit)) !== undefined) await facts.delete(runsWith(unit));
}

export function lastLine(text: string): string {
  return text.trim().split('\n').at(-1)?.trim() ?? '';
}

// ---------------------------------------------------------------------------------------------------

type Question = 'is-active' | 'is-enabled';

const ANSWERS: Readonly<Record<Question, RegExp>> = {
  'is-active':
    /^(?:active|reloading|refreshing|inactive|failed|activating|deactivating|maintenance|unknown)$/,
  'is-enabled':
    /^(?:enabled|enabled-runtime|linked|linked-runtime|alias|masked|masked-runtime|static|indirect|disabled|generated|transient|bad|not-found)$/,
};
/** For a unit that does not exist, systemd before 254 prints this to standard error and nothing else. */
const NO_UNIT_FILE = /^Failed to get unit file state for .*: No such file or directory$/m;

async function askUnit(host: Host, question: Question, unit: string): Promise<string> {
  const result = await host.run({
    argv: ['systemctl', question, unit],
    changes: false,
    withoutProgram: { exitCode: 3, stdout: question === 'is-active' ? 'inactive' : 'disabled' },
  });
  const word = result.stdout.trim();
  if (ANSWERS[question].test(word)) return word;
  if (question === 'is-enabled' && word === '' && NO_UNIT_FILE.test(result.stderr)) return 'not-found';
  const said = lastLine(result.stderr) || lastLine(result.stdout) || `exit code ${result.exitCode}`;
  throw new FlexError({
    class: 'step',
    code: result.exitCode === 127 ? 'systemd.missing' : 'systemd.no-answer',
    where: unit,
    message: `systemd did not report the state of ${unit}: systemctl ${question} ${unit}: ${said}`,
    remedy:
      result.exitCode === 127
        ? 'The machine must use systemd as its init system.'
        : 'Check `systemctl is-system-running`, then run the same command again.',
  });
}

const RUNS = new Set(['active', 'activating', 'reloading', 'refreshing']);
const STARTS = new Set(['enabled', 'enabled-runtime', 'linked', 'linked-runtime', 'alias']);
