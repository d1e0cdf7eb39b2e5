/**
 * Garbage collection of instance profiles that no class, claim, launch template or instance uses any more: those of roles that
 * a class had before, and those of classes that were deleted while IAM did not answer.
 */
import { type Controller, isProgramError, itemBackoff, type Log, singleton } from '@chandler/kube';
import { AwsAnnotation, NODE_CLAIMS } from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';
import {
  type InstanceProfiles,
  isUsed,
  type ListedProfile,
  type ProfileUses,
  UnusedProfiles,
} from '../instance-profiles/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { CLASSES, classReflector } from './node-class-store.ts';

export interface ProfileGcParts {
  readonly profiles: Pick<InstanceProfiles, 'listOfCluster' | 'remove'>;
  readonly ec2: Pick<Ec2Calls, 'describeInstances'>;
  /** Names of the profiles in launch templates that a launch may still use. */
  readonly templateProfiles: () => ReadonlySet<string>;
  readonly isolatedVpc: () => boolean;
}

export const PROFILE_GC_PERIOD_MS = 30 * 60_000;

export function instanceProfileGc(context: CloudControllerContext, parts: ProfileGcParts): Controller {
  const pass = new ProfileGcPass(context, parts);
  return singleton({
    name: 'instanceprofile.garbagecollection',
    world: context.world,
    everyMs: PROFILE_GC_PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PROFILE_GC_PERIOD_MS }),
    run: ({ signal, log }) => pass.run(signal, log),
  });
}

// ---------------------------------------------------------------------------------------------------

/** EC2's limit for one filter. */
const MAX_FILTER_VALUES = 200;
const STATES = ['pending', 'running', 'shutting-down', 'stopping', 'stopped'];

class ProfileGcPass {
  readonly #context: CloudControllerContext;
  readonly #parts: ProfileGcParts;
  readonly #unused: UnusedProfiles;

  constructor(context: CloudControllerContext, parts: ProfileGcParts) {
    this.#context = context;
    this.#parts = parts;
    this.#unused = new UnusedProfiles(context.world.clock);
  }

  async run(signal: AbortSignal, log: Log): Promise<void> {
    if (this.#parts.isolatedVpc()) return;
    const profiles = await this.#parts.profiles.listOfCluster(signal);
    const unused = this.#unused.observe(profiles, this.#cachedUses());
    if (unused.length === 0) return;
    // Before anything is deleted: what the caches do not show yet, and instances that no claim knows.
    const uses = await this.#storedUses(signal);
    const candidates = unused.filter(({ name }) => !isUsed(name, uses));
    const running = await this.#running(candidates, signal);
    const bugs: unknown[] = [];
    for (const profile of candidates) {
      // A launch may have begun while others were deleted.
      if (running.has(profile.arn) || isUsed(profile.name, this.#cachedUses())) continue;
      await this.#remove(profile, signal, log, bugs);
    }
    // Thrown after the other profiles were handled.
    if (bugs.length > 0) throw bugs[0];
  }

  #cachedUses(): ProfileUses {
    const { stores } = this.#context;
    return this.#uses(classReflector(this.#context).store.values(), stores.claims.store.values());
  }

  async #storedUses(signal: AbortSignal): Promise<ProfileUses> {
    const client = this.#context.client.withSignal(signal);
    const { items: classes } = await client.listAll(CLASSES);
    const { items: claims } = await client.listAll(NODE_CLAIMS);
    return this.#uses(classes, claims);
  }

  #uses(
    classes: Iterable<{ readonly status?: { readonly instanceProfile?: string } }>,
    claims: Iterable<{ readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> } }>,
  ): ProfileUses {
    return {
      current: new Set([...classes].flatMap(({ status }) => status?.instanceProfile ?? [])),
      launched: new Set(
        [...claims].flatMap(
          ({ metadata }) => metadata?.annotations?.[AwsAnnotation.instanceProfileName] ?? [],
        ),
      ),
      templates: this.#parts.templateProfiles(),
    };
  }

  /** ARNs of those that instances have. */
  async #running(profiles: readonly ListedProfile[], signal: AbortSignal): Promise<ReadonlySet<string>> {
    const { describeInstances } = this.#parts.ec2;
    const used = new Set<string>();
    for (let start = 0; start < profiles.length; start += MAX_FILTER_VALUES) {
      const arns = profiles.slice(start, start + MAX_FILTER_VALUES).map(({ arn }) => arn);
      const Filters = [
        { Name: 'iam-instance-profile.arn', Values: arns },
        { Name: 'instance-state-name', Values: STATES },
      ];
      const input = { Filters, MaxResults: 1000 };
      const found = await allPages(describeInstances, input, ({ Reservations }) => Reservations, { signal });
      for (const { IamInstanceProfile } of found.flatMap(({ Instances }) => Instances ?? []))
        if (IamInstanceProfile?.Arn !== undefined) used.add(IamInstanceProfile.Arn);
    }
    return used;
  }

  /** One that cannot be deleted does not keep the others; the next pass tries again. */
  async #remove({ name }: ListedProfile, signal: AbortSignal, log: Log, bugs: unknown[]): Promise<void> {
    try {
      await this.#parts.profiles.remove(name, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (isProgramError(error)) bugs.push(error);
      log.warn('unused instance profile could not be deleted', {
        instanceProfile: name,
        error: String(error),
      });
    }
  }
}
