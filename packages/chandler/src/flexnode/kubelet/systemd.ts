/** systemd queries for starting and stopping a node, in addition to `../steps/services.ts`. */
import type { CommandResult, Host } from '../host/host.ts';

/** How often systemd has started the unit again by itself. */
export async function restartsOf(host: Host, unit: string): Promise<number> {
  const { stdout } = await host.run({
    argv: ['systemctl', 'show', '--property=NRestarts', '--value', unit],
    changes: false,
    timeoutMs: 10_000,
  });
  return Number.parseInt(stdout, 10) || 0;
}

/** Where a failure is for the caller to weigh. */
export function tryUnit(
  host: Host,
  act: 'start' | 'stop' | 'disable' | 'reset-failed',
  unit: string,
): Promise<CommandResult> {
  return host.run({ argv: ['systemctl', act, unit], changes: true, timeoutMs: 120_000 });
}
