/** The eleven steps, in the order of `STEP_IDS`: what each does is its own file's business. */
import type { Step } from '../step.ts';
import { arcStep } from '../steps/arc.ts';
import { cni } from '../steps/cni.ts';
import { containerd } from '../steps/containerd.ts';
import { credentialsStep } from '../steps/credentials.ts';
import { directories } from '../steps/directories.ts';
import { kubeletStep } from '../steps/kubelet.ts';
import { createKubernetes } from '../steps/kubernetes.ts';
import { runc } from '../steps/runc.ts';
import { createStartServices, type StartServicesOptions } from '../steps/start-services.ts';
import { stopServices } from '../steps/stop-services.ts';
import { system } from '../steps/system.ts';

export function createSteps(options: StartServicesOptions = {}): readonly Step[] {
  return [
    arcStep,
    stopServices,
    directories,
    system,
    runc,
    containerd,
    createKubernetes(options),
    cni,
    credentialsStep,
    kubeletStep,
    createStartServices(options),
  ];
}
