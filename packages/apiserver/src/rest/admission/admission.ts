/**
 * The plugins that look at a write between decoding and storing. First each may change the object, in order;
 * after the strategy's validation each may reject it.
 */
import type { KubeObject, StatusCause } from '@chandler/kube';
import { ApiError, qualify } from '../../errors.ts';
import type { RequestContext } from '../../resource.ts';

export type Operation = 'CREATE' | 'UPDATE' | 'DELETE';

export interface Attributes {
  readonly operation: Operation;
  readonly call: RequestContext;
  /** In the version of the request. Absent on delete. */
  readonly object: KubeObject | undefined;
  /** Absent on create. */
  readonly current: KubeObject | undefined;
}

export interface AdmissionPlugin {
  readonly name: string;
  mutate?(attributes: Attributes): void;
  validate?(attributes: Attributes): void;
}

export class Admission {
  readonly #mutating: readonly AdmissionPlugin[];
  readonly #validating: readonly AdmissionPlugin[];

  constructor(plugins: readonly AdmissionPlugin[]) {
    this.#mutating = plugins.filter((plugin) => plugin.mutate !== undefined);
    this.#validating = plugins.filter((plugin) => plugin.validate !== undefined);
  }

  mutate(attributes: Attributes): void {
    for (const plugin of this.#mutating) plugin.mutate!(attributes);
  }

  validate(attributes: Attributes): void {
    for (const plugin of this.#validating) plugin.validate!(attributes);
  }
}

/** The error of a plugin: a 403 with the name of the object, or its generateName. */
export function refused(
  { call, object }: Attributes,
  why: string,
  causes?: readonly StatusCause[],
): ApiError {
  const { resource } = call;
  const name = call.name || object?.metadata.name || object?.metadata.generateName || '';
  const subject = `${qualify(resource)} ${JSON.stringify(name === '' ? 'Unknown' : name)}`;
  return new ApiError(403, 'Forbidden', `${subject} is forbidden: ${why}`, {
    ...(name === '' ? { name: 'Unknown' } : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(causes === undefined ? {} : { causes: [...causes] }),
  });
}

export function isKind(call: RequestContext, group: string, plural: string): boolean {
  return call.resource.plural === plural && call.resource.group === group;
}

/** The spec of a private object, made when there is none. */
export function specOf<Spec extends object>(object: KubeObject): Spec {
  object['spec'] ??= {};
  return object['spec'] as Spec;
}
