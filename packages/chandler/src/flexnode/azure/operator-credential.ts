/**
 * The credential of the operator: the service principal of the config, otherwise the login of the Azure CLI. Its tokens
 * are kept only in memory during this run.
 */
import type { TokenCredential } from '@azure/core-auth';
import type { Fetch, World } from '@chandler/kube';
import { ArmError, type AzureEnvironment, createCredential, NO_ANSWER, NO_TOKEN } from '../../arm/index.ts';
import type { FlexConfig } from '../config/config.ts';
import type { Host } from '../host/host.ts';
import { azureCli } from './azure-cli.ts';

export interface OperatorOptions {
  readonly config: Pick<FlexConfig, 'azure' | 'proxy'>;
  readonly host: Pick<Host, 'run'>;
  readonly fetch?: Fetch;
  readonly interactive: boolean;
  readonly environment: AzureEnvironment;
}

export function operatorCredential(world: World, options: OperatorOptions): TokenCredential {
  const principal = options.config.azure.servicePrincipal;
  if (principal === undefined) return cliCredential(world, options);
  const wire = heedful(options.fetch ?? world.fetch);
  let made: Promise<TokenCredential> | undefined;
  return {
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
        throw wire.silence === undefined ? error : noAnswer(wire.silence);
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

function noAnswer(said: string): ArmError {
  const message = `the login endpoint does not respond: ${said}`;
  return new ArmError({ code: NO_TOKEN, message, details: [{ code: NO_ANSWER, message: said }] });
}

function cliCredential(world: World, options: OperatorOptions): TokenCredential {
  const cli = azureCli({ ...options, nowMs: () => world.clock.now() });
  return {
    async getToken(scopes) {
      const scope = typeof scopes === 'string' ? scopes : scopes.join(' ');
      const { token, expiresOnMs } = await cli.token(scope);
      return { token, expiresOnTimestamp: expiresOnMs };
    },
  };
}
