/**
 * The launch templates of the cluster in EC2. A launch leases those it names: what is missing is created first, each by one
 * call however many launches wait for it, and what is leased is not deleted. A template is named by its content, so one that
 * exists already is as good as one that was created. What no launch has used for a while, `deleteUnused` deletes.
 */
import type { CreateLaunchTemplateCommandInput } from '@aws-sdk/client-ec2';
import type { Clock, Log } from '@chandler/kube';
import { AwsLabel } from '../../../api/index.ts';
import { orAbortReason, unlessAborted } from '../../index.ts';

import { asCloudError, isAlreadyExists, isNotFound } from '../errors/index.ts';
import {
  CLUSTER_NAME_TAG,
  type CreateLaunchTemplateRequest,
  LAUNCH_TEMPLATE_PREFIX,
  TemplateUses,
} from '../launch/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import type { UserDataGauge } from './user-data-gauge.ts';

export interface TemplateStoreOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly ec2: Pick<Ec2Calls, 'createLaunchTemplate' | 'deleteLaunchTemplate' | 'describeLaunchTemplates'>;
  readonly clusterName: () => string;
  readonly userData?: Pick<UserDataGauge, 'measure' | 'forget'>;
}

/** Until `end`, the templates stay. `end` may be called twice. */
export interface TemplateLease {
  readonly names: readonly string[];
  end(): void;
}

export class TemplateStore {
  readonly #options: TemplateStoreOptions;
  readonly #uses = new TemplateUses();
  /** Known to be in EC2. */
  readonly #made = new Set<string>();
  readonly #creating = new Map<string, Creation>();
  readonly #deleting = new Map<string, Promise<void>>();
  /** The instance profiles of templates that a launch may still name, by the name of the template. */
  readonly #profiles = new Map<string, string>();
  #hydrated = false;

  constructor(options: TemplateStoreOptions) {
    this.#options = options;
  }

  /**
   * Deletes what no launch has used for a while; the first time, templates of earlier processes are looked for, those of
   * Karpenter among them. Only the leader calls it. @throws {CloudError} when they cannot be listed.
   */
  async collect(signal: AbortSignal): Promise<void> {
    if (!this.#hydrated) await this.hydrate(signal);
    this.#hydrated = true;
    await this.deleteUnused(signal);
  }

  /** What no launch uses soon is deleted. */
  async hydrate(signal: AbortSignal): Promise<void> {
    await orAbortReason(signal, async () => {
      const { clusterName, clock, log } = this.#options;
      try {
        const names = await this.#namesWith({ [CLUSTER_NAME_TAG]: clusterName() }, signal);
        for (const name of names) if (!this.#uses.has(name)) this.#made.add(name);
        this.#uses.hydrate(names, clock.monotonic());
        log.debug('found launch templates of the cluster', { count: names.length });
      } catch (error) {
        throw asCloudError(error);
      }
    });
  }

  /** @throws {CloudError} when one cannot be created; then nothing is leased. */
  async lease(requests: readonly CreateLaunchTemplateRequest[], signal: AbortSignal): Promise<TemplateLease> {
    const { clock } = this.#options;
    const names = requests.map(({ LaunchTemplateName }) => LaunchTemplateName);
    for (const request of requests) this.#options.userData?.measure(request);
    this.#uses.begin(names, clock.monotonic());
    for (const { LaunchTemplateName, LaunchTemplateData } of requests)
      this.#profiles.set(LaunchTemplateName, LaunchTemplateData.IamInstanceProfile.Name);
    let open = true;
    const end = () => {
      if (open) this.#uses.end(names, clock.monotonic());
      open = false;
    };
    try {
      for (const request of requests) await this.#ensure(request, signal);
      return { names, end };
    } catch (error) {
      end();
      throw error;
    }
  }

  /** A launch was refused since EC2 does not have one of these: the next one creates them again. */
  missing(names: readonly string[]): void {
    for (const name of names) this.#made.delete(name);
  }

  /** Instance profiles that templates of this process name, and a launch may still use. */
  get profiles(): ReadonlySet<string> {
    return new Set(this.#profiles.values());
  }

  /** All templates of a node class that is being deleted. @throws {CloudError} when one is left; harmless to repeat. */
  async deleteOfClass(className: string, signal: AbortSignal): Promise<void> {
    await orAbortReason(signal, async () => {
      const { clusterName, userData } = this.#options;
      userData?.forget(className);
      try {
        const tags = { [CLUSTER_NAME_TAG]: clusterName(), [AwsLabel.nodeClass]: className };
        for (const name of await this.#namesWith(tags, signal)) {
          this.#uses.forget(name);
          await this.#remove(name, signal);
        }
      } catch (error) {
        throw asCloudError(error);
      }
    });
  }

  /** One that cannot be deleted does not keep the others; it is found again by the next process. @returns how many went. */
  async deleteUnused(signal: AbortSignal): Promise<number> {
    const { clock, log } = this.#options;
    let deleted = 0;
    for (const name of this.#uses.unused(clock.monotonic())) {
      if (!this.#uses.take(name, clock.monotonic())) continue;
      try {
        await this.#remove(name, signal);
        deleted += 1;
        log.debug('deleted unused launch template', { launchTemplate: name });
      } catch (error) {
        // It may still be there; it is tried again later.
        this.#uses.hydrate([name], clock.monotonic());
        signal.throwIfAborted();
        log.warn('failed to delete unused launch template', {
          launchTemplate: name,
          error: asCloudError(error).message,
        });
      }
    }
    return deleted;
  }

  /** A launch that needs it meanwhile waits, and creates it again. */
  async #remove(name: string, signal: AbortSignal): Promise<void> {
    this.#made.delete(name);
    this.#profiles.delete(name);
    const work = this.#delete(name, signal);
    this.#deleting.set(
      name,
      work.catch(() => undefined),
    );
    try {
      await work;
    } finally {
      this.#deleting.delete(name);
    }
  }

  async #ensure(request: CreateLaunchTemplateRequest, signal: AbortSignal): Promise<void> {
    const name = request.LaunchTemplateName;
    while (!this.#made.has(name)) {
      await unlessAborted(signal, this.#deleting.get(name) ?? Promise.resolve());
      const creation = this.#creating.get(name) ?? this.#create(request, signal);
      try {
        await unlessAborted(signal, creation.work);
      } catch (error) {
        signal.throwIfAborted();
        // The launch that sent it was aborted, not this one.
        if (!creation.signal.aborted) throw asCloudError(error);
      }
    }
  }

  #create(request: CreateLaunchTemplateRequest, signal: AbortSignal): Creation {
    const name = request.LaunchTemplateName;
    const work = this.#send(request, signal).finally(() => this.#creating.delete(name));
    work.catch(() => undefined);
    const creation = { work, signal };
    this.#creating.set(name, creation);
    return creation;
  }

  async #send(request: CreateLaunchTemplateRequest, signal: AbortSignal): Promise<void> {
    const { ec2, log } = this.#options;
    const name = request.LaunchTemplateName;
    try {
      // The SDK lists the instance types of its release; the names are the same.
      await ec2.createLaunchTemplate(request as CreateLaunchTemplateCommandInput, { signal });
      log.debug('created launch template', { launchTemplate: name });
    } catch (error) {
      signal.throwIfAborted();
      if (!isAlreadyExists(error)) throw error;
    }
    this.#made.add(name);
  }

  /** Only those that a controller has named. */
  async #namesWith(tags: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string[]> {
    const templates = await allPages(
      this.#options.ec2.describeLaunchTemplates,
      {
        Filters: Object.entries(tags).map(([key, value]) => ({ Name: `tag:${key}`, Values: [value] })),
        MaxResults: 200,
      },
      (page) => page.LaunchTemplates,
      { signal },
    );
    return templates
      .flatMap(({ LaunchTemplateName }) => LaunchTemplateName ?? [])
      .filter((name) => name.startsWith(LAUNCH_TEMPLATE_PREFIX));
  }

  async #delete(name: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#options.ec2.deleteLaunchTemplate({ LaunchTemplateName: name }, { signal });
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotFound(error)) throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Creation {
  readonly work: Promise<void>;
  /** Of the launch that sent the request. */
  readonly signal: AbortSignal;
}
