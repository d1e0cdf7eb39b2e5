/**
 * A login endpoint: discovery, published keys, and the client-credentials grant of one service principal. Its discovery
 * document is good enough for MSAL and for the structured authentication of a real kube-apiserver.
 */
import type { Handler } from './serve.ts';
import type { FakeTokenIssuer } from './token-issuer.ts';

export interface LoginStandin {
  readonly handler: Handler;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Whom the service principal is to ARM and the cluster. */
  readonly objectId: string;
  /** Every form that was posted to the token endpoint. */
  readonly asked: URLSearchParams[];
  /** Answers 500 that many times first. */
  failing: number;
}

export const ARM_AUDIENCE = 'https://management.azure.com';
export const OPERATOR_OBJECT_ID = 'aaaaaaaa-0000-4000-8000-000000000001';

export function loginStandin(tokens: FakeTokenIssuer): LoginStandin {
  const login: LoginStandin = {
    clientId: 'cccccccc-0000-4000-8000-000000000002',
    clientSecret: 'standin-client-secret-Zm9vYmFy',
    objectId: OPERATOR_OBJECT_ID,
    asked: [],
    failing: 0,
    handler: async (request) => {
      const url = new URL(request.url);
      const tenant = `/${tokens.tenantId}`;
      const origin = url.origin;
      if (url.pathname === `${tenant}/v2.0/.well-known/openid-configuration`) {
        return Response.json(discovery(`${origin}${tenant}`, tokens.issuer || `${origin}${tenant}/v2.0`));
      }
      if (url.pathname === `${tenant}/discovery/v2.0/keys`) return Response.json(tokens.jwks);
      if (url.pathname === `${tenant}/oauth2/v2.0/token`) return token(login, tokens, request);
      return Response.json({ error: 'invalid_tenant', error_description: 'AADSTS90002' }, { status: 400 });
    },
  };
  return login;
}

// ---------------------------------------------------------------------------------------------------

function discovery(at: string, issuer: string) {
  return {
    issuer,
    token_endpoint: `${at}/oauth2/v2.0/token`,
    authorization_endpoint: `${at}/oauth2/v2.0/authorize`,
    end_session_endpoint: `${at}/oauth2/v2.0/logout`,
    jwks_uri: `${at}/discovery/v2.0/keys`,
    response_types_supported: ['code', 'id_token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post'],
    scopes_supported: ['openid'],
  };
}

async function token(login: LoginStandin, tokens: FakeTokenIssuer, request: Request): Promise<Response> {
  const form = new URLSearchParams(await request.text());
  login.asked.push(form);
  if (login.failing > 0) {
    login.failing--;
    return Response.json({ error: 'server_error', error_description: 'AADSTS90033' }, { status: 500 });
  }
  if (form.get('client_id') !== login.clientId || form.get('client_secret') !== login.clientSecret) {
    const error_description = 'AADSTS7000215: Invalid client secret provided.';
    return Response.json({ error: 'invalid_client', error_description }, { status: 401 });
  }
  const aud = (form.get('scope') ?? '').replace(/\/\.default.*$/, '');
  const access_token = tokens.issue({ aud, oid: login.objectId });
  return Response.json({ token_type: 'Bearer', expires_in: 3600, ext_expires_in: 3600, access_token });
}
