/**
 * Sign-in: the parts of Entra ID that service principals and workload identities use, and the metadata endpoint of
 * managed identities. Errors contain the AADSTS numbers that people search for.
 */
import { isSigned, readToken, type TokenIssuer } from '../../json-web-token.ts';
import type { ArmAnswer, ArmRequest, ArmRoute } from './arm-request.ts';
import type { ArmContext } from './context.ts';
import type { FederatedCredential, Identity } from './tokens.ts';

export interface SignInOptions {
  /** The metadata endpoint of managed identities; it gives a token to every local process. */
  readonly withMetadata: boolean;
  /** Issuers whose keys are known: the signature of their tokens is checked, that of others is not. */
  readonly issuers: readonly TokenIssuer[];
}

export function identityRoutes(
  context: ArmContext,
  { withMetadata, issuers }: SignInOptions,
): readonly ArmRoute[] {
  const open = { apiVersions: [], access: 'open' } as const;
  const token = (request: ArmRequest) => tokenEndpoint(context, issuers, request);
  const metadata = (request: ArmRequest) => metadataEndpoint(context, request);
  return [
    {
      ...open,
      method: 'GET',
      pattern: '/{tenant}/v2.0/.well-known/openid-configuration',
      handle: (request) => openidConfiguration(context, request),
    },
    { ...open, method: 'GET', pattern: '/common/discovery/instance', handle: instanceDiscovery },
    { ...open, method: 'POST', pattern: '/{tenant}/oauth2/v2.0/token', anyBody: true, handle: token },
    ...(withMetadata
      ? [{ ...open, method: 'GET', pattern: '/metadata/identity/oauth2/token', handle: metadata } as const]
      : []),
  ];
}

// ---------------------------------------------------------------------------------------------------

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

function openidConfiguration(context: ArmContext, request: ArmRequest): ArmAnswer {
  const tenant = request.params['tenant']!;
  if (!knowsTenant(context, tenant)) return unknownTenant(context, request, tenant);
  const at = `${request.baseUrl}/${tenant}`;
  return {
    status: 200,
    body: {
      token_endpoint: `${at}/oauth2/v2.0/token`,
      token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt', 'client_secret_basic'],
      jwks_uri: `${at}/discovery/v2.0/keys`,
      response_modes_supported: ['query', 'fragment', 'form_post'],
      subject_types_supported: ['pairwise'],
      id_token_signing_alg_values_supported: ['RS256'],
      response_types_supported: ['code', 'id_token', 'code id_token', 'id_token token'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      issuer: `${at}/v2.0`,
      authorization_endpoint: `${at}/oauth2/v2.0/authorize`,
      device_authorization_endpoint: `${at}/oauth2/v2.0/devicecode`,
      end_session_endpoint: `${at}/oauth2/v2.0/logout`,
      tenant_region_scope: 'NA',
      cloud_instance_name: 'microsoftonline.com',
    },
  };
}

function instanceDiscovery(request: ArmRequest): ArmAnswer {
  const host = new URL(request.baseUrl).host;
  return {
    status: 200,
    body: {
      tenant_discovery_endpoint: `${request.baseUrl}/common/v2.0/.well-known/openid-configuration`,
      'api-version': '1.1',
      metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
    },
  };
}

async function tokenEndpoint(
  context: ArmContext,
  issuers: readonly TokenIssuer[],
  request: ArmRequest,
): Promise<ArmAnswer> {
  const tenant = request.params['tenant']!;
  if (!knowsTenant(context, tenant)) return unknownTenant(context, request, tenant);
  const form = new URLSearchParams(request.text);
  const fault = context.faults.trigger('sign-in', { name: form.get('client_id') ?? '' });
  const refuse = (status: number, error: string, code: number, text: string) =>
    refusal(context, request, status, error, code, text);
  if (fault?.name === 'sign-in-500')
    return refuse(500, 'server_error', 90033, 'A transient error has occurred. Please try again.');
  if (fault !== undefined)
    return refuse(401, 'invalid_client', 7000222, 'The provided client secret keys for the app are expired.');
  if (form.get('grant_type') !== 'client_credentials')
    return refuse(
      400,
      'unsupported_grant_type',
      70003,
      `The app requested an unsupported grant type '${form.get('grant_type') ?? ''}'.`,
    );
  const clientId = form.get('client_id') ?? '';
  const scope = form.get('scope') ?? '';
  if (scope === '')
    return refuse(
      400,
      'invalid_request',
      900144,
      "The request body must contain the following parameter: 'scope'.",
    );
  const identity = context.tokens.identity(clientId);
  if (identity === undefined || identity.tenantId.toLowerCase() !== tenant.toLowerCase())
    return refuse(
      400,
      'unauthorized_client',
      700016,
      `Application with identifier '${clientId}' was not found in the directory '${tenant}'.`,
    );
  const wrong = await wrongProof(context, issuers, identity, form);
  if (wrong !== undefined) return refuse(401, 'invalid_client', wrong.code, wrong.text);
  const { token, expiresAtMs } = context.tokens.issue(identity, audienceOf(scope));
  const expiresIn = Math.floor((expiresAtMs - context.world.clock.now()) / 1000);
  return {
    status: 200,
    body: { token_type: 'Bearer', expires_in: expiresIn, ext_expires_in: expiresIn, access_token: token },
  };
}

interface WrongProof {
  readonly code: number;
  readonly text: string;
}

async function wrongProof(
  context: ArmContext,
  issuers: readonly TokenIssuer[],
  identity: Identity,
  form: URLSearchParams,
): Promise<WrongProof | undefined> {
  const assertion = form.get('client_assertion');
  if (assertion !== null) {
    if (form.get('client_assertion_type') !== ASSERTION_TYPE)
      return { code: 50027, text: 'JWT token is invalid or malformed.' };
    return await wrongAssertion(context, issuers, identity, assertion);
  }
  const secret = form.get('client_secret');
  if (secret === null)
    return {
      code: 7000218,
      text: "The request body must contain the following parameter: 'client_assertion' or 'client_secret'.",
    };
  if (identity.clientSecret === secret) return undefined;
  return {
    code: 7000215,
    text: `Invalid client secret provided. Ensure the secret being sent in the request is the client secret value, not the client secret ID, for a secret added to app '${identity.clientId}'.`,
  };
}

async function wrongAssertion(
  context: ArmContext,
  issuers: readonly TokenIssuer[],
  identity: Identity,
  assertion: string,
): Promise<WrongProof | undefined> {
  const token = readToken(assertion);
  if (token === undefined) return { code: 50027, text: 'JWT token is invalid or malformed.' };
  const { exp, iss, sub, aud } = token.claims;
  if (typeof exp === 'number' && exp <= context.world.clock.now() / 1000)
    return { code: 700024, text: 'Client assertion is not within its valid time range.' };
  const audiences = [aud ?? []].flat().map(String);
  const unmatched = unmatchedClaim(identity, String(iss ?? ''), String(sub ?? ''), audiences);
  if (unmatched !== undefined) return unmatched;
  const known = issuers.find(({ issuer }) => issuer === iss);
  if (known === undefined || (await isSigned(token, known))) return undefined;
  return { code: 50013, text: 'Assertion failed signature validation. [Reason - The key was not found.]' };
}

/** Texts are compared exactly, also a slash at the end of the issuer. */
function unmatchedClaim(
  { clientId, name, federated = [] }: Identity,
  issuer: string,
  subject: string,
  audiences: readonly string[],
): WrongProof | undefined {
  if (federated.length === 0)
    return {
      code: 70025,
      text: `The client '${clientId}'(${name}) has no configured federated identity credentials.`,
    };
  const noRecord = (code: number, claim: string, value: string): WrongProof => ({
    code,
    text: `No matching federated identity record found for presented assertion ${claim} '${value}'. Check your federated identity credential Subject, Audience and Issuer against the presented assertion.`,
  });
  const ofIssuer = federated.filter((each) => each.issuer === undefined || each.issuer === issuer);
  if (ofIssuer.length === 0) return noRecord(700211, 'issuer', issuer);
  const ofSubject = ofIssuer.filter((each) => each.subject === subject);
  if (ofSubject.length === 0) return noRecord(700213, 'subject', subject);
  const accepts = ({ audiences: wanted }: FederatedCredential) =>
    wanted === undefined || audiences.some((each) => wanted.includes(each));
  return ofSubject.some(accepts) ? undefined : noRecord(700212, 'audience', audiences.join(','));
}

function metadataEndpoint(context: ArmContext, request: ArmRequest): ArmAnswer {
  const bad = (error: string, text: string): ArmAnswer => ({
    status: 400,
    body: { error, error_description: text },
  });
  if (request.headers['metadata']?.toLowerCase() !== 'true')
    return bad('invalid_request', 'Required metadata header not specified');
  const resource = request.query.get('resource');
  if (resource === undefined) return bad('invalid_request', 'Required query variable resource is missing');
  const wanted = request.query.get('client_id');
  const managed = context.tokens.identities().filter((identity) => identity.managed);
  const identity = managed.find((one) => wanted === undefined || one.clientId === wanted);
  if (identity === undefined) return bad('invalid_request', 'Identity not found');
  const { token, expiresAtMs } = context.tokens.issue(identity, resource);
  const nowSeconds = Math.floor(context.world.clock.now() / 1000);
  const expiresOn = Math.floor(expiresAtMs / 1000);
  return {
    status: 200,
    body: {
      access_token: token,
      client_id: identity.clientId,
      expires_in: String(expiresOn - nowSeconds),
      expires_on: String(expiresOn),
      not_before: String(nowSeconds),
      resource,
      token_type: 'Bearer',
    },
  };
}

function knowsTenant(context: ArmContext, tenant: string): boolean {
  return tenant.toLowerCase() === context.settings.tenantId.toLowerCase();
}

function unknownTenant(context: ArmContext, request: ArmRequest, tenant: string): ArmAnswer {
  const text = `Tenant '${tenant}' not found. Check to make sure you have the correct tenant ID and are signing into the correct cloud.`;
  return refusal(context, request, 400, 'invalid_request', 90002, text);
}

function refusal(
  context: ArmContext,
  request: ArmRequest,
  status: number,
  error: string,
  code: number,
  text: string,
): ArmAnswer {
  const timestamp = `${new Date(context.world.clock.now()).toISOString().slice(0, 19).replace('T', ' ')}Z`;
  return {
    status,
    body: {
      error,
      error_description: `AADSTS${code}: ${text} Trace ID: ${request.requestId} Correlation ID: ${request.requestId} Timestamp: ${timestamp}`,
      error_codes: [code],
      timestamp,
      trace_id: request.requestId,
      correlation_id: request.requestId,
    },
  };
}

/** `https://management.azure.com//.default` is for `https://management.azure.com/`. */
function audienceOf(scope: string): string {
  return scope.split(' ')[0]!.replace(/\/\.default$/, '');
}
