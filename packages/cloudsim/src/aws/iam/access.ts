/**
 * Who may do what: policies of an identity, its permissions boundary, and the service control policies of the account.
 * A refusal names principal, action, resource and the kind of policy that is missing or denies, in the words of AWS.
 */
import { WithheldActions } from '../../withheld-actions.ts';
import type { Principal, ServiceName } from '../wire/aws-request.ts';
import { type AwsError, awsError, ec2Error } from '../wire/errors.ts';
import { evaluate, like, type PolicyDocument } from './policy.ts';
import type { Right } from './rights.ts';

export interface Grants {
  readonly policies: readonly PolicyDocument[];
  readonly boundary?: PolicyDocument | undefined;
}

export class Access {
  readonly #region: string;
  readonly #grants = new Map<string, Grants>();
  /** By identity and a name of their own: policies that callers put or attached. */
  readonly #named = new Map<string, Map<string, PolicyDocument>>();
  /** By identity: actions that none of its policies gives. */
  readonly #withheld = new WithheldActions();
  /** Service control policies: every one must allow. */
  scps: readonly PolicyDocument[] = [];

  constructor(region: string) {
    this.#region = region;
  }

  /** Replaces the policies of a user or role. */
  attach(identityArn: string, grants: Grants): void {
    this.#grants.set(identityArn, grants);
  }

  /** Adds a policy beside those of `attach`, or replaces it; undefined removes it. */
  setPolicy(identityArn: string, name: string, policy: PolicyDocument | undefined): void {
    const named = this.#named.get(identityArn) ?? new Map<string, PolicyDocument>();
    if (policy === undefined) named.delete(name);
    else named.set(name, policy);
    this.#named.set(identityArn, named);
  }

  forget(identityArn: string): void {
    this.#grants.delete(identityArn);
    this.#named.delete(identityArn);
  }

  /** As if no policy of the identity allowed this action; the returned function ends it. */
  withhold(identityArn: string, action: string): () => void {
    return this.#withheld.add(identityArn, action.toLowerCase());
  }

  grantsOf(identityArn: string): Grants | undefined {
    return this.#grants.get(identityArn);
  }

  require(principal: Principal, rights: readonly Right[], service: ServiceName): void {
    for (const right of rights) {
      const reason = this.#refusal(principal, right);
      if (reason !== undefined) throw refused(principal, right, reason, service);
    }
  }

  /** Undefined: allowed. */
  #refusal(principal: Principal, given: Right): string | undefined {
    const right: Right = {
      ...given,
      context: {
        'aws:RequestedRegion': this.#region,
        'aws:PrincipalArn': principal.identityArn,
        'aws:PrincipalAccount': principal.accountId,
        ...given.context,
      },
    };
    const { policies: attached = [], boundary } = this.#grants.get(principal.identityArn) ?? {};
    const named = this.#named.get(principal.identityArn);
    const policies = named === undefined ? attached : [...attached, ...named.values()];
    const withheld = this.#withheld.of(principal.identityArn);
    if (withheld.some((pattern) => like(pattern, right.action.toLowerCase())))
      return `because no identity-based policy allows the ${right.action} action`;
    const layers: readonly (readonly [kind: string, policies: readonly PolicyDocument[]])[] = [
      ...this.scps.map((policy) => ['service control policy', [policy]] as const),
      ...(boundary === undefined ? [] : [['permissions boundary', [boundary]] as const]),
      ['identity-based policy', policies],
    ];
    const decisions = layers.map(([kind, each]) => ({ kind, decision: evaluate(each, right) }));
    const denied = decisions.find(({ decision }) => decision === 'denied');
    if (denied !== undefined) {
      const article = denied.kind === 'identity-based policy' ? 'an' : 'a';
      return `with an explicit deny in ${article} ${denied.kind}`;
    }
    const silent = decisions.find(({ decision }) => decision === 'not-allowed');
    return silent && `because no ${silent.kind} allows the ${right.action} action`;
  }
}

// ---------------------------------------------------------------------------------------------------

function refused(principal: Principal, right: Right, reason: string, service: ServiceName): AwsError {
  const onResource = right.resource === '*' && service === 'ec2' ? '' : ` on resource: ${right.resource}`;
  const sentence = `User: ${principal.arn} is not authorized to perform: ${right.action}${onResource} ${reason}`;
  if (service === 'ec2') {
    const encoded = Buffer.from(
      JSON.stringify({ allowed: false, action: right.action, resource: right.resource }),
    );
    // Describe actions have no encoded message.
    const tail = /^ec2:(Describe|Get)/.test(right.action)
      ? ''
      : `. Encoded authorization failure message: ${encoded.toString('base64url')}`;
    return ec2Error(
      'UnauthorizedOperation',
      `You are not authorized to perform this operation. ${sentence}${tail}`,
    );
  }
  if (service === 'iam' || service === 'sts') return awsError('AccessDenied', sentence, 403);
  return awsError(
    'AccessDeniedException',
    sentence,
    service === 'eks' || service === 'arc-zonal-shift' ? 403 : 400,
  );
}
