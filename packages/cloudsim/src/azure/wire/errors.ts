/**
 * The errors of ARM: a status, a code that programs match, a text for people. One row per case;
 * texts are those of Azure as far as callers match them.
 */

export interface ArmErrorBody {
  readonly code: string;
  readonly message: string;
  readonly target?: string;
  readonly details?: readonly ArmErrorBody[];
  readonly additionalInfo?: readonly unknown[];
}

export class ArmError extends Error {
  override readonly name = 'ArmError';
  readonly status: number;
  readonly error: ArmErrorBody;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, error: ArmErrorBody, headers: Readonly<Record<string, string>> = {}) {
    super(`${error.code}: ${error.message}`);
    this.status = status;
    this.error = error;
    this.headers = headers;
  }
}

export function armError(status: number, code: string, message: string, target?: string): ArmError {
  return new ArmError(status, target === undefined ? { code, message } : { code, message, target });
}

export const missingApiVersion = () =>
  armError(
    400,
    'MissingApiVersionParameter',
    'The api-version query parameter (?api-version=) is required for all requests.',
  );

export const invalidApiVersion = (version: string, supported: readonly string[]) =>
  armError(
    400,
    'InvalidApiVersionParameter',
    `The api-version '${version}' is invalid. The supported versions are '${[...supported].sort().reverse().join(',')}'.`,
  );

export const noRegisteredProvider = (
  type: string,
  version: string,
  location: string,
  supported: readonly string[],
) =>
  armError(
    400,
    'NoRegisteredProviderFound',
    `No registered resource provider found for location '${location}' and API version '${version}' for type '${type}'. ` +
      `The supported api-versions are '${[...supported].sort().reverse().join(', ')}'.`,
  );

export const subscriptionNotFound = (subscriptionId: string) =>
  armError(404, 'SubscriptionNotFound', `The subscription '${subscriptionId}' could not be found.`);

export const invalidSubscriptionId = (subscriptionId: string) =>
  armError(
    400,
    'InvalidSubscriptionId',
    `The provided subscription identifier '${subscriptionId}' is malformed or invalid.`,
  );

export const resourceGroupNotFound = (group: string) =>
  armError(404, 'ResourceGroupNotFound', `Resource group '${group}' could not be found.`);

/** `type` and `name` as `Microsoft.Compute/virtualMachines` and `aks-a`. */
export const resourceNotFound = (type: string, name: string, group: string) =>
  armError(
    404,
    'ResourceNotFound',
    `The Resource '${type}/${name}' under resource group '${group}' was not found. ` +
      'For more details please go to https://aka.ms/ARMResourceNotFoundFix',
  );

/** For a part of a resource that does not exist. */
export const parentResourceNotFound = (parent: string) =>
  armError(
    404,
    'ParentResourceNotFound',
    `Can not perform requested operation on nested resource. Parent resource '${parent}' not found.`,
  );

export const invalidResourceType = (type: string, namespace: string, version: string) =>
  armError(
    404,
    'InvalidResourceType',
    `The resource type '${type}' could not be found in the namespace '${namespace}' for api version '${version}'. ` +
      'The supported api-versions are listed by the provider.',
  );

export const invalidResourceNamespace = (namespace: string) =>
  armError(404, 'InvalidResourceNamespace', `The resource namespace '${namespace}' is invalid.`);

export const methodNotAllowed = (method: string) =>
  armError(
    405,
    'MethodNotAllowed',
    `The http method '${method}' is not supported for a resource collection.`,
  );

export const notFound = () => armError(404, 'NotFound', 'The requested path was not found.');

export const authenticationFailed = (message: string) =>
  new ArmError(401, { code: 'AuthenticationFailed', message }, CHALLENGE);

export const invalidToken = (message: string) =>
  new ArmError(401, { code: 'InvalidAuthenticationToken', message }, CHALLENGE);

export const expiredToken = (message: string) =>
  new ArmError(401, { code: 'ExpiredAuthenticationToken', message }, CHALLENGE);

export const authorizationFailed = (clientId: string, objectId: string, action: string, scope: string) =>
  armError(
    403,
    'AuthorizationFailed',
    `The client '${clientId}' with object id '${objectId}' does not have authorization to perform action '${action}' ` +
      `over scope '${scope}' or the scope is invalid. If access was recently granted, please refresh your credentials.`,
  );

/** The right on another resource that this call would use. */
export const linkedAuthorizationFailed = (
  caller: { readonly clientId: string; readonly objectId: string },
  action: string,
  scope: string,
  linkedAction: string,
  linkedScope: string,
) =>
  armError(
    403,
    'LinkedAuthorizationFailed',
    `The client '${caller.clientId}' with object id '${caller.objectId}' has permission to perform action '${action}' on ` +
      `scope '${scope}'; however, it does not have permission to perform action(s) '${linkedAction}' on the linked ` +
      `scope(s) '${linkedScope}' (respectively) or the linked scope(s) are invalid.`,
  );

export const invalidRequestContent = (message: string) =>
  armError(
    400,
    'InvalidRequestContent',
    `The request content was invalid and could not be deserialized: '${message}'.`,
  );

export const requestTooLarge = (limitBytes: number) =>
  armError(
    413,
    'RequestContentTooLarge',
    `The request content size exceeds the maximum size of '${limitBytes}' bytes.`,
  );

export const unsupportedMediaType = (type: string) =>
  armError(
    415,
    'UnsupportedMediaType',
    `The content media type '${type}' is not supported. Only 'application/json' is supported.`,
  );

export const invalidParameter = (target: string, message: string) =>
  armError(400, 'InvalidParameter', message, target);

export const propertyChangeNotAllowed = (target: string) =>
  armError(409, 'PropertyChangeNotAllowed', `Changing property '${target}' is not allowed.`, target);

export const anotherOperationInProgress = (message: string, details?: readonly ArmErrorBody[]) =>
  new ArmError(409, {
    code: 'AnotherOperationInProgress',
    message,
    ...(details === undefined ? {} : { details }),
  });

export const operationNotAllowed = (message: string) => armError(409, 'OperationNotAllowed', message);

export const badRequest = (message: string) => armError(400, 'BadRequest', message);

export const internalServerError = () =>
  armError(500, 'InternalServerError', 'An unexpected error occurred. Please try again later.');

/** ARM's own buckets, per caller and subscription. */
export const subscriptionThrottled = (
  kind: string,
  subscriptionId: string,
  actor: string,
  retryAfterSeconds: number,
) =>
  new ArmError(
    429,
    {
      code: 'SubscriptionRequestsThrottled',
      message:
        `Number of '${kind}' requests for subscription '${subscriptionId}' actor '${actor}' exceeded. ` +
        `Please try again after '${retryAfterSeconds}' seconds after additional tokens are available. ` +
        'Refer to https://aka.ms/arm-throttling for additional information.',
    },
    { 'retry-after': String(retryAfterSeconds) },
  );

/** A provider's buckets; the outer code says nothing of throttling, only the status and the details do. */
export const providerThrottled = (operationGroup: string, detail: string, retryAfterSeconds: number) =>
  new ArmError(
    429,
    {
      code: 'OperationNotAllowed',
      message:
        'The server rejected the request because too many requests have been received for this subscription.',
      details: [{ code: 'TooManyRequests', target: operationGroup, message: detail }],
    },
    { 'retry-after': String(retryAfterSeconds) },
  );

export const tooManyRequests = (retryAfterSeconds: number) =>
  new ArmError(
    429,
    { code: 'TooManyRequests', message: 'The request is being throttled as the limit has been reached.' },
    { 'retry-after': String(retryAfterSeconds) },
  );

export const disallowedByPolicy = (resource: string, policy: string, assignment: string) =>
  new ArmError(403, {
    code: 'RequestDisallowedByPolicy',
    target: resource,
    message:
      `Resource '${resource}' was disallowed by policy. Policy identifiers: ` +
      `'[{"policyAssignment":{"name":"${policy}","id":"${assignment}"}}]'.`,
    additionalInfo: [
      {
        type: 'PolicyViolation',
        info: { policyAssignmentName: policy, policyAssignmentId: assignment },
      },
    ],
  });

// ---------------------------------------------------------------------------------------------------

const CHALLENGE: Readonly<Record<string, string>> = {
  'www-authenticate':
    'Bearer authorization_uri="https://login.microsoftonline.com/", error="invalid_token", error_description="The access token is missing, expired or not valid for this resource."',
};
