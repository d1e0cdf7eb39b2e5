/**
 * The credential of the operator: the service principal of the config, otherwise the login of the Azure CLI. Its tokens
 * are kept only in memory during this run.
 */
import type { GetTokenOptions, TokenCredential } from '@azure/core-auth';
import type { Fetch, World } from '@chandler/kube';
import { type AzureEnvironment, createCredential } from '../../arm/index.ts';
import type { FlexConfig } from '../config/config.ts';
import type { Host } from '../host/host.ts';
import { azureCli } from './azure-cli.ts';
import { noTokenAnswer } from './azure-failure.ts';

export interface OperatorOptions {
  readonly config: Pick<FlexConfig, 'azure' | 'proxy'>;
  readonly host: Pick<Host, 'run'>;
  readonly fetch?: Fetch;
  readonly interactive: boolean;
  readonly environment: AzureEnvironment;
}

export interface OperatorCredential extends TokenCredential {
  /** Lets the operator log in at the terminal, if that is needed. It may take minutes. */
  signIn(signal: AbortSignal): Promise<void>;
}

export function operatorCredential(world: World, options: OperatorOptions): OperatorCredential {
  const principal = options.config.azure.servicePrincipal;
  if (principal === undefined) return cliCredential(world, options);
  const wire = heedful(options.fetch ?? world.fetch);
  let made: Promise<TokenCredential> | undefined;
  return {
    signIn: async () => undefined,
    async getToken(scopes, request) {
      made ??= principal.clientSecret.read().then((clientSecret) =>
        createCredential({
          world,
          fetch: wire.send,
          environment: options.environment,
          choice: {
            kind: 'clientSecret',
            tenantId: principal.tenantId,
            clientId: principal.clientId,
            clientSecret,
          },
        }),
      );
      made.catch(() => {
        made = undefined;
      });
      const credential = await made;
      wire.forget();
      try {
        return await credential.getToken(scopes, request);
      } catch (error) {
        throw wire.silence === undefined ? error : noTokenAnswer(wire.silence);
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

/** The library reports "endpoints cannot be resolved" for network failures and for a wrong tenant; this function distinguishes them. */
function heedful(network: Fetch) {
  const wire = {
    silence: undefined as string | undefined,
    forget: () => {
      wire.silence = undefined;
    },
    send: async (...args: Parameters<Fetch>): Promise<Response> => {
      try {
        return await network(...args);
      } catch (error) {
        const cause = error instanceof Error ? error.cause : undefined;
        wire.silence = cause instanceof Error ? cause.message : String(error);
        throw error;
      }
    },
  };
  return wire;
}

function cliCredential(world: World, options: OperatorOptions): OperatorCredential {
  const cli = azureCli({ ...options, nowMs: () => world.clock.now() });
  return {
    signIn: (signal) => cli.signIn(signal),
    async getToken(scopes, request) {
      const scope = typeof scopes === 'string' ? scopes : scopes.join(' ');
      const { token, expiresOnMs } = await cli.token(scope, signalOf(request?.abortSignal));
      return { token, expiresOnTimestamp: expiresOnMs };
    },
  };
}

/** The SDKs' own type of signal has the events alone. */
function signalOf(like: GetTokenOptions['abortSignal']): AbortSignal | undefined {
  if (like === undefined || like instanceof AbortSignal) return like;
  const stop = new AbortController();
  if (like.aborted) stop.abort();
  else like.addEventListener('abort', () => stop.abort());
  return stop.signal;
}
