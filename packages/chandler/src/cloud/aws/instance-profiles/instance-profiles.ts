/**
 * The instance profiles that the controller creates for the roles of node classes. Creating one takes three calls, and each
 * attempt begins with what is there: a crash or a lost answer between two of them costs a repetition and no second profile.
 * IAM answers from copies that may be seconds old, so "not there" right after a creation is no reason to create again.
 */
import type { World } from '@chandler/kube';
import { AwsError, BAD_ANSWER, isAlreadyExists, isNotFound, toAwsError } from '../errors/index.ts';
import { type Tags, tagList } from '../launch/index.ts';
import { Lookups } from '../network/index.ts';
import type { IamCalls } from '../wire/index.ts';
import {
  classPath,
  clusterPath,
  legacyProfileName,
  type ProfileOwner,
  type ProfileScope,
  profileName,
  profileTags,
} from './profile-names.ts';
import { isProfileName, type ProfileProblem, roleName } from './role.ts';

export interface InstanceProfilesOptions {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly iam: IamCalls;
  readonly scope: () => ProfileScope;
}

export interface WantedProfile {
  readonly owner: ProfileOwner;
  /** `spec.role`. */
  readonly role: string;
  /** `spec.tags`. */
  readonly tags?: Tags | undefined;
  /** `status.instanceProfile`. */
  readonly current?: string | undefined;
}

export type EnsuredProfile =
  | {
      readonly name: string;
      /** EC2 knows it from then on, as far as one can tell; on the clock of the world. 0: for long. */
      readonly usableAtMs: number;
    }
  | { readonly problem: ProfileProblem };

/** A profile in a list, which has no tags. */
export interface ListedProfile {
  readonly name: string;
  readonly arn: string;
  readonly path: string;
}

/** How long IAM takes until EC2 knows a profile. */
export const PROPAGATION_MS = 10_000;

export class InstanceProfiles {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #iam: IamCalls;
  readonly #scope: () => ProfileScope;
  readonly #known: Lookups<KnownProfile>;
  /** Profiles whose removal has begun: IAM may not show them yet when it is tried again. */
  readonly #leaving: Lookups<LeavingProfile>;
  /** Roles that IAM did not know a moment ago. */
  readonly #missingRoles: Lookups<ProfileProblem>;

  constructor({ world, iam, scope }: InstanceProfilesOptions) {
    this.#world = world;
    this.#iam = iam;
    this.#scope = scope;
    this.#known = new Lookups({ clock: world.clock, ttlMs: () => KNOWN_TTL_MS });
    this.#leaving = new Lookups({ clock: world.clock, ttlMs: () => KNOWN_TTL_MS });
    this.#missingRoles = new Lookups({ clock: world.clock, ttlMs: () => MISSING_ROLE_TTL_MS });
  }

  /** @throws {AwsError} when IAM did not do what was asked; the next attempt goes on from there. */
  async ensure(wanted: WantedProfile, signal: AbortSignal): Promise<EnsuredProfile> {
    const parsed = roleName(wanted.role);
    if ('problem' in parsed) return parsed;
    const missing = this.#missingRoles.peek(parsed.name);
    if (missing !== undefined) return { problem: missing };
    const kept = await this.#current(wanted, parsed.name, signal);
    if (kept !== undefined) {
      await this.#tag(kept, profileTags(this.#scope(), wanted.owner.name, wanted.tags), signal);
      return { name: kept.name, usableAtMs: kept.usableAtMs };
    }
    return this.#create(wanted, parsed.name, signal);
  }

  async listOfCluster(signal: AbortSignal): Promise<readonly ListedProfile[]> {
    return this.#list(clusterPath(this.#scope()), signal);
  }

  /** All of one class: those below its path, and the one that an old version of Karpenter may have created for it. */
  async removeOfClass(owner: ProfileOwner, signal: AbortSignal): Promise<void> {
    const scope = this.#scope();
    const path = classPath(scope, owner.uid);
    const listed = await this.#list(path, signal);
    // IAM may not show yet what was created a moment ago.
    const known = [...this.#known.entries(), ...this.#leaving.entries()].map(([, profile]) => profile);
    const names = [...listed, ...known.filter((profile) => profile.path === path)].map(({ name }) => name);
    for (const name of new Set(names)) await this.remove(name, signal);
    const legacy = legacyProfileName(scope, owner.name);
    if (isProfileName(legacy)) await this.remove(legacy, signal);
  }

  /** Harmless to repeat. */
  async remove(name: string, signal: AbortSignal): Promise<void> {
    const shown = await this.#read(name, signal);
    const leaving = this.#leaving.peek(name);
    const profile = shown ?? this.#known.peek(name) ?? leaving;
    this.#known.forget(name);
    if (profile === undefined) return;
    const sinceMs = leaving?.sinceMs ?? this.#world.clock.now();
    // An earlier attempt has removed it. Calls would be denied: it has no tags that a policy could allow.
    if (shown === undefined && this.#world.clock.now() - sinceMs >= SHOWN_WITHIN_MS) {
      this.#leaving.forget(name);
      return;
    }
    this.#leaving.put(name, { ...profile, sinceMs });
    for (const RoleName of profile.roles)
      await this.#unlessGone(signal, () =>
        this.#iam.removeRoleFromInstanceProfile({ InstanceProfileName: name, RoleName }, { signal }),
      );
    await this.#unlessGone(signal, () =>
      this.#iam.deleteInstanceProfile({ InstanceProfileName: name }, { signal }),
    );
    this.#leaving.forget(name);
    this.#world.log.info('deleted instance profile', { instanceProfile: name });
  }

  /** The profile of the status, if it was made for the class and has the role. */
  async #current(
    { owner, current }: WantedProfile,
    role: string,
    signal: AbortSignal,
  ): Promise<KnownProfile | undefined> {
    if (current === undefined || current === '' || !isProfileName(current)) return undefined;
    const profile = await this.#get(current, signal);
    if (profile === undefined || !profile.roles.includes(role)) return undefined;
    const scope = this.#scope();
    const isOwn =
      profile.path === classPath(scope, owner.uid) || current === legacyProfileName(scope, owner.name);
    return isOwn ? profile : undefined;
  }

  async #create({ owner, tags }: WantedProfile, role: string, signal: AbortSignal): Promise<EnsuredProfile> {
    const scope = this.#scope();
    const name = profileName(scope, owner, role);
    const path = classPath(scope, owner.uid);
    const wantedTags = profileTags(scope, owner.name, tags);
    let profile = await this.#get(name, signal);
    if (profile === undefined) {
      const problem = await this.#createEmpty(name, path, wantedTags, signal);
      if (problem !== undefined) return { problem };
      profile = { name, path, tags: wantedTags, roles: [], usableAtMs: this.#inAWhile() };
    }
    if (profile.path !== path) return { problem: nameTaken(name, profile.path) };
    await this.#tag(profile, wantedTags, signal);
    const problem = await this.#giveRole(profile, role, signal);
    if (problem !== undefined) return { problem };
    const isNew = !profile.roles.includes(role);
    const usableAtMs = isNew ? this.#inAWhile() : profile.usableAtMs;
    this.#known.put(name, { name, path, tags: wantedTags, roles: [role], usableAtMs });
    return { name, usableAtMs };
  }

  async #createEmpty(
    InstanceProfileName: string,
    Path: string,
    tags: Tags,
    signal: AbortSignal,
  ): Promise<ProfileProblem | undefined> {
    try {
      await this.#iam.createInstanceProfile({ InstanceProfileName, Path, Tags: tagList(tags) }, { signal });
      this.#world.log.info('created instance profile', { instanceProfile: InstanceProfileName });
      return undefined;
    } catch (thrown) {
      signal.throwIfAborted();
      // An earlier attempt created it; IAM's copies do not show it yet.
      if (isAlreadyExists(thrown)) return undefined;
      if (isLimit(thrown)) return quotaExceeded(toAwsError(thrown));
      throw thrown;
    }
  }

  async #tag(profile: KnownProfile, wanted: Tags, signal: AbortSignal): Promise<void> {
    if (Object.entries(wanted).every(([key, value]) => profile.tags[key] === value)) return;
    // All of them: the controller's IAM policy asks for those of the owner in the request too.
    const input = { InstanceProfileName: profile.name, Tags: tagList(wanted) };
    await this.#iam.tagInstanceProfile(input, { signal });
    this.#known.put(profile.name, { ...profile, tags: { ...profile.tags, ...wanted } });
  }

  /** A profile has one role at most. */
  async #giveRole(
    { name, roles }: KnownProfile,
    role: string,
    signal: AbortSignal,
  ): Promise<ProfileProblem | undefined> {
    if (roles.includes(role)) return undefined;
    // Whatever happens now, what is known of it is out of date.
    this.#known.forget(name);
    for (const RoleName of roles)
      await this.#unlessGone(signal, () =>
        this.#iam.removeRoleFromInstanceProfile({ InstanceProfileName: name, RoleName }, { signal }),
      );
    try {
      await this.#iam.addRoleToInstanceProfile({ InstanceProfileName: name, RoleName: role }, { signal });
      return undefined;
    } catch (thrown) {
      signal.throwIfAborted();
      if (saysRoleIsMissing(thrown)) return this.#missingRole(role);
      // It has a role, which the answer before did not show. Unless it is this one, the next attempt removes it.
      if (isLimit(thrown) && (await this.#read(name, signal))?.roles.includes(role) === true)
        return undefined;
      throw thrown;
    }
  }

  #missingRole(role: string): ProfileProblem {
    const problem: ProfileProblem = {
      reason: 'RoleNotFound',
      message: `spec.role: IAM has no role named ${role} in this account; create it, or correct the name`,
    };
    this.#missingRoles.put(role, problem);
    return problem;
  }

  async #get(name: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    const kept = this.#known.peek(name);
    if (kept !== undefined) return kept;
    const profile = await this.#read(name, signal);
    if (profile !== undefined) this.#known.put(name, profile);
    return profile;
  }

  async #read(InstanceProfileName: string, signal: AbortSignal): Promise<KnownProfile | undefined> {
    try {
      const { InstanceProfile } = await this.#iam.getInstanceProfile({ InstanceProfileName }, { signal });
      const { Path = '/', Roles = [], Tags: shown = [], CreateDate } = InstanceProfile ?? {};
      const createdMs = CreateDate?.getTime() ?? 0;
      return {
        name: InstanceProfileName,
        path: Path,
        tags: Object.fromEntries(shown.map(({ Key, Value }) => [Key ?? '', Value ?? ''])),
        roles: Roles.flatMap(({ RoleName }) => RoleName ?? []),
        usableAtMs: createdMs + PROPAGATION_MS,
      };
    } catch (thrown) {
      signal.throwIfAborted();
      if (isNotFound(thrown)) return undefined;
      throw thrown;
    }
  }

  async #list(PathPrefix: string, signal: AbortSignal): Promise<readonly ListedProfile[]> {
    const found: ListedProfile[] = [];
    let marker: string | undefined;
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const input = { PathPrefix, MaxItems: PAGE, ...(marker === undefined ? {} : { Marker: marker }) };
      const {
        InstanceProfiles: page = [],
        IsTruncated,
        Marker,
      } = await this.#iam.listInstanceProfiles(input, { signal });
      for (const { InstanceProfileName: name, Arn: arn, Path: path } of page)
        if (name !== undefined && arn !== undefined && path !== undefined) found.push({ name, arn, path });
      if (IsTruncated !== true || Marker === undefined) return found;
      if (Marker === marker) break;
      marker = Marker;
    }
    throw new AwsError({ code: BAD_ANSWER, message: 'the list of instance profiles has no last page' });
  }

  async #unlessGone(signal: AbortSignal, call: () => Promise<unknown>): Promise<void> {
    try {
      await call();
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isNotFound(thrown)) throw thrown;
    }
  }

  #inAWhile(): number {
    return this.#world.clock.now() + PROPAGATION_MS;
  }
}

// ---------------------------------------------------------------------------------------------------

const KNOWN_TTL_MS = 15 * 60_000;
const MISSING_ROLE_TTL_MS = 60_000;
/** IAM shows a new profile by then, wherever it is asked. */
const SHOWN_WITHIN_MS = 60_000;
const PAGE = 1000;
const MAX_PAGES = 100;

interface KnownProfile {
  readonly name: string;
  readonly path: string;
  readonly tags: Tags;
  readonly roles: readonly string[];
  readonly usableAtMs: number;
}

interface LeavingProfile extends KnownProfile {
  /** Of the first attempt to remove it. */
  readonly sinceMs: number;
}

/** IAM has one code for a missing profile and a missing role. */
function saysRoleIsMissing(thrown: unknown): boolean {
  return isNotFound(thrown) && /^The role with name/i.test(toAwsError(thrown).message);
}

function isLimit(thrown: unknown): boolean {
  return toAwsError(thrown).codes.some((code) => /^LimitExceeded(?:Exception)?$/.test(code));
}

function quotaExceeded(aws: AwsError): ProfileProblem {
  return {
    reason: 'InstanceProfileQuotaExceeded',
    message: `an instance profile for spec.role cannot be created: a quota of IAM is exhausted; delete unused profiles, request an increase in Service Quotas, or set spec.instanceProfile: ${aws.text}`,
  };
}

function nameTaken(name: string, path: string): ProfileProblem {
  return {
    reason: 'InstanceProfileNameTaken',
    message: `the instance profile ${name} exists at the path ${path} and does not belong to this class; delete it, or set spec.instanceProfile`,
  };
}
