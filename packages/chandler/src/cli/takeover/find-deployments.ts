/** Finds the Deployments of Karpenter and of Chandler among all of a cluster. */
import type { Deployment, ObjectKey, Stored } from '@chandler/kube';
import { UsageError } from '../verb.ts';
import { keyOfDeployment, nameOf } from './deployments.ts';

export interface Named {
  readonly karpenter: ObjectKey | undefined;
  readonly chandler: ObjectKey | undefined;
}

/** One, or all that it may be. */
export type Found = { readonly one: Stored<Deployment> } | { readonly candidates: readonly string[] };

export function findKarpenter(all: readonly Stored<Deployment>[], named: Named): Found {
  return find(all, named.karpenter, (each) => !isChandler(each) && isKarpenter(each));
}

export function findChandler(all: readonly Stored<Deployment>[], named: Named): Found {
  return find(all, named.chandler, isChandler);
}

/** @throws {UsageError} for a text that is not `NAMESPACE/NAME`. */
export function parseName(flag: string, text: string | undefined): ObjectKey | undefined {
  if (text === undefined) return undefined;
  const [namespace, name, ...rest] = text.split('/');
  if (!namespace || !name || rest.length > 0)
    throw new UsageError([{ where: flag, message: `expected NAMESPACE/NAME, got ${JSON.stringify(text)}` }]);
  return { namespace, name };
}

// ---------------------------------------------------------------------------------------------------

const NAME_LABEL = 'app.kubernetes.io/name';
/** As the images of both Karpenter charts are called. */
const KARPENTER_IMAGE = /(?:^|\/)karpenter\/controller(?:[:@]|$)/;
const CHANDLER_IMAGE = /(?:^|\/)chandler(?:[:@]|$)/;

function find(
  all: readonly Stored<Deployment>[],
  key: ObjectKey | undefined,
  fits: (deployment: Stored<Deployment>) => boolean,
): Found {
  const isNamed = ({ metadata }: Stored<Deployment>) =>
    metadata.name === key?.name && metadata.namespace === key?.namespace;
  const found = all.filter(key === undefined ? fits : isNamed);
  const [one] = found;
  if (one !== undefined && found.length === 1) return { one };
  return { candidates: found.map((each) => nameOf(keyOfDeployment(each))) };
}

function isKarpenter({ metadata, spec }: Stored<Deployment>): boolean {
  return (
    metadata.labels?.[NAME_LABEL] === 'karpenter' ||
    spec.template.spec.containers.some(({ image }) => KARPENTER_IMAGE.test(image ?? ''))
  );
}

function isChandler({ metadata, spec }: Stored<Deployment>): boolean {
  return (
    metadata.labels?.[NAME_LABEL] === 'chandler' ||
    spec.template.spec.containers.some(({ image }) => CHANDLER_IMAGE.test(image ?? ''))
  );
}
