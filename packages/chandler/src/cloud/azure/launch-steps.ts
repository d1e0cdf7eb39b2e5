/**
 * The steps between options and the request for a virtual machine, as functions that can be decorated. Production takes
 * them as they are; the playground and the suites put faults around them.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import {
  type DiskEncryptionChoice,
  type DiskEncryptionSources,
  resolveDiskEncryptionSet,
} from './disk-encryption/index.ts';
import { buildLaunchTemplate } from './launch-template/index.ts';
import type { AzureControllerValues } from './options/options.ts';
import type { SentVm, VmApi } from './vm/vm-api.ts';
import { vmObject, vmPlan } from './vm/vm-object.ts';

export interface LaunchSteps {
  /** As the launch of a claim reads them. */
  readonly options: (claim: Stored<NodeClaim>) => AzureControllerValues;
  readonly resolveDiskEncryptionSet: (
    sources: DiskEncryptionSources,
    claim: Stored<NodeClaim>,
  ) => DiskEncryptionChoice;
  readonly buildLaunchTemplate: typeof buildLaunchTemplate;
  readonly vmPlan: typeof vmPlan;
  readonly vmObject: typeof vmObject;
  readonly putNewVm: (api: VmApi, ...request: Parameters<VmApi['putNewVm']>) => Promise<SentVm>;
}

export type DecorateLaunch = (steps: LaunchSteps) => LaunchSteps;

export function launchSteps(
  own: Pick<LaunchSteps, 'options' | 'putNewVm'>,
  decorate: DecorateLaunch = (steps) => steps,
): LaunchSteps {
  return decorate({ resolveDiskEncryptionSet, buildLaunchTemplate, vmPlan, vmObject, ...own });
}
