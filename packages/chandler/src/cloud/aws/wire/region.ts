/** Which region the controller works in. */
import type { Sourced } from '../../../settings/index.ts';
import { AwsError, NO_ANSWER, toAwsError } from '../errors/index.ts';
import type { InstanceMetadata } from './instance-metadata.ts';
import { regionProblem } from './region-names.ts';

export interface RegionOptions {
  /** From AWS_REGION or AWS_DEFAULT_REGION; empty: not set. */
  readonly region: Sourced<string>;
  /** Undefined: it is not to be asked. */
  readonly metadata: InstanceMetadata | undefined;
}

/** Of the option, else of the instance; the instance is asked once, and again after a failure. */
export class RegionSource {
  readonly #options: RegionOptions;
  #found: Sourced<string> | undefined;

  constructor(options: RegionOptions) {
    this.#options = options;
  }

  /** @throws {AwsError} that names the option, or the reason of the signal. */
  async get(signal: AbortSignal): Promise<Sourced<string>> {
    const { region, metadata } = this.#options;
    if (region.value !== '') return region;
    if (this.#found !== undefined) return this.#found;
    if (metadata === undefined) throw unknownRegion('AWS_EC2_METADATA_DISABLED is true');
    let value: string;
    try {
      value = await metadata.get('placement/region', signal);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw unknownRegion(
        `the metadata service of the instance does not say it: ${toAwsError(error).message}`,
      );
    }
    const problem = regionProblem(value);
    if (problem !== undefined)
      throw unknownRegion(
        `the metadata service of the instance says '${value.slice(0, 40)}', which is not ${problem}`,
      );
    this.#found = { value, source: 'cluster', path: 'instance metadata placement/region' };
    return this.#found;
  }
}

// ---------------------------------------------------------------------------------------------------------------

function unknownRegion(why: string): AwsError {
  const message = `the region is not known: AWS_REGION is not set, and ${why}; set AWS_REGION (--aws-region), since a pod reaches the metadata service only with a hop limit of 2 or the network of its host`;
  return new AwsError({ code: NO_ANSWER, message });
}
