/** Defaults of the volumes of a pod. */
import type { V1DownwardAPIVolumeFile, V1Volume } from '@kubernetes/client-node';
import { pullPolicyOf } from './image-pull-policy.ts';

/** 0644. */
const FILE_MODE = 0o644;
const TOKEN_SECONDS = 3600;

export function defaultVolume(volume: V1Volume): void {
  if (hasNoSource(volume)) volume.emptyDir = {};
  if (volume.secret) volume.secret.defaultMode ??= FILE_MODE;
  if (volume.configMap) volume.configMap.defaultMode ??= FILE_MODE;
  if (volume.hostPath) volume.hostPath.type ??= '';
  if (volume.downwardAPI) {
    volume.downwardAPI.defaultMode ??= FILE_MODE;
    defaultItems(volume.downwardAPI.items);
  }
  if (volume.projected) {
    volume.projected.defaultMode ??= FILE_MODE;
    for (const source of volume.projected.sources ?? []) {
      defaultItems(source.downwardAPI?.items);
      if (source.serviceAccountToken) source.serviceAccountToken.expirationSeconds ??= TOKEN_SECONDS;
    }
  }
  if (volume.azureDisk) {
    volume.azureDisk.cachingMode ??= 'ReadWrite';
    volume.azureDisk.kind ??= 'Shared';
    volume.azureDisk.fsType ??= 'ext4';
    volume.azureDisk.readOnly ??= false;
  }
  if (volume.ephemeral?.volumeClaimTemplate)
    volume.ephemeral.volumeClaimTemplate.spec.volumeMode ??= 'Filesystem';
  if (volume.image) volume.image.pullPolicy ??= pullPolicyOf(volume.image.reference);
}

// ---------------------------------------------------------------------------------------------------

function hasNoSource(volume: V1Volume): boolean {
  for (const key in volume) if (key !== 'name') return false;
  return true;
}

function defaultItems(items: V1DownwardAPIVolumeFile[] | undefined): void {
  for (const item of items ?? []) if (item.fieldRef) item.fieldRef.apiVersion ??= 'v1';
}
