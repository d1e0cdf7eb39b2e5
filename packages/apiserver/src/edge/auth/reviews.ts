/**
 * Access and token reviews: requests that create an object and are answered in its status; nothing is
 * stored. The handler gets the decoded object and returns the answer.
 */
import type { KubeObject } from '@chandler/kube';
import { ApiError, badRequest, type FieldError, fieldErrorBody, fieldErrorText } from '../../errors.ts';
import type { UserInfo } from '../../resource.ts';
import type { Attributes } from './attributes.ts';
import type { Authenticator } from './authenticator.ts';
import { joinErrors, type RbacAuthorizer } from './rbac.ts';

export interface ReviewContext {
  /** The calling user. */
  readonly user: UserInfo;
  /** Of the request's path; empty at cluster scope. */
  readonly namespace: string;
  readonly authorizer: RbacAuthorizer;
  readonly authenticator: Authenticator;
  /** RFC 3339 with seconds: the time of the request. */
  readonly now: string;
}

export type ReviewHandler = (object: KubeObject, context: ReviewContext) => KubeObject;

const AUTHORIZATION = 'authorization.k8s.io';
const AUTHENTICATION = 'authentication.k8s.io';

/** By `group/plural`. */
export const reviewHandlers: ReadonlyMap<string, ReviewHandler> = new Map([
  [`${AUTHORIZATION}/selfsubjectaccessreviews`, selfSubjectAccessReview],
  [`${AUTHORIZATION}/subjectaccessreviews`, subjectAccessReview],
  [`${AUTHORIZATION}/localsubjectaccessreviews`, localSubjectAccessReview],
  [`${AUTHORIZATION}/selfsubjectrulesreviews`, selfSubjectRulesReview],
  [`${AUTHENTICATION}/selfsubjectreviews`, selfSubjectReview],
  [`${AUTHENTICATION}/tokenreviews`, tokenReview],
]);

// ---------------------------------------------------------------------------------------------------

interface AccessSpec {
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
  readonly resourceAttributes?: {
    readonly namespace?: string;
    readonly verb?: string;
    readonly group?: string;
    readonly resource?: string;
    readonly subresource?: string;
    readonly name?: string;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
}

function selfSubjectAccessReview(object: KubeObject, context: ReviewContext): KubeObject {
  const spec = accessSpec(object);
  refuse([...attributeErrors(spec), ...metadataErrors(object)]);
  return answered(object, accessStatus(spec, context.user, context.authorizer));
}

function subjectAccessReview(object: KubeObject, context: ReviewContext): KubeObject {
  const spec = accessSpec(object);
  refuse([...attributeErrors(spec), ...subjectErrors(spec), ...metadataErrors(object)]);
  return answered(object, accessStatus(spec, subjectOf(spec), context.authorizer));
}

function localSubjectAccessReview(object: KubeObject, context: ReviewContext): KubeObject {
  const spec = accessSpec(object);
  const errors = [...attributeErrors(spec), ...subjectErrors(spec)];
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (spec.resourceAttributes !== undefined && asked !== context.namespace) {
    errors.push(invalidValue('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (spec.nonResourceAttributes !== undefined) {
    const shown = goNonResource(spec);
    errors.push(invalidValue('spec.nonResourceAttributes', shown, 'disallowed on this kind of request'));
  }
  refuse(errors);
  const local = { ...object, metadata: { ...object.metadata, namespace: context.namespace } };
  return answered(local, accessStatus(spec, subjectOf(spec), context.authorizer));
}

function selfSubjectRulesReview(object: KubeObject, context: ReviewContext): KubeObject {
  const namespace = (object['spec'] as { namespace?: string } | undefined)?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, errors } = context.authorizer.rulesFor(context.user, namespace);
  const resourceRules = rules
    .filter((rule) => (rule.resources ?? []).length > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      apiGroups,
      resources,
      ...(resourceNames === undefined ? {} : { resourceNames }),
    }));
  const nonResourceRules = rules
    .filter((rule) => (rule.nonResourceURLs ?? []).length > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  const status = {
    resourceRules,
    nonResourceRules,
    incomplete: false,
    ...(errors.length === 0 ? {} : { evaluationError: joinErrors(errors) }),
  };
  return { ...object, metadata: {}, spec: {}, status };
}

function selfSubjectReview(object: KubeObject, context: ReviewContext): KubeObject {
  const metadata = { creationTimestamp: context.now };
  return { ...object, metadata, status: { userInfo: context.user } };
}

function tokenReview(object: KubeObject, context: ReviewContext): KubeObject {
  const spec = (object['spec'] ?? {}) as { token?: string; audiences?: readonly string[] };
  if (spec.token === undefined || spec.token === '') {
    throw badRequest('token is required for TokenReview in authentication');
  }
  const wanted = spec.audiences !== undefined && spec.audiences.length > 0 ? spec.audiences : undefined;
  const verdict = context.authenticator.reviewToken(spec.token, wanted);
  if ('error' in verdict) return answered(object, { user: {}, error: verdict.error });
  return answered(object, { authenticated: true, user: verdict.user, audiences: verdict.audiences });
}

function answered(object: KubeObject, status: object): KubeObject {
  return { ...object, status };
}

function accessSpec(object: KubeObject): AccessSpec {
  return (object['spec'] ?? {}) as AccessSpec;
}

function subjectOf(spec: AccessSpec): UserInfo {
  return {
    username: spec.user ?? '',
    groups: spec.groups ?? [],
    ...(spec.uid === undefined ? {} : { uid: spec.uid }),
    ...(spec.extra === undefined ? {} : { extra: spec.extra }),
  };
}

function accessStatus(spec: AccessSpec, user: UserInfo, authorizer: RbacAuthorizer): object {
  const { allowed, reason } = authorizer.authorize(attributesOf(spec, user));
  return { allowed, ...(reason === '' ? {} : { reason }) };
}

function attributesOf(spec: AccessSpec, user: UserInfo): Attributes {
  const resource = spec.resourceAttributes;
  if (resource === undefined) {
    return {
      user,
      verb: spec.nonResourceAttributes?.verb ?? '',
      path: spec.nonResourceAttributes?.path ?? '',
    };
  }
  return {
    user,
    verb: resource.verb ?? '',
    group: resource.group ?? '',
    resource: resource.resource ?? '',
    subresource: resource.subresource ?? '',
    namespace: resource.namespace ?? '',
    name: resource.name ?? '',
  };
}

function attributeErrors(spec: AccessSpec): FieldError[] {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const why = 'cannot be specified in combination with resourceAttributes';
    return [invalidValue('spec.nonResourceAttributes', goNonResource(spec), why)];
  }
  if (resourceAttributes !== undefined || nonResourceAttributes !== undefined) return [];
  const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
  return [invalidValue('spec.resourceAttributes', null, why)];
}

function subjectErrors(spec: AccessSpec): FieldError[] {
  if ((spec.user ?? '') !== '' || (spec.groups ?? []).length > 0) return [];
  return [invalidValue('spec.user', '', 'at least one of user or group must be specified')];
}

/** A review is no object: it has no name and no labels. */
function metadataErrors(object: KubeObject): FieldError[] {
  const { managedFields: _managedFields, namespace: _namespace, ...metadata } = object.metadata ?? {};
  return Object.keys(metadata).length === 0
    ? []
    : [invalidValue('metadata', object.metadata, 'must be empty')];
}

function goNonResource(spec: AccessSpec): object {
  return { Path: spec.nonResourceAttributes?.path ?? '', Verb: spec.nonResourceAttributes?.verb ?? '' };
}

function invalidValue(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, value, detail };
}

/** Like any invalid object, except that a real server leaves out the kind. */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length === 0) return;
  const texts = errors.map(fieldErrorText);
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  throw new ApiError(422, 'Invalid', `.${AUTHORIZATION} "" is invalid: ${joined}`, {
    group: AUTHORIZATION,
    causes: errors.map((error) => ({
      reason: error.reason,
      message: fieldErrorBody(error),
      field: error.field,
    })),
  });
}
