/** The files that a machine with this config needs, in the order of the steps. */
import type { FlexConfig } from '../config/config.ts';
import { STEP_IDS, type StepId } from '../step.ts';
import type { Architecture, ArtifactRequest } from './artifacts.ts';
import { artifactKey } from './known-hash.ts';
import { kubernetesForm } from './sources.ts';

export const KUBERNETES_PROGRAMS = ['kubelet', 'kubectl', 'kubeadm'] as const;

export function artifactRequests(config: FlexConfig, architecture: Architecture): readonly ArtifactRequest[] {
  return STEP_IDS.flatMap((step) => stepArtifactRequests(step, config, architecture));
}

/** The files of one step, to prefetch only for the steps that still have to run. */
export function stepArtifactRequests(
  step: StepId,
  config: FlexConfig,
  architecture: Architecture,
): readonly ArtifactRequest[] {
  switch (step) {
    case 'arc':
      return arcAgent(config, architecture);
    case 'runc':
      return [{ kind: 'runc', version: config.runc.version, architecture }];
    case 'containerd':
      return [{ kind: 'containerd', version: config.containerd.version, architecture }];
    case 'kubernetes':
      return kubernetesRequests(config, architecture);
    case 'cni':
      return [{ kind: 'cni-plugins', version: config.cni.version, architecture }];
    default:
      return [];
  }
}

export function kubernetesRequests(
  config: FlexConfig,
  architecture: Architecture,
): readonly ArtifactRequest[] {
  const { version } = config.kubernetes;
  if (kubernetesForm(config) === 'node-archive') return [{ kind: 'kubernetes-node', version, architecture }];
  return KUBERNETES_PROGRAMS.map((kind) => ({ kind, version, architecture }));
}

// ---------------------------------------------------------------------------------------------------

/** Not in the built-in table: requested only if the config contains its hash. */
function arcAgent(config: FlexConfig, architecture: Architecture): readonly ArtifactRequest[] {
  const request: ArtifactRequest = {
    kind: 'azcmagent',
    version: config.azure.arc.agentVersion,
    architecture,
  };
  const named = config.downloads.sha256[artifactKey(request)] !== undefined;
  return config.azure.arc.install && named ? [request] : [];
}
