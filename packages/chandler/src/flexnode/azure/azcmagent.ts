/**
 * Runs azcmagent, the CLI of the Arc agent. Its input is a config file on tmpfs that only root can read and that is
 * deleted afterwards; secrets are never passed as arguments. Its output is read as JSON and error codes, not as text.
 */
import type { World } from '@chandler/kube';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { CommandResult, Host } from '../host/host.ts';
import { NO_SUCH_PROGRAM, TOOK_TOO_LONG } from '../host/run-command.ts';
import { AZCM_CODES } from './azcm-codes.table.ts';
import { cloudToolName } from './environment.ts';
import { retryCall } from './retry-call.ts';

/** On tmpfs, mode 0700; it also contains the lock of the run. */
export const RUN_FOLDER = '/run/chandler-flexnode';
export const CONNECT_CONFIG = `${RUN_FOLDER}/azcmagent-connect.json`;

export interface AgentState {
  readonly connected: boolean;
  readonly subscriptionId?: string;
  readonly resourceGroup?: string;
  readonly resourceName?: string;
  readonly agentVersion?: string;
}

/** Returns `undefined` if the program is not installed. */
export async function agentVersion(host: Pick<Host, 'run'>): Promise<string | undefined> {
  const answer = await host.run({ argv: ['azcmagent', 'version'], changes: false, timeoutMs: 30_000 });
  if (answer.exitCode === 127) return undefined;
  if (answer.exitCode === TOOK_TOO_LONG) throw hangs('version', 30);
  return /\d+(?:\.\d+)+/.exec(answer.stdout)?.[0] ?? '';
}

export async function showAgent(host: Pick<Host, 'run'>): Promise<AgentState> {
  const answer = await host.run({ argv: ['azcmagent', 'show', '-j'], changes: false, timeoutMs: 60_000 });
  if (answer.exitCode === TOOK_TOO_LONG) throw hangs('show', 60);
  const shown = plainKeys(parse(answer.stdout));
  // Without an answer it is not known whether the agent is registered. Without the program it is not.
  if (answer.exitCode !== 0 && answer.exitCode !== NO_SUCH_PROGRAM && Object.keys(shown).length === 0)
    throw agentFailure('read the state of the Arc agent', answer);
  const pick = (name: keyof AgentState, ...keys: readonly string[]) => {
    const value = keys.map((key) => shown[key]).find((each) => typeof each === 'string' && each !== '');
    return value === undefined ? {} : { [name]: value };
  };
  return {
    connected: answer.exitCode === 0 && String(shown['status'] ?? shown['agentstatus']) === 'Connected',
    ...pick('subscriptionId', 'subscriptionid'),
    ...pick('resourceGroup', 'resourcegroup', 'resourcegroupname'),
    ...pick('resourceName', 'resourcename', 'name'),
    ...pick('agentVersion', 'agentversion'),
  };
}

/** Whether the agent is connected as the machine of the config. */
export function isConnectedAs(state: AgentState, azure: FlexConfig['azure']): boolean {
  return state.connected && isRegisteredAs(state, azure);
}

/** The same for an agent that may not reach Azure at the moment. */
export function isRegisteredAs(state: AgentState, azure: FlexConfig['azure']): boolean {
  const same = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase();
  return (
    same(state.subscriptionId, azure.subscriptionId) &&
    same(state.resourceGroup, azure.arc.resourceGroup) &&
    same(state.resourceName, azure.arc.machineName)
  );
}

export interface ConnectRequest {
  readonly azure: FlexConfig['azure'];
  readonly accessToken: string;
  readonly signal: AbortSignal;
}

export async function connectAgent(
  world: World,
  host: Pick<Host, 'run' | 'writeFile' | 'makeDirectory' | 'remove'>,
  request: ConnectRequest,
): Promise<void> {
  const once = async () => {
    await host.makeDirectory(RUN_FOLDER, 0o700);
    try {
      await host.writeFile(CONNECT_CONFIG, connectConfig(request), { mode: 0o600 });
      const answer = await host.run({
        argv: ['azcmagent', 'connect', '--config', CONNECT_CONFIG, '--no-color'],
        changes: true,
        timeoutMs: 10 * 60_000,
      });
      if (answer.exitCode !== 0) throw agentFailure('connect this machine to Azure Arc', answer);
    } finally {
      await host.remove(CONNECT_CONFIG);
    }
  };
  await retryCall(world, once, whenTransient, request.signal, { tries: 4, firstWaitMs: 15_000 });
}

/** A run that was killed while the agent was connecting leaves this file behind. */
export async function removeConnectConfig(host: Pick<Host, 'lstat' | 'remove'>): Promise<void> {
  if ((await host.lstat(CONNECT_CONFIG)) !== undefined) await host.remove(CONNECT_CONFIG);
}

/** Disconnects only locally: the resource in Azure is deleted separately, so that a failure there is reported. */
export async function disconnectAgent(host: Pick<Host, 'run'>): Promise<void> {
  const answer = await host.run({
    argv: ['azcmagent', 'disconnect', '--force-local-only'],
    changes: true,
    timeoutMs: 5 * 60_000,
  });
  if (answer.exitCode !== 0) throw agentFailure('disconnect this machine from Azure Arc', answer);
}

/** The proxy setting of the agent; empty if there is none. */
export async function agentProxy(host: Pick<Host, 'run'>): Promise<string> {
  const argv = ['azcmagent', 'config', 'get', 'proxy.url'] as const;
  const answer = await host.run({ argv, changes: false, timeoutMs: 30_000 });
  if (answer.exitCode === TOOK_TOO_LONG) throw hangs('config get', 30);
  // It is recorded as the setting of the owner, so a failure must not count as none.
  if (answer.exitCode !== 0 && answer.exitCode !== NO_SUCH_PROGRAM)
    throw agentFailure('read the proxy of the Arc agent', answer);
  return answer.exitCode === 0 ? (/https?:\/\/\S+/.exec(answer.stdout)?.[0] ?? '') : '';
}

export async function setAgentProxy(host: Pick<Host, 'run'>, url: string): Promise<void> {
  const change = url === '' ? (['clear', 'proxy.url'] as const) : (['set', 'proxy.url', url] as const);
  const answer = await host.run({
    argv: ['azcmagent', 'config', ...change],
    changes: true,
    timeoutMs: 60_000,
  });
  if (answer.exitCode !== 0) throw agentFailure('set the proxy of the Arc agent', answer);
}

/** The codes in the output of `azcmagent`, in order. */
export function azcmCodes(text: string): readonly string[] {
  return [...text.matchAll(/AZCM\d{4}/g)].map((match) => match[0]);
}

/** Tags in the format of the agent: one list, with spaces and commas in single quotes. Quotes cannot be escaped. */
export function tagList(tags: Readonly<Record<string, string>>): string {
  const word = (text: string) => {
    if (text.includes("'")) throw badTag(text);
    return /^[\w.:/@+-]*$/.test(text) ? text : `'${text}'`;
  };
  return Object.keys(tags)
    .sort()
    .map((key) => `${word(key)}=${word(tags[key]!)}`)
    .join(',');
}

// ---------------------------------------------------------------------------------------------------

/** The keys are the names of the flags. */
function connectConfig({ azure, accessToken }: ConnectRequest): string {
  const tags = tagList(azure.arc.tags);
  const config = {
    'subscription-id': azure.subscriptionId,
    'resource-group': azure.arc.resourceGroup,
    'tenant-id': azure.tenantId,
    location: azure.arc.location,
    'resource-name': azure.arc.machineName,
    cloud: cloudToolName(azure.cloud),
    ...(tags === '' ? {} : { tags }),
    'access-token': accessToken,
  };
  return `${JSON.stringify(config)}\n`;
}

function agentFailure(doing: string, answer: CommandResult): FlexError {
  const output = `${answer.stdout}\n${answer.stderr}`;
  const code = azcmCodes(output).find((each) => AZCM_CODES[each] !== undefined) ?? azcmCodes(output)[0];
  const row = code === undefined ? undefined : AZCM_CODES[code];
  const said = row?.means ?? `azcmagent exited with code ${answer.exitCode}`;
  return new FlexError({
    class: row?.class ?? 'step',
    code: code === undefined ? 'azcmagent.failed' : `azcmagent.${code.toLowerCase()}`,
    message: `cannot ${doing}: ${said}${code === undefined ? '' : ` (${code})`}`,
    remedy: row?.remedy ?? 'Check azcmagent logs and /var/opt/azcmagent/log/azcmagent.log.',
  });
}

/** The agent waits for himds without a limit of its own. */
function hangs(verb: string, seconds: number): FlexError {
  return new FlexError({
    class: 'step',
    code: 'azcmagent.timeout',
    message: `the Arc agent hangs: azcmagent ${verb} did not end within ${seconds} s`,
    remedy:
      'Check systemctl status himdsd, restart it (systemctl restart himdsd), and run the command again.',
  });
}

function whenTransient(error: unknown): { readonly waitMs?: number } | undefined {
  if (!(error instanceof FlexError)) return undefined;
  const code = error.facts.code.replace('azcmagent.', '').toUpperCase();
  return AZCM_CODES[code]?.transient === true ? {} : undefined;
}

function badTag(text: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'arc.bad-tag',
    message: `the Arc agent does not support single quotes in tags: ${JSON.stringify(text)}`,
    where: 'azure.arc.tags',
  });
}

/** Treats `Resource Group Name`, `resourceGroup` and `resource_group` as equal. */
function plainKeys(shown: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(shown).map(([key, value]) => [key.replace(/[\s_-]/g, '').toLowerCase(), value]),
  );
}

function parse(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
