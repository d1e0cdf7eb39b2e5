/**
 * What a cloud must have for the controller, as a list of resources: what each is, why it is needed, and how it is read, written and
 * removed. The clouds give the lists; planning, applying and undoing are the same for all of them.
 */

/** The fields that are compared. Lists are in a fixed order. */
export type Fields = Readonly<Record<string, FieldValue>>;
export type FieldValue =
  | string
  | boolean
  | number
  | readonly FieldValue[]
  | { readonly [key: string]: FieldValue };

/** What the cloud decides when a resource is created, such as the client ID of an identity. Later resources use it. */
export type Facts = Readonly<Record<string, string>>;

export interface Found {
  /** By which the cloud knows it. */
  readonly id: string;
  readonly fields: Fields;
  readonly facts?: Facts;
}

export interface DesiredResource {
  /** Stable and unique in the list: `identity`. */
  readonly key: string;
  /** `managed identity`. */
  readonly kind: string;
  readonly name: string;
  /** Completes "It is needed …": `so that the controller can sign in`. */
  readonly why: string;
  /** What --write writes would overwrite one of somebody else. */
  readonly isOverwrittenByFiles?: boolean;
  /** By which the cloud knows it once it is written. Undefined while a fact is not known that is part of it. */
  id(facts: Facts): string | undefined;
  /** Undefined while a fact is not known that it needs: then it cannot exist. */
  desired(facts: Facts): Fields | undefined;
  /** Undefined: it does not exist. @throws {NotAllowed} */
  read(facts: Facts, signal: AbortSignal): Promise<Found | undefined>;
  /** Creates it, or changes what was found. @throws {NotAllowed} and {NotYet} */
  write(fields: Fields, facts: Facts, found: Found | undefined, signal: AbortSignal): Promise<void>;
}

/** A resource that the journal names, by its ID alone. */
export interface RecordedResource {
  /** Undefined: it does not exist. @throws {NotAllowed} */
  read(signal: AbortSignal): Promise<Found | undefined>;
  /** @throws {NotAllowed} and {NotYet} */
  remove(signal: AbortSignal): Promise<void>;
  /** Why undo does not remove it, as a clause: others have come to need it. */
  readonly keptBecause?: string;
  /** Who uses it and what to do about it, as clauses; undefined: nobody does. It is asked before anything is removed. @throws {NotAllowed} */
  inUse?(signal: AbortSignal): Promise<string | undefined>;
}

/** Clouds do not distinguish IDs by case. */
export function sameId(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

export function isInside(id: string, outer: string): boolean {
  return id.toLowerCase().startsWith(`${outer.toLowerCase()}/`);
}

/** A permission that the caller does not have. */
export interface MissingPermission {
  readonly action: string;
  readonly scope: string;
}

/** The cloud refused a call because of a missing permission. */
export class NotAllowed extends Error {
  override readonly name = 'NotAllowed';
  readonly permission: MissingPermission;

  constructor(permission: MissingPermission) {
    super(permissionText(permission));
    this.permission = permission;
  }
}

/** The call may succeed later: the cloud is busy, or does not know yet what was created a moment ago. */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  readonly retryAfterMs: number | undefined;

  constructor(message: string, retryAfterMs?: number) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** A failure that the user can fix. The message says what failed, on what, why, and what to do. */
export class ConfigureError extends Error {
  override readonly name = 'ConfigureError';
}

/** The cloud refused a call, and not for want of a permission: by a policy, for example. Nothing was changed by it. */
export class Refused extends ConfigureError {}

export function permissionText({ action, scope }: MissingPermission): string {
  return `you do not have the permission ${action} on ${scope}`;
}
