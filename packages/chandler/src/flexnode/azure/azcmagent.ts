/**
 * The Arc agent's own program. Everything it must be told goes through a config file that only root can read, on a file
 * system in memory, gone when the program ends; nothing secret is ever an argument. What it answers is read from JSON
 * and from its codes, not from its sentences.
 */
import type { World } from '@chandler/kube';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { CommandResult, Host } from '../host/host.ts';
import { AZCM_CODES } from './azcm-codes.table.ts';
import { cloudToolName } from './environment.ts';
import { patientCall } from './patient-call.ts';

/** On tmpfs, mode 0700; the lock of the run lies there too. */
export const RUN_FOLDER = '/run/chandler-flexnode';
export const CONNECT_CONFIG = `${RUN_FOLDER}/azcmagent-connect.json`;

export interface AgentState {
  readonly connected: boolean;
  readonly subscriptionId?: string;
  readonly resourceGroup?: string;
  readonly resourceName?: string;
  readonly agentVersion?: string;
}

/** `undefined`: the program is not there. */
export async function agentVersion(host: Pick<Host, 'run'>): Promise<string | undefined> {
  const answer = await host.run({ argv: ['azcmagent', 'version'], changes: false, timeoutMs: 30_000 });
  if (answer.exitCode === 127) return undefined;
  return /\d+(?:\.\d+)+/.exec(answer.stdout)?.[0] ?? '';
}

export async function showAgent(host: Pick<Host, 'run'>): Promise<AgentState> {
  const answer = await host.run({ argv: ['azcmagent', 'show', '-j'], changes: false, timeoutMs: 60_000 });
  const shown = plainKeys(parse(answer.stdout));
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

/** Whether it is connected as the machine that the config names. */
export function isConnectedAs(state: AgentState, azure: FlexConfig['azure']): boolean {
  const same = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase();
  return (
    state.connected &&
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
  await patientCall(world, once, whenPassing, request.signal, { tries: 4, firstWaitMs: 15_000 });
}

/** A run that died while the agent was connecting leaves the file; it is gone at a reboot, or here. */
export async function removeConnectConfig(host: Pick<Host, 'lstat' | 'remove'>): Promise<void> {
  if ((await host.lstat(CONNECT_CONFIG)) !== undefined) await host.remove(CONNECT_CONFIG);
}

/** Locally only: what is in Azure is deleted by us, so that a failure there is seen. */
export async function disconnectAgent(host: Pick<Host, 'run'>): Promise<void> {
  const answer = await host.run({
    argv: ['azcmagent', 'disconnect', '--force-local-only'],
    changes: true,
    timeoutMs: 5 * 60_000,
  });
  if (answer.exitCode !== 0) throw agentFailure('disconnect this machine from Azure Arc', answer);
}

/** The agent's own setting, before and after us; empty is none. */
export async function agentProxy(host: Pick<Host, 'run'>): Promise<string> {
  const argv = ['azcmagent', 'config', 'get', 'proxy.url'] as const;
  const answer = await host.run({ argv, changes: false, timeoutMs: 30_000 });
  return answer.exitCode === 0 ? (/https?:\/\/\S+/.exec(answer.stdout)?.[0] ?? '') : '';
}

export async function setAgentProxy(host: Pick<Host, 'run'>, url: string): Promise<void> {
  const change = url === '' ? (['clear', 'proxy.url'] as const) : (['set', 'proxy.url', url] as const);
  const answer = await host.run({
    argv: ['azcmagent', 'config', ...change],
    changes: true,
    timeoutMs: 60_000,
  });
  if (answer.exitCode !== 0) throw agentFailure('tell the Arc agent of the proxy', answer);
}

/** Codes that `azcmagent` printed, in order. */
export function azcmCodes(text: string): readonly string[] {
  return [...text.matchAll(/AZCM\d{4}/g)].map((match) => match[0]);
}

/** Tags as the agent takes them: one list; blanks and commas need single quotes, which then cannot be part of it. */
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

/** Keys are the names of the flags. No byte order mark: the agent does not read a file with one. */
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
  const said = row?.means ?? `azcmagent ended with ${answer.exitCode}`;
  return new FlexError({
    class: row?.class ?? 'step',
    code: code === undefined ? 'azcmagent.failed' : `azcmagent.${code.toLowerCase()}`,
    message: `cannot ${doing}: ${said}${code === undefined ? '' : ` (${code})`}`,
    remedy: row?.remedy ?? 'azcmagent logs; look at /var/opt/azcmagent/log/azcmagent.log',
  });
}

function whenPassing(error: unknown): { readonly waitMs?: number } | undefined {
  if (!(error instanceof FlexError)) return undefined;
  const code = error.facts.code.replace('azcmagent.', '').toUpperCase();
  return AZCM_CODES[code]?.passing === true ? {} : undefined;
}

function badTag(text: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'arc.bad-tag',
    message: `the Arc agent takes no single quote in a tag: ${JSON.stringify(text)}`,
    where: 'azure.arc.tags',
  });
}

/** `Resource Group Name`, `resourceGroup` and `resource_group` are one to us. */
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
