/**
 * `AwsCalls` over the official SDK clients (for zonal shift, over one of the same shape), set up the way this product uses them: loaded on first use, one request per call, no
 * retries and no waiting inside, signed at the World's time, one wire, one user agent.
 */
import type { Fetch, World } from '@chandler/kube';
import { AwsError, classify, isDryRunSuccess, toAwsError } from '../errors/index.ts';
import { pricingRegion } from '../prices/index.ts';
import { ACTIONS, type ActionRow, type AwsService, actionOf } from './actions.table.ts';
import { type CallMetrics, callMetrics } from './call-metrics.ts';
import type { AwsCalls, Call } from './calls.ts';
import type { AwsCredentialSource } from './credential-source.ts';
import type { DeniedCalls } from './denied-calls.ts';
import { DEFAULT_CALL_TIMEOUT_MS } from './limits.ts';
import type { AwsRateOptions } from './rate-buckets.ts';
import { AwsRateLimiter, type Turn } from './rate-limiter.ts';
import { requestHandler, type SdkHandler } from './request-handler.ts';
import { newSdkClient, type SdkClient, type SdkModule } from './sdk-client.ts';

export interface AwsCallsOptions {
  readonly world: World;
  /** Default: the World's. */
  readonly fetch?: Fetch | undefined;
  /** `us-west-2`. A function is asked before the first call of each service, and again after it failed. */
  readonly region: string | (() => Promise<string>);
  readonly credentials: AwsCredentialSource;
  /** One URL for all services, or by service: private endpoints, and tests. Default: the public ones of the region. */
  readonly endpoint?: string | Readonly<Partial<Record<AwsService, string>>> | undefined;
  /** Endpoints that are validated under FIPS 140. Default false. */
  readonly useFips?: boolean | undefined;
  /** Endpoints with IPv6. Default false. */
  readonly useDualstack?: boolean | undefined;
  /** Shown in the user agent: `chandler/0.2.0`. */
  readonly version: string;
  /** Of one call. Default 60 s. */
  readonly timeoutMs?: number | undefined;
  readonly rates?: AwsRateOptions | undefined;
  /** Learns which calls AWS denies. */
  readonly denied?: Pick<DeniedCalls, 'denied' | 'allowed'> | undefined;
  /** See `AwsRateLimiterOptions`. */
  readonly longestWaitMs?: number | undefined;
}

export function createAwsCalls(options: AwsCallsOptions): AwsCalls {
  const { world, rates, longestWaitMs } = options;
  const metrics = callMetrics(world);
  const limiter = new AwsRateLimiter(world, { ...rates, longestWaitMs });
  const services = Object.keys(ACTIONS) as AwsService[];
  const calls = services.map((name) => [name, serviceCalls(new Service(name, options, limiter, metrics))]);
  return Object.fromEntries(calls) as unknown as AwsCalls;
}

// ---------------------------------------------------------------------------------------------------------------

type AnyCall = Call<Record<string, unknown>, Record<string, unknown>>;

function serviceCalls(service: Service): Readonly<Record<string, AnyCall>> {
  const rows = Object.entries(ACTIONS[service.name]) as [string, ActionRow][];
  return Object.fromEntries(
    rows.map(([method, row]): [string, AnyCall] => {
      const action = actionOf(method);
      return [method, (input, { signal }) => service.send(action, row, input, signal)];
    }),
  );
}

type Command = new (input: object) => object;

const MODULES: Readonly<Record<AwsService, () => Promise<unknown>>> = {
  'arc-zonal-shift': () => import('./lazy/zonal-shift.ts'),
  ec2: () => import('./lazy/ec2.ts'),
  eks: () => import('./lazy/eks.ts'),
  events: () => import('./lazy/events.ts'),
  iam: () => import('./lazy/iam.ts'),
  kms: () => import('./lazy/kms.ts'),
  pricing: () => import('./lazy/pricing.ts'),
  servicequotas: () => import('./lazy/service-quotas.ts'),
  sqs: () => import('./lazy/sqs.ts'),
  ssm: () => import('./lazy/ssm.ts'),
  sts: () => import('./lazy/sts.ts'),
};

/** Credentials were refused as such: those that were kept may have been rotated. */
const REFUSED_CREDENTIALS: ReadonlySet<string> = new Set([
  'AuthFailure',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidClientTokenId',
  'RequestExpired',
  'UnrecognizedClientException',
]);

class Service {
  readonly name: AwsService;
  readonly #options: AwsCallsOptions;
  readonly #limiter: AwsRateLimiter;
  readonly #metrics: CallMetrics;
  #loaded: Promise<{ readonly module: SdkModule; readonly client: SdkClient }> | undefined;

  constructor(name: AwsService, options: AwsCallsOptions, limiter: AwsRateLimiter, metrics: CallMetrics) {
    this.name = name;
    this.#options = options;
    this.#limiter = limiter;
    this.#metrics = metrics;
  }

  async send(
    action: string,
    row: ActionRow,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { credentials, world, denied } = this.#options;
    const name = `${this.name}:${action}`;
    signal.throwIfAborted();
    let turn: Turn | undefined;
    try {
      const { module, client } = await this.#load();
      // Here, because the client would ask for them without the signal.
      await credentials.get(signal);
      turn = await this.#limiter.pass({ service: this.name, action, input }, signal);
      const command = module[`${action}Command`] as Command;
      // Otherwise the SDK makes one up, and no run could be repeated from its seed.
      const token =
        row.hasToken && input['ClientToken'] === undefined ? { ClientToken: world.random.uuid() } : {};
      const call = { abortSignal: signal, action, emptyAnswer: row.emptyAnswer ?? false };
      const { $metadata, ...output } = await client.send(new command({ ...input, ...token }), call);
      turn.answered();
      denied?.allowed(name);
      return output;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const aws = toAwsError(error);
      const { row, denial } = classify(aws);
      if (denial !== undefined) denied?.denied(name, aws);
      else if (isDryRunSuccess(aws)) denied?.allowed(name);
      if (aws.status !== undefined && row.kind === 'Throttled') turn?.throttled(aws.retryAfterMs);
      else if (aws.status !== undefined) turn?.answered();
      if (aws.codes.some((code) => REFUSED_CREDENTIALS.has(code))) credentials.invalidate();
      throw aws;
    }
  }

  #load(): Promise<{ readonly module: SdkModule; readonly client: SdkClient }> {
    if (this.#loaded !== undefined) return this.#loaded;
    const loaded = this.#fresh();
    this.#loaded = loaded;
    // The first failure to load is not kept.
    loaded.catch(() => {
      this.#loaded = undefined;
    });
    return loaded;
  }

  async #fresh(): Promise<{ readonly module: SdkModule; readonly client: SdkClient }> {
    const { region } = this.#options;
    const [module, known] = await Promise.all([
      MODULES[this.name]() as Promise<SdkModule>,
      typeof region === 'string' ? region : region(),
    ]);
    const { world, credentials, endpoint, version, useFips, useDualstack } = this.#options;
    const client = newSdkClient(module, {
      world,
      region: this.name === 'pricing' ? pricingRegion(known) : known,
      endpoint: typeof endpoint === 'object' ? endpoint[this.name] : endpoint,
      handler: this.#handler(),
      credentials,
      version,
      useFips,
      useDualstack,
    });
    return { module, client };
  }

  /** Counts every request that left. */
  #handler(): SdkHandler {
    const { world, timeoutMs = DEFAULT_CALL_TIMEOUT_MS } = this.#options;
    const service = this.name;
    const fetch = this.#options.fetch ?? world.fetch;
    const inner = requestHandler({ world, fetch, service, timeoutMs });
    const metrics = this.#metrics;
    return {
      async handle(request, call) {
        const sentAtMs = world.clock.monotonic();
        const count = (status: number) =>
          metrics.count(service, call.action, status, (world.clock.monotonic() - sentAtMs) / 1000);
        try {
          const answer = await inner.handle(request, call);
          count(answer.response.statusCode);
          return answer;
        } catch (error) {
          count(error instanceof AwsError ? (error.status ?? 0) : 0);
          throw error;
        }
      },
    };
  }
}
