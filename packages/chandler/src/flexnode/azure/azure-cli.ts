/**
 * The Azure CLI login of the operator. `az` runs with a restricted environment: the login of root and no extensions, so
 * that no code from the home directory of another user runs as root. `az login` is started only in an interactive
 * terminal, where `az` prints the device code itself.
 */
import { httpsProxyOf } from '../artifacts/proxy-fetch.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Command, CommandResult, Host } from '../host/host.ts';
import { TOOK_TOO_LONG } from '../host/run-command.ts';
import { noTokenAnswer } from './azure-failure.ts';
import { cloudToolName } from './environment.ts';

export interface CliToken {
  readonly token: string;
  readonly expiresOnMs: number;
}

export interface AzureCli {
  /** Logs in if that is needed and the terminal is interactive. */
  signIn(signal?: AbortSignal): Promise<void>;
  /** Throws a `FlexError` of class `auth` that names the command to run, or an error that may be retried. */
  token(scope: string, signal?: AbortSignal): Promise<CliToken>;
}

export interface AzureCliOptions {
  readonly config: Pick<FlexConfig, 'azure' | 'proxy'>;
  readonly host: Pick<Host, 'run'>;
  /** The terminal is interactive. */
  readonly interactive: boolean;
  readonly nowMs: () => number;
}

/** A directory that does not exist, so that `az` loads no extensions. */
export const NO_EXTENSIONS = '/var/lib/chandler-flexnode/no-az-extensions';

export function loginCommand(azure: Pick<FlexConfig['azure'], 'tenantId'>): readonly [string, ...string[]] {
  return ['az', 'login', '--tenant', azure.tenantId, '--use-device-code'];
}

export function azureCli(options: AzureCliOptions): AzureCli {
  const { azure } = options.config;
  const env = cliEnvironment(options.config);
  const run = async (
    argv: Command['argv'],
    signal: AbortSignal | undefined,
    more: Partial<Command> = {},
  ): Promise<CommandResult> => {
    signal?.throwIfAborted();
    const ended = signal === undefined ? {} : { signal };
    const timeoutMs = CLI_TIMEOUT_MS;
    const result = await options.host.run({ argv, env, changes: false, timeoutMs, ...ended, ...more });
    signal?.throwIfAborted();
    return result;
  };
  const ensureLogin = async (signal: AbortSignal | undefined): Promise<void> => {
    const shown = await run(['az', 'account', 'show', '--output', 'json'], signal);
    const problem = loginProblem(shown, azure);
    if (problem === undefined) return;
    if (problem.facts.code !== 'azure-cli.not-logged-in' || !options.interactive) throw problem;
    const login = await run([...loginCommand(azure), '--output', 'none'], signal, {
      changes: true,
      interactive: true,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
    if (login.exitCode !== 0) throw notLoggedIn(azure, `az login exited with code ${login.exitCode}`);
  };
  /** All callers wait for one login. */
  let ready: { readonly done: Promise<void>; readonly signal: AbortSignal | undefined } | undefined;
  const signIn = async (signal?: AbortSignal): Promise<void> => {
    for (;;) {
      ready ??= { done: ensureLogin(signal), signal };
      const mine = ready;
      try {
        return await mine.done;
      } catch (error) {
        if (ready === mine) ready = undefined;
        const isOthers = mine.signal !== signal && mine.signal?.aborted === true;
        if (!isOthers || signal?.aborted === true) throw error;
      }
    }
  };
  return {
    signIn,
    async token(scope, signal) {
      await signIn(signal);
      const argv: Command['argv'] = [
        ...(['az', 'account', 'get-access-token'] as const),
        '--scope',
        scope,
        '--tenant',
        azure.tenantId,
        '--output',
        'json',
      ];
      const answer = await run(argv, signal);
      if (answer.exitCode !== 0) throw noToken(answer, azure);
      return readToken(answer.stdout, options.nowMs()) ?? fail(azure);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const CLI_TIMEOUT_MS = 60_000;
/** A device code is valid for fifteen minutes. */
const LOGIN_TIMEOUT_MS = 15 * 60_000;

function cliEnvironment(config: Pick<FlexConfig, 'azure' | 'proxy'>): Record<string, string> {
  const { http, noProxy } = config.proxy;
  const https = httpsProxyOf(config.proxy);
  return {
    AZURE_CLOUD_NAME: cloudToolName(config.azure.cloud),
    AZURE_EXTENSION_DIR: NO_EXTENSIONS,
    AZURE_EXTENSION_USE_DYNAMIC_INSTALL: 'no',
    AZURE_CORE_COLLECT_TELEMETRY: 'no',
    AZURE_CORE_NO_COLOR: 'yes',
    ...(http === undefined ? {} : { HTTP_PROXY: http }),
    ...(https === undefined ? {} : { HTTPS_PROXY: https }),
    ...(noProxy.length === 0 ? {} : { NO_PROXY: noProxy.join(',') }),
  };
}

function loginProblem(shown: CommandResult, azure: FlexConfig['azure']): FlexError | undefined {
  if (shown.exitCode === 127) {
    return new FlexError({
      class: 'auth',
      code: 'azure-cli.missing',
      message: 'azure.servicePrincipal is not configured and the Azure CLI (az) is not installed',
      remedy: 'Configure azure.servicePrincipal, or install the Azure CLI and run bootstrap again.',
      where: 'azure.servicePrincipal',
    });
  }
  if (shown.exitCode === TOOK_TOO_LONG) throw noTokenAnswer('az account show timed out');
  if (shown.exitCode !== 0) return notLoggedIn(azure, firstLine(shown.stderr));
  const account = parse(shown.stdout);
  const cloud = account?.['environmentName'];
  const wanted = cloudToolName(azure.cloud);
  if (typeof cloud === 'string' && cloud !== wanted) {
    return new FlexError({
      class: 'auth',
      code: 'azure-cli.other-cloud',
      message: `the Azure CLI is logged in to ${cloud}, but the config names ${azure.cloud}`,
      remedy: `Run: az cloud set --name ${wanted} && ${loginCommand(azure).join(' ')}`,
      where: 'azure.cloud',
    });
  }
  return undefined;
}

/** The network, as the HTTP library of az describes it. A code of Entra ID is an answer, whatever else is said. */
const NO_CONNECTION =
  /HTTPS?ConnectionPool|Max retries exceeded|(?:Connection|NameResolution|Proxy|SSL|Timeout)Error|Connect ?Timeout|Read ?Timeout|timed out|Connection (?:aborted|reset|refused)|name resolution|Network is unreachable/i;

function noToken({ exitCode, stderr }: CommandResult, azure: FlexConfig['azure']): Error {
  if (exitCode === TOOK_TOO_LONG) return noTokenAnswer('az account get-access-token timed out');
  if (!/AADSTS\d/.test(stderr) && NO_CONNECTION.test(stderr)) return noTokenAnswer(firstLine(stderr));
  return notLoggedIn(azure, firstLine(stderr));
}

function notLoggedIn(azure: FlexConfig['azure'], said: string): FlexError {
  return new FlexError({
    class: 'auth',
    code: 'azure-cli.not-logged-in',
    message: `the Azure CLI is not logged in to tenant ${azure.tenantId}${said === '' ? '' : `: ${said}`}`,
    remedy: `Run as root: ${loginCommand(azure).join(' ')}. Or configure azure.servicePrincipal.`,
  });
}

function fail(azure: FlexConfig['azure']): never {
  throw new FlexError({
    class: 'auth',
    code: 'azure-cli.bad-answer',
    message: 'az account get-access-token returned no valid token',
    remedy: `Run: az version; az logout; ${loginCommand(azure).join(' ')}`,
  });
}

/** Newer versions of az return the expiry in seconds, older ones as a local time. */
function readToken(stdout: string, nowMs: number): CliToken | undefined {
  const answer = parse(stdout);
  const token = answer?.['accessToken'];
  if (typeof token !== 'string' || token === '') return undefined;
  const seconds = Number(answer?.['expires_on']);
  const localMs = Date.parse(String(answer?.['expiresOn']));
  const expiresOnMs = seconds > 0 ? seconds * 1000 : Number.isNaN(localMs) ? nowMs + 5 * 60_000 : localMs;
  return { token, expiresOnMs };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function firstLine(text: string): string {
  return (text.split('\n').find((line) => line.trim() !== '') ?? '').trim().slice(0, 200);
}
