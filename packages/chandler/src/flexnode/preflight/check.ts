/** The type of a check: a stable name and a read-only function over the machine, the config or the network. */
import type { Fetch } from '@chandler/kube';
import type { AzureClient } from '../azure/azure-client.ts';
import type { Parts } from '../engine/parts.ts';
import type { Facts, StepId } from '../step.ts';
import type { Finding } from './report.ts';

export type PreflightParts = Pick<Parts, 'world' | 'host' | 'config' | 'cluster' | 'architecture'> & {
  /** Through the proxies of the config. Default: the world's own. */
  readonly fetch?: Fetch;
  /** With the credential of the operator. Without it, Azure is not asked. */
  readonly azure?: AzureClient;
};

export interface Inspection extends PreflightParts {
  /** The facts of earlier runs. */
  readonly facts: Pick<Facts, 'get'>;
  /** A run of ours has been here. */
  readonly ours: boolean;
  readonly allowUnsupportedOs: boolean;
  /** The steps that have to run. Without it, each of them may. */
  readonly toRun?: ReadonlySet<StepId>;
  /** Those of them that install a program. Without it, each of them may. */
  readonly toInstall?: ReadonlySet<StepId>;
  readonly signal: AbortSignal;
}

export interface Check {
  readonly name: string;
  /** Before bootstrap, its errors are warnings if none of these steps has to run. Default: they are errors. */
  readonly neededBy?: readonly StepId[];
  /** The same, if none of these steps has to install a program. */
  readonly installedBy?: readonly StepId[];
  /** One finding for each thing it looked at; none where it does not apply. */
  look(inspection: Inspection): Promise<readonly Finding[]>;
}

export function isAnyToRun({ toRun }: Pick<Inspection, 'toRun'>, steps: readonly StepId[]): boolean {
  return toRun === undefined || steps.some((step) => toRun.has(step));
}

export function isAnyToInstall(
  { toInstall }: Pick<Inspection, 'toInstall'>,
  steps: readonly StepId[],
): boolean {
  return toInstall === undefined || steps.some((step) => toInstall.has(step));
}

export const ok = (message: string, target?: string): Finding => finding('ok', message, undefined, target);

export const warning = (message: string, remedy: string, target?: string): Finding =>
  finding('warning', message, remedy, target);

export const error = (message: string, remedy: string, target?: string): Finding =>
  finding('error', message, remedy, target);

/** The text of a file; empty when it is not there. */
export async function textOf({ host }: Pick<Inspection, 'host'>, path: string): Promise<string> {
  return Buffer.from((await host.readFile(path)) ?? []).toString('utf8');
}

/** What a program prints; `undefined` when it is not there or fails. */
export async function outputOf(
  { host }: Pick<Inspection, 'host'>,
  ...argv: readonly [string, ...string[]]
): Promise<string | undefined> {
  const { exitCode, stdout } = await host.run({ argv, changes: false, timeoutMs: 20_000 });
  return exitCode === 0 ? stdout : undefined;
}

// ---------------------------------------------------------------------------------------------------

function finding(severity: Finding['severity'], message: string, remedy?: string, target?: string): Finding {
  return {
    severity,
    message,
    ...(target === undefined ? {} : { target }),
    ...(remedy === undefined ? {} : { remedy }),
  };
}
