/**
 * The images of a node class as AWS has them: SSM parameters and DescribeImages, asked as `image-queries.ts` says and kept as
 * long as each may be. What fails is thrown: a parameter that could not be read must not look like one that does not exist,
 * since the nodes of an image that is missing from the status drift.
 */
import type { Clock } from '@chandler/kube';
import type { EC2NodeClassSpec } from '../../../api/index.ts';
import { isNotFound, toAwsError } from '../errors/index.ts';
import { keyOf, Lookups } from '../network/index.ts';
import { allPages, type Ec2Calls, type SsmCalls } from '../wire/index.ts';
import type { ImageProblem } from './alias.ts';
import { type ChosenImage, chooseImages, type Ec2Image, supportsArchitecture } from './choose-images.ts';
import {
  type DescribeImagesInput,
  type ImageParameter,
  imageParameters,
  imageQueries,
  PARAMETER_TTL_MS,
  type SkippedParameter,
} from './image-queries.ts';

export interface ImageReaderOptions {
  readonly clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'describeImages'>;
  readonly ssm: Pick<SsmCalls, 'getParameter'>;
  /** The option `ami-refresh-interval`. */
  readonly refreshIntervalMs: () => number;
}

export interface FoundImages {
  /** Newest first; none where nothing matches. */
  readonly images: readonly ChosenImage[];
  readonly skipped: readonly SkippedParameter[];
  /** Images that match, of an architecture that no node has. */
  readonly otherArchitectures: readonly { readonly id: string; readonly architecture: string }[];
}

export class ImageReader {
  readonly #options: ImageReaderOptions;
  readonly #parameters: Lookups<ParameterValue>;
  readonly #images: Lookups<readonly Ec2Image[]>;

  constructor(options: ImageReaderOptions) {
    const { clock, refreshIntervalMs } = options;
    this.#options = options;
    this.#parameters = new Lookups({ clock, ttlMs: () => PARAMETER_TTL_MS });
    this.#images = new Lookups({ clock, ttlMs: refreshIntervalMs });
  }

  /** @throws {AwsError} */
  async find(
    spec: EC2NodeClassSpec,
    kubernetesVersion: string,
    signal: AbortSignal,
  ): Promise<FoundImages | { readonly problem: ImageProblem }> {
    const wanted = imageParameters(spec, kubernetesVersion);
    if ('problem' in wanted) return wanted;
    const values = new Map<string, string>();
    for (const parameter of wanted.parameters) {
      const value = await this.#parameter(parameter, signal);
      if (value !== undefined) values.set(parameter.Name, value);
    }
    const asked = imageQueries(spec, wanted.parameters, values);
    if ('problem' in asked) return { problem: asked.problem };
    const answers = [];
    for (const query of asked.queries) {
      const images = await this.#images.get(
        keyOf(query.input),
        (shared) => this.#describe(query.input, shared),
        signal,
      );
      answers.push({ query, images });
    }
    return {
      images: chooseImages(answers, this.#options.clock.now()),
      skipped: asked.skipped,
      otherArchitectures: answers.flatMap(({ images }) => images).flatMap(unsupported),
    };
  }

  /**
   * Forgets parameters whose image is deprecated or gone: AWS has published a new one. Only those whose value can change.
   * @returns their names.
   */
  async dropOutdated(signal: AbortSignal): Promise<readonly string[]> {
    const mutable = [...this.#parameters.entries()].filter(([, { isMutable }]) => isMutable);
    const ids = [...new Set(mutable.map(([, { value }]) => value))].sort();
    const current = new Set<string>();
    for (let start = 0; start < ids.length; start += MAX_FILTER_VALUES) {
      const Values = ids.slice(start, start + MAX_FILTER_VALUES);
      const input = { Filters: [{ Name: 'image-id', Values }], IncludeDeprecated: true, MaxResults: PAGE };
      for (const { ImageId, DeprecationTime } of await this.#describe(input, signal))
        if (ImageId !== undefined && !isPast(DeprecationTime, this.#options.clock.now()))
          current.add(ImageId);
    }
    const outdated = mutable.filter(([, { value }]) => !current.has(value));
    for (const [key] of outdated) this.#parameters.forget(key);
    return [...new Set(outdated.map(([, { name }]) => name))].sort();
  }

  async #parameter(parameter: ImageParameter, signal: AbortSignal): Promise<string | undefined> {
    const { Name, ttlMs, mutable: isMutable } = parameter;
    const read = async (shared: AbortSignal): Promise<ParameterValue> => {
      const { Parameter } = await this.#options.ssm.getParameter({ Name }, { signal: shared });
      return { name: Name, value: Parameter?.Value ?? '', isMutable };
    };
    try {
      // An alias may read the same parameter and keep it for longer.
      return (await this.#parameters.get(`${ttlMs} ${Name}`, read, signal, ttlMs)).value;
    } catch (thrown) {
      signal.throwIfAborted();
      if (isNotFound(thrown) || toAwsError(thrown).codes.some((code) => NO_PARAMETER.has(code)))
        return undefined;
      throw thrown;
    }
  }

  #describe(input: DescribeImagesInput, signal: AbortSignal): Promise<readonly Ec2Image[]> {
    const { describeImages } = this.#options.ec2;
    return allPages(describeImages, { ...input }, ({ Images }) => Images, { signal });
  }
}

// ---------------------------------------------------------------------------------------------------

interface ParameterValue {
  readonly name: string;
  readonly value: string;
  readonly isMutable: boolean;
}

/** The name is none, or has no such version: as good as not there. */
const NO_PARAMETER: ReadonlySet<string> = new Set(['ValidationException', 'ParameterVersionNotFound']);

const PAGE = 1000;
/** EC2's limit for one filter. */
const MAX_FILTER_VALUES = 200;

function unsupported({ ImageId, Architecture }: Ec2Image) {
  return supportsArchitecture(Architecture)
    ? []
    : [{ id: ImageId ?? '', architecture: Architecture ?? 'unknown' }];
}

function isPast(time: string | undefined, nowMs: number): boolean {
  const ms = Date.parse(time ?? '');
  return !Number.isNaN(ms) && ms <= nowMs;
}
