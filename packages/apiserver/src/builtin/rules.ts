/** The particular behaviour of a kind, beyond that of all built-in kinds; everything is optional. */
import type { KubeObject } from '@chandler/kube';
import type { RequestContext } from '../resource.ts';
import type { FieldErrors } from './validation/field-errors.ts';
import type { NameRule } from './validation/names.ts';

export interface KindRules {
  /** Default: a DNS subdomain. */
  readonly name?: NameRule;
  /** Derived defaults, applied each time an object is read: part of decoding. */
  readonly defaults?: (object: KubeObject) => void;
  /** Beyond resetting status and generation. */
  readonly prepareForCreate?: (object: KubeObject, context: RequestContext) => void;
  /** Runs for creations and, unless `update` says otherwise, for updates of the main resource. */
  readonly validate?: (object: KubeObject, errors: FieldErrors, context: RequestContext) => void;
  /** Only on creation, after `validate`. */
  readonly validateNew?: (object: KubeObject, errors: FieldErrors, context: RequestContext) => void;
  /** What is filled in before storing, once a new object is valid. */
  readonly settle?: (object: KubeObject) => void;
  readonly prepareForUpdate?: (next: KubeObject, current: KubeObject, context: RequestContext) => void;
  readonly validateUpdate?: (
    next: KubeObject,
    current: KubeObject,
    errors: FieldErrors,
    context: RequestContext,
  ) => void;
  readonly validateStatus?: (
    next: KubeObject,
    current: KubeObject,
    errors: FieldErrors,
    context: RequestContext,
  ) => void;
  /** Warnings about a valid object. `current` is absent for a new object. */
  readonly warnings?: (
    object: KubeObject,
    current: KubeObject | undefined,
    warn: (text: string) => void,
  ) => void;
  /** Whether a status update may also change labels, annotations and the like. Default true. */
  readonly statusKeepsLabels?: boolean;
  /** metadata.generation counts changes of what is desired, or stays 1. Default: counts where there is a spec and a status. */
  readonly generation?: boolean | 'fixed';
  /** The status given on creation is kept. Default false. */
  readonly keepsStatusOnCreate?: boolean;
  /** `validate` also runs on updates, before `validateUpdate`. Default true. */
  readonly revalidates?: boolean;
  /** Metadata is held to the rules of creation on updates too. Default false. */
  readonly revalidatesMetadata?: boolean;
  readonly allowCreateOnUpdate?: boolean;
  readonly allowUnconditionalUpdate?: boolean;
  readonly gracePeriodSeconds?: (object: KubeObject, requested: number | undefined) => number;
}
