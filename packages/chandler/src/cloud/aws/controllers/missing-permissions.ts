/** What AWS denies, on every EC2NodeClass. */
import type { Controller } from '@chandler/kube';
import { type CloudControllerContext, type DeniedCalls, missingPermissions } from '../../index.ts';
import { type AwsError, asCloudError, readDenial } from '../errors/index.ts';
import { PERMISSION_USES } from '../permissions/index.ts';
import { CLASSES, classReflector } from './node-class-store.ts';

export function awsPermissions(
  context: CloudControllerContext,
  denied: Pick<DeniedCalls<AwsError>, 'list'>,
): Controller {
  return missingPermissions(context, {
    resource: CLASSES,
    nodeClasses: () => classReflector(context).store.values(),
    denied,
    describe({ call, error }) {
      const { action = call } = readDenial(error.message);
      const without = PERMISSION_USES[action]?.without;
      const effect = without === undefined ? '' : `Without ${action}, ${without}: `;
      return { action, message: `${effect}${asCloudError(error).message}` };
    },
  });
}
