/** Sizes as AKSNodeClass writes them (`10Gi`, `500M`, `64K`), in the whole MiB that AKS wants. */
import { parseQuantity } from '@chandler/kube';

/** Rounded up, so that at least the requested size is there. */
export function sizeInMiB(size: string): number {
  // The kind allows a capital K, which Kubernetes' own quantities do not know.
  const bytes = parseQuantity(size.replace(/K$/, 'k')).value();
  return Number((bytes + MIB - 1n) / MIB);
}

const MIB = 1024n * 1024n;
