/**
 * `serviceaccounts/token`: a TokenRequest is answered with a token for the account, bound to what it names.
 * The request's structure is decoded by its kind; here it is checked against the cluster and answered.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import { badRequest, conflict, type FieldError, invalid, notFound } from '../../errors.ts';
import { rowOf } from '../../table-row.ts';
import {
  type BoundObject,
  ISSUER,
  type ServiceAccountTokens,
  type TokenClaims,
} from './service-account-tokens.ts';

export interface TokenRequestContext {
  readonly namespace: string;
  /** The service account's name, from the path. */
  readonly name: string;
  /** RFC 3339 with seconds: the time of the request. */
  readonly now: string;
  readonly tokens: ServiceAccountTokens;
  lookup(storageKey: string, namespace: string, name: string): Stored | undefined;
}

export function answerTokenRequest(request: KubeObject, context: TokenRequestContext): KubeObject {
  refuseOtherName(request, context);
  const account = context.lookup('serviceaccounts', context.namespace, context.name);
  if (account === undefined) throw notFound({ group: '', plural: 'serviceaccounts' }, context.name);
  const uid = account.metadata.uid;
  if ((request.metadata?.uid ?? uid) !== uid) {
    const why = `the UID in the token request (${request.metadata.uid}) does not match the UID of the service account (${uid})`;
    throw conflict({ group: GROUP, plural: KIND }, context.name, why);
  }
  const spec = readSpec(request);
  refuseBadExpiration(spec.expirationSeconds);
  const token = context.tokens.issue({
    audiences: spec.audiences,
    expirationSeconds: spec.expirationSeconds,
    namespace: context.namespace,
    serviceAccount: { name: context.name, uid },
    ...bindings(spec.boundObjectRef, context),
  });
  return {
    ...request,
    kind: KIND,
    apiVersion: `${GROUP}/v1`,
    metadata: {
      ...request.metadata,
      name: context.name,
      namespace: context.namespace,
      uid,
      creationTimestamp: context.now,
    },
    spec: { ...spec, boundObjectRef: spec.boundObjectRef ?? null },
    status: { token, expirationTimestamp: later(context.now, spec.expirationSeconds) },
  };
}

// ---------------------------------------------------------------------------------------------------

const GROUP = 'authentication.k8s.io';
const KIND = 'TokenRequest';
const MIN_SECONDS = 10 * 60;
const DEFAULT_SECONDS = 60 * 60;
const MAX_SECONDS = 2 ** 32;

interface BoundReference {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly name?: string;
  readonly uid?: string;
}

interface TokenSpec {
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
  readonly boundObjectRef: BoundReference | undefined;
}

function readSpec(request: KubeObject): TokenSpec {
  const spec = (request['spec'] ?? {}) as Partial<TokenSpec>;
  const audiences = spec.audiences ?? [];
  return {
    audiences: audiences.length === 0 ? [ISSUER] : audiences,
    expirationSeconds: spec.expirationSeconds ?? DEFAULT_SECONDS,
    boundObjectRef: spec.boundObjectRef ?? undefined,
  };
}

function refuseOtherName(request: KubeObject, context: TokenRequestContext): void {
  for (const field of ['name', 'namespace'] as const) {
    const given = request.metadata?.[field] ?? '';
    if (given === '' || given === context[field]) continue;
    throw invalid({ group: GROUP, kind: KIND }, context.name, [
      {
        reason: 'FieldValueInvalid',
        field: `metadata.${field}`,
        value: given,
        detail: `must match the service account ${field} if specified`,
      },
    ]);
  }
}

function refuseBadExpiration(value: number): void {
  const errors: FieldError[] = [];
  const refuse = (detail: string) =>
    errors.push({ reason: 'FieldValueInvalid', field: 'spec.expirationSeconds', value, detail });
  if (value < MIN_SECONDS) refuse('may not specify a duration less than 10 minutes');
  if (value > MAX_SECONDS) refuse('may not specify a duration larger than 2^32 seconds');
  if (errors.length > 0) throw invalid({ group: GROUP, kind: KIND }, '', errors);
}

const BINDABLE: Readonly<Record<string, { plural: 'pods' | 'nodes' | 'secrets'; namespaced: boolean }>> = {
  Pod: { plural: 'pods', namespaced: true },
  Secret: { plural: 'secrets', namespaced: true },
  Node: { plural: 'nodes', namespaced: false },
};

function bindings(
  reference: BoundReference | undefined,
  context: TokenRequestContext,
): Pick<TokenClaims, 'pod' | 'node' | 'secret'> {
  if (reference === undefined) return {};
  const kind = reference.apiVersion === 'v1' ? rowOf(BINDABLE, reference.kind ?? '') : undefined;
  if (kind === undefined) throw badRequest(`cannot bind token to object of type ${goKind(reference)}`);
  const name = reference.name ?? '';
  const object = context.lookup(kind.plural, kind.namespaced ? context.namespace : '', name);
  if (object === undefined) throw notFound({ group: '', plural: kind.plural }, name);
  const bound: BoundObject = { name, uid: object.metadata.uid };
  const podNode = kind.plural === 'pods' ? nodeOfPod(object, context) : {};
  if (reference.uid !== undefined && reference.uid !== '' && reference.uid !== bound.uid) {
    const why = `the UID in the bound object reference (${reference.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    throw conflict({ group: '', plural: reference.kind ?? '' }, name, why);
  }
  if (kind.plural === 'pods') return { pod: bound, ...podNode };
  return kind.plural === 'nodes' ? { node: bound } : { secret: bound };
}

function nodeOfPod(pod: Stored, context: TokenRequestContext): { node?: BoundObject } {
  const spec = (pod['spec'] ?? {}) as { serviceAccountName?: string; nodeName?: string };
  if (spec.serviceAccountName !== context.name) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(context.name)} to pod running with different serviceaccount name.`,
    );
  }
  if (spec.nodeName === undefined || spec.nodeName === '') return {};
  const uid = context.lookup('nodes', '', spec.nodeName)?.metadata.uid;
  return { node: { name: spec.nodeName, ...(uid === undefined ? {} : { uid }) } };
}

function goKind(reference: BoundReference): string {
  const apiVersion = reference.apiVersion ?? '';
  const groupVersion = apiVersion.includes('/') ? apiVersion : `/${apiVersion}`;
  return `${groupVersion}, Kind=${reference.kind ?? ''}`;
}

function later(now: string, seconds: number): string {
  return new Date(Date.parse(now) + seconds * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
}
