/** Prevents users from granting more permissions than they have. */
import { checkEscalation, RBAC_GROUP } from '../../edge/auth/escalation.ts';
import type { RbacAuthorizer } from '../../edge/auth/rbac.ts';
import type { AdmissionPlugin } from './admission.ts';

export function rbacEscalation(authorizer: RbacAuthorizer): AdmissionPlugin {
  return {
    name: 'RBAC escalation',
    validate({ call, operation, object, current }) {
      if (call.resource.group !== RBAC_GROUP || operation === 'DELETE') return;
      checkEscalation(authorizer, {
        user: call.user,
        plural: call.resource.plural,
        namespace: call.namespace ?? '',
        requestName: call.name ?? '',
        object: object!,
        ...(current === undefined ? {} : { previous: current }),
      });
    },
  };
}
