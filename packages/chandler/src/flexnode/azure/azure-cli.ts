/**
 * The Azure CLI login of the operator. `az` runs with a restricted environment: the login of root and no extensions, so
 * that no code from the home directory of another user runs as root. `az login` is started only in an interactive
 * terminal, where `az` prints the device code itself.
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { Command, CommandResult, Host } from '../host/host.ts';
import { cloudToolName } from './environment.ts';

export interface CliToken {
  readonly token: string;
  readonly expiresOnMs: number;
}

export interface AzureCli {
  /** Throws a `FlexError` of class `auth` that names the command to run. */
  token(scope: string): Promise<CliToken>;
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
  const run = (argv: Command['argv'], more: Partial<Command> = {}): Promise<CommandResult> =>
    options.host.run({ argv, env, changes: false, timeoutMs: CLI_TIMEOUT_MS, ...more });
  let ready: Promise<void> | undefined;
  const ensureLogin = async (): Promise<void> => {
    const problem = loginProblem(await run(['az', 'account', 'show', '--output', 'json']), azure);
    if (problem === undefined) return;
    if (problem.facts.code !== 'azure-cli.not-logged-in' || !options.interactive) throw problem;
    const login = await run([...loginCommand(azure), '--output', 'none'], {
      changes: true,
      interactive: true,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
    if (login.exitCode !== 0) throw notLoggedIn(azure, `az login exited with code ${login.exitCode}`);
  };
  return {
    async token(scope) {
      ready ??= ensureLogin();
      try {
        await ready;
      } catch (error) {
        ready = undefined;
        throw error;
      }
      const argv: Command['argv'] = [
        ...(['az', 'account', 'get-access-token'] as const),
        '--scope',
        scope,
        '--tenant',
        azure.tenantId,
        '--output',
        'json',
      ];
      const answer = await run(argv);
      if (answer.exitCode !== 0) throw notLoggedIn(azure, firstLine(answer.stderr));
      return readToken(answer.stdout, options.nowMs()) ?? fail(azure);
    },
  };
}

// ---------------------------------------------------------------------------------------------------

const CLI_TIMEOUT_MS = 60_000;
/** A device code is valid for fifteen minutes. */
const LOGIN_TIMEOUT_MS = 15 * 60_000;

function cliEnvironment(config: Pick<FlexConfig, 'azure' | 'proxy'>): Record<string, string> {
  const { http, https, noProxy } = config.proxy;
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
