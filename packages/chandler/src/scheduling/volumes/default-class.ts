/** The StorageClass of claims that name none. The API server writes it into a claim when the claim is created. */
import type { StorageClass } from '@chandler/kube';

const ANNOTATIONS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
] as const;

/** Of several the newest, then the first by name, as in the API server. Undefined: there is none. */
export function defaultStorageClass(classes: readonly StorageClass[]): string | undefined {
  const [first] = classes
    .filter(({ metadata }) => ANNOTATIONS.some((name) => metadata.annotations?.[name] === 'true'))
    .sort((one, other) => {
      const [a, b] = [one, other].map(({ metadata }) => metadata.creationTimestamp ?? '') as [string, string];
      if (a !== b) return a > b ? -1 : 1;
      return (one.metadata.name ?? '') < (other.metadata.name ?? '') ? -1 : 1;
    });
  return first?.metadata.name;
}
