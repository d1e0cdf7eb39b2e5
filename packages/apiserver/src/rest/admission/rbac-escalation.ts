/** Nobody grants more than they have. */
import { checkEscalation, RBAC_GROUP } from '../../edge/auth/escalation.ts';
import type { AdmissionPlugin } from './admission.ts';

export const RBAC_ESCALATION: AdmissionPlugin = {
  name: 'RBAC escalation',
  validate({ call, operation, object, current }) {
    if (call.resource.group !== RBAC_GROUP || operation === 'DELETE') return;
    checkEscalation(call.parts.authorizer, {
      user: call.user,
      plural: call.resource.plural,
      namespace: call.namespace ?? '',
      requestName: call.name ?? '',
      object: object!,
      ...(current === undefined ? {} : { previous: current }),
    });
  },
};
