/** Which region the controller works in. */
import type { Sourced } from '../../../settings/index.ts';
import { AwsError, NO_ANSWER, toAwsError } from '../errors/index.ts';
import type { InstanceMetadata } from './instance-metadata.ts';
import { type ProfileFiles, profileRegion } from './profile-region.ts';
import { regionProblem } from './region-names.ts';
import { unknownRegionText } from './unknown-region.ts';

export interface RegionOptions {
  /** From AWS_REGION or AWS_DEFAULT_REGION; empty: not set. */
  readonly region: Sourced<string>;
  /** Undefined: the files of profiles are not to be read. */
  readonly profile?: ProfileFiles | undefined;
  /** Undefined: it is not to be asked. */
  readonly metadata: InstanceMetadata | undefined;
}

/** Of the option, else of the profile, else of the instance; these are asked once, and again after a failure. */
export class RegionSource {
  readonly #options: RegionOptions;
  #found: Sourced<string> | undefined;

  constructor(options: RegionOptions) {
    this.#options = options;
  }

  /** @throws {AwsError} that names the option, or the reason of the signal. */
  async get(signal: AbortSignal): Promise<Sourced<string>> {
    const { region } = this.#options;
    if (region.value !== '') return region;
    this.#found ??= await this.#find(signal);
    return this.#found;
  }

  async #find(signal: AbortSignal): Promise<Sourced<string>> {
    const { profile } = this.#options;
    if (profile === undefined) return this.#ofInstance('AWS_REGION is not set', signal);
    const { region, where, problem: lack = '' } = await profileRegion(profile);
    signal.throwIfAborted();
    if (region === undefined) return this.#ofInstance(`AWS_REGION is not set, ${where} ${lack}`, signal);
    const problem = regionProblem(region);
    if (problem !== undefined)
      throw unknownRegion(
        'AWS_REGION is not set',
        `${where} has the region '${region.slice(0, 40)}', which is not ${problem}`,
      );
    return { value: region, source: 'settings', path: `region of ${where}` };
  }

  /** @param before what was looked for already, for the error. */
  async #ofInstance(before: string, signal: AbortSignal): Promise<Sourced<string>> {
    const { metadata } = this.#options;
    if (metadata === undefined) throw unknownRegion(before, 'AWS_EC2_METADATA_DISABLED is true');
    let value: string;
    try {
      value = await metadata.get('placement/region', signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unknownRegion(
        before,
        `the metadata service of the instance does not say it: ${toAwsError(error).message}`,
      );
    }
    const problem = regionProblem(value);
    if (problem !== undefined)
      throw unknownRegion(
        before,
        `the metadata service of the instance says '${value.slice(0, 40)}', which is not ${problem}`,
      );
    return { value, source: 'cluster', path: 'instance metadata placement/region' };
  }
}

// ---------------------------------------------------------------------------------------------------------------

function unknownRegion(before: string, why: string): AwsError {
  return new AwsError({ code: NO_ANSWER, message: unknownRegionText(`${before}, and ${why}`) });
}
