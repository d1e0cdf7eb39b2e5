/**
 * Who we are to Azure. Normally whatever the environment offers (workload identity, managed identity, a service
 * principal); named explicitly where someone else decides, as the playground does. The SDK is loaded with the
 * first token, not before.
 */
import type { AccessToken, GetTokenOptions, TokenCredential } from '@azure/core-auth';
import type { Fetch, World } from '@chandler/kube';
import { ArmError, NO_TOKEN, toArmError } from './arm-error.ts';
import type { AzureEnvironment } from './environments.ts';
import { createHttpClient } from './http-client.ts';

export type CredentialChoice =
  /** Takes what the environment offers, in the SDK's order. */
  | { readonly kind: 'default'; readonly tenantId?: string; readonly clientId?: string }
  | {
      readonly kind: 'clientSecret';
      readonly tenantId: string;
      readonly clientId: string;
      readonly clientSecret: string;
    }
  | {
      readonly kind: 'workloadIdentity';
      readonly tenantId: string;
      readonly clientId: string;
      readonly tokenFilePath: string;
    };

export interface CredentialRequest {
  readonly world: World;
  /** Default: the World's. */
  readonly fetch?: Fetch;
  readonly environment: AzureEnvironment;
  readonly choice: CredentialChoice;
}

/** A token is trusted no longer than this, so that a removed role or a rotated identity is noticed. */
export const MAX_TOKEN_MS = 2 * 3600_000;

/** How long the first token may take when the process starts. */
export const FIRST_TOKEN_TIMEOUT_MS = 5_000;

export function createCredential(request: CredentialRequest): TokenCredential {
  let loaded: Promise<TokenCredential> | undefined;
  return capTokenLife(
    {
      async getToken(scopes, options) {
        loaded ??= load(request);
        try {
          return await (await loaded).getToken(scopes, options);
        } catch (error) {
          throw tokenError(error);
        }
      },
    },
    request.world,
  );
}

/** A token that expires in two hours at the latest. */
export function capTokenLife(inner: TokenCredential, world: Pick<World, 'clock'>): TokenCredential {
  return {
    async getToken(scopes: string | string[], options?: GetTokenOptions): Promise<AccessToken | null> {
      const token = await inner.getToken(scopes, options);
      if (token === null) return null;
      const latestMs = world.clock.now() + MAX_TOKEN_MS;
      const cap = (ms: number) => Math.min(ms, latestMs);
      return {
        ...token,
        expiresOnTimestamp: cap(token.expiresOnTimestamp),
        ...(token.refreshAfterTimestamp === undefined
          ? {}
          : { refreshAfterTimestamp: cap(token.refreshAfterTimestamp) }),
      };
    },
  };
}

/** Fails early and by name: a process that cannot get a token should say so when it starts. */
export async function checkCredential(
  credential: TokenCredential,
  scope: string,
  world: Pick<World, 'clock'>,
): Promise<void> {
  const stop = new AbortController();
  const timer = world.clock.after(FIRST_TOKEN_TIMEOUT_MS, () =>
    stop.abort(
      new ArmError({
        code: NO_TOKEN,
        message: `no token for ${scope} within ${FIRST_TOKEN_TIMEOUT_MS / 1000} s`,
      }),
    ),
  );
  const tooLate = new Promise<never>((_, reject) => {
    stop.signal.addEventListener('abort', () => reject(stop.signal.reason), { once: true });
  });
  try {
    const token = await Promise.race([credential.getToken(scope, { abortSignal: stop.signal }), tooLate]);
    if (token === null) throw new ArmError({ code: NO_TOKEN, message: `no token for ${scope}` });
  } catch (error) {
    throw tokenError(error);
  } finally {
    timer.cancel();
  }
}

// ---------------------------------------------------------------------------------------------------

async function load(request: CredentialRequest): Promise<TokenCredential> {
  const { environment, choice, world, fetch } = request;
  const identity = await import('./lazy/identity.ts');
  const shared = {
    authorityHost: environment.authorityHost,
    disableInstanceDiscovery: !environment.wellKnown,
    httpClient: createHttpClient({ world, fetch }),
    retryOptions: { maxRetries: 0 },
  };
  switch (choice.kind) {
    case 'clientSecret':
      return new identity.ClientSecretCredential(
        choice.tenantId,
        choice.clientId,
        choice.clientSecret,
        shared,
      );
    case 'workloadIdentity':
      return new identity.WorkloadIdentityCredential({
        ...shared,
        tenantId: choice.tenantId,
        clientId: choice.clientId,
        tokenFilePath: choice.tokenFilePath,
      });
    case 'default':
      return new identity.DefaultAzureCredential({
        ...shared,
        ...(choice.tenantId === undefined ? {} : { tenantId: choice.tenantId }),
        ...(choice.clientId === undefined
          ? {}
          : { managedIdentityClientId: choice.clientId, workloadIdentityClientId: choice.clientId }),
      });
  }
}

function tokenError(error: unknown): ArmError {
  const arm = toArmError(error);
  if (arm.code === NO_TOKEN) return arm;
  return new ArmError({
    status: arm.status,
    code: NO_TOKEN,
    message: `no token from Azure: ${arm.message}`,
    details: [{ code: arm.code, message: arm.message }, ...arm.details],
  });
}
