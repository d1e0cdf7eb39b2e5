/** CertificateSigningRequests: the requesting user is taken from the request; the spec is immutable. */
import type { KubeObject } from '@chandler/kube';
import type { V1CertificateSigningRequest } from '@kubernetes/client-node';
import type { KindRules } from '../rules.ts';
import type { FieldErrors } from '../validation/field-errors.ts';
import { pathSegmentName } from '../validation/names.ts';

export const signingRequestRules: KindRules = {
  name: pathSegmentName,
  generation: false,
  prepareForCreate: (object, context) => {
    const { spec } = object as unknown as V1CertificateSigningRequest;
    const { username, uid, groups, extra } = context.user;
    spec.username = username;
    spec.groups = [...groups];
    if (uid === undefined || uid === '') delete spec.uid;
    else spec.uid = uid;
    if (extra === undefined || Object.keys(extra).length === 0) delete spec.extra;
    else spec.extra = Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
  },
  validate: (object, errors) => checkRequest(object as unknown as V1CertificateSigningRequest, errors),
  prepareForUpdate: (next, current, context) => {
    const before = current['spec'];
    if (context.subresource === undefined) next['spec'] = before;
    if (context.subresource !== 'approval') {
      if (context.subresource === 'status') keepDecision(next, current);
      return;
    }
    // Approving changes the conditions and nothing else.
    const { conditions } = (next['status'] ?? {}) as { conditions?: unknown[] };
    next['spec'] = before;
    next['status'] = {
      ...(current['status'] as object),
      ...(conditions === undefined ? {} : { conditions }),
    };
    fillTimes(next, context.now);
  },
};

// ---------------------------------------------------------------------------------------------------

interface Condition {
  readonly type: string;
  lastUpdateTime?: string | null;
  lastTransitionTime?: string | null;
}

const DECISIONS: ReadonlySet<string> = new Set(['Approved', 'Denied']);

function conditionsOf(object: KubeObject): Condition[] {
  return ((object['status'] as { conditions?: Condition[] } | undefined)?.conditions ?? []) as Condition[];
}

/** A signer may not approve. */
function keepDecision(next: KubeObject, current: KubeObject): void {
  const decided = conditionsOf(current).filter(({ type }) => DECISIONS.has(type));
  const others = conditionsOf(next).filter(({ type }) => !DECISIONS.has(type));
  const conditions = [...decided, ...others];
  if (conditions.length > 0 || conditionsOf(next).length > 0) {
    next['status'] = { ...(next['status'] as object), conditions };
  }
}

function fillTimes(object: KubeObject, now: string): void {
  for (const condition of conditionsOf(object)) {
    condition.lastUpdateTime ??= now;
    condition.lastTransitionTime ??= now;
  }
}

function checkRequest({ spec }: V1CertificateSigningRequest, errors: FieldErrors): void {
  const pem = Buffer.from(spec.request ?? '', 'base64').toString('utf8');
  if (
    !pem.includes('-----BEGIN CERTIFICATE REQUEST-----') &&
    !pem.includes('-----BEGIN NEW CERTIFICATE REQUEST-----')
  ) {
    errors.invalid('spec.request', spec.request || null, 'PEM block type must be CERTIFICATE REQUEST');
  }
  if ((spec.usages ?? []).length === 0) errors.required('spec.usages');
  if (!spec.signerName) errors.required('spec.signerName');
  else if (!/^[^/]+\.[^/]+\/.+$/.test(spec.signerName)) {
    errors.invalid(
      'spec.signerName',
      spec.signerName,
      "must be a fully qualified domain and path of the form 'example.com/signer-name'",
    );
  }
  const seconds = spec.expirationSeconds;
  if (seconds !== undefined && seconds < 600) {
    errors.invalid(
      'spec.expirationSeconds',
      seconds,
      'may not specify a duration less than 600 seconds (10 minutes)',
    );
  }
}
