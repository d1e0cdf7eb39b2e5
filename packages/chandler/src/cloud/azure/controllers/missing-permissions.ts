/** What Azure denies, on every AKSNodeClass. */
import type { Controller } from '@chandler/kube';
import { type ArmError, missingPermission } from '../../../arm/index.ts';
import { type CloudControllerContext, type DeniedCalls, missingPermissions } from '../../index.ts';
import { useOf } from '../permissions/index.ts';
import { CLASSES, classReflector } from './node-class-store.ts';

export function azurePermissions(
  context: CloudControllerContext,
  denied: Pick<DeniedCalls<ArmError>, 'list'>,
): Controller {
  return missingPermissions(context, {
    resource: CLASSES,
    nodeClasses: () => classReflector(context).store.values(),
    denied,
    describe({ call, error }) {
      const { action = call } = missingPermission(error.message) ?? {};
      const use = useOf(action);
      return {
        action,
        message: `${use === undefined ? '' : `${action} is needed to ${use}. `}${error.message}`,
      };
    },
  });
}
