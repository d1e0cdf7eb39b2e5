/** The controllers that only Azure needs, made from the parts that know how to do it. */
import type { Controller } from '@chandler/kube';
import type { ArmError } from '../../../arm/index.ts';
import { type CloudControllerContext, type DeniedCalls, type Refreshable, refreshes } from '../../index.ts';

import type { AzureCloud } from '../azure-cloud.ts';
import type { LaunchEvidence } from '../disk-encryption/index.ts';
import type { AzureNodeClassStatus } from '../node-class/status.ts';
import { type AdoptingCloud, adoption } from './adoption.ts';
import { inPlaceUpdate } from './in-place-update.ts';
import { azurePermissions } from './missing-permissions.ts';
import { nodeClassHash } from './node-class-hash.ts';
import { nodeClassStatus } from './node-class-status.ts';
import { nodeClassTermination } from './node-class-termination.ts';
import { leftovers } from './orphaned-resources.ts';

export interface AzureControllerParts {
  readonly cloud: Pick<AzureCloud, 'garbage' | 'updateInPlace'> & AdoptingCloud;
  readonly nodeClassStatus: Pick<AzureNodeClassStatus, 'reconcile'>;
  readonly launchEvidence: Pick<LaunchEvidence, 'onChange'>;
  /** Read again when they are due, by name; absent where another component refreshes them. */
  readonly refreshables?: Readonly<Record<string, Refreshable>>;
  /** Calls that Azure denies; absent where no event reports them. */
  readonly denied?: Pick<DeniedCalls<ArmError>, 'list'>;
}

export function azureControllers(
  context: CloudControllerContext,
  parts: AzureControllerParts,
): readonly Controller[] {
  return [
    nodeClassStatus(context, parts.nodeClassStatus, parts.launchEvidence),
    nodeClassHash(context),
    nodeClassTermination(context),
    inPlaceUpdate(context, parts.cloud),
    adoption(context, parts.cloud),
    leftovers(context, parts.cloud.garbage),
    ...refreshes(context, parts.refreshables ?? {}),
    ...(parts.denied === undefined ? [] : [azurePermissions(context, parts.denied)]),
  ];
}
