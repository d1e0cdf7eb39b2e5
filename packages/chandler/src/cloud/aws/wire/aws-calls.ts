/**
 * `AwsCalls` over the official SDK clients, set up the way this product uses them: loaded on first use, one request per call, no
 * retries and no waiting inside, signed at the World's time, one wire, one user agent.
 */
import type { Counter, Fetch, World } from '@chandler/kube';
import { AwsError, toAwsError } from '../errors/index.ts';
import { pricingRegion } from '../prices/index.ts';
import { ACTIONS, type ActionRow, type AwsService, actionOf } from './actions.table.ts';
import type { AwsCalls, Call } from './calls.ts';
import type { AwsCredentialSource } from './credential-source.ts';
import { type HandlerCall, requestHandler, type SdkHandler } from './request-handler.ts';

export interface AwsCallsOptions {
  readonly world: World;
  /** Default: the World's. */
  readonly fetch?: Fetch | undefined;
  /** `us-west-2`. */
  readonly region: string;
  readonly credentials: AwsCredentialSource;
  /** One URL for all services, or by service: private endpoints, and tests. Default: the public ones of the region. */
  readonly endpoint?: string | Readonly<Partial<Record<AwsService, string>>> | undefined;
  /** Endpoints that are validated under FIPS 140. Default false. */
  readonly useFips?: boolean | undefined;
  /** Endpoints with IPv6. Default false. */
  readonly useDualstack?: boolean | undefined;
  /** Shown in the user agent: `chandler/0.1.0`. */
  readonly version: string;
  /** Of one call. Default 60 s. */
  readonly timeoutMs?: number | undefined;
}

export const DEFAULT_CALL_TIMEOUT_MS = 60_000;

export function createAwsCalls(options: AwsCallsOptions): AwsCalls {
  const requests = options.world.metrics.counter({
    name: 'chandler_aws_requests_total',
    help: 'Requests to AWS by service, action and status; status 0 means no response',
    labels: ['service', 'action', 'status'],
  });
  const services = Object.keys(ACTIONS) as AwsService[];
  const calls = services.map((name) => [name, serviceCalls(new Service(name, options, requests))]);
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

interface SdkModule {
  readonly Client: new (config: object) => SdkClient;
  readonly [command: string]: unknown;
}

type Command = new (input: object) => object;

/** A client of the SDK, as far as it is used here. */
interface SdkClient {
  readonly config: { signer: (scheme?: unknown) => Promise<Signer> };
  send(command: object, options: HandlerCall): Promise<Record<string, unknown>>;
}

interface Signer {
  sign(request: unknown, options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const MODULES: Readonly<Record<AwsService, () => Promise<unknown>>> = {
  ec2: () => import('./lazy/ec2.ts'),
  eks: () => import('./lazy/eks.ts'),
  iam: () => import('./lazy/iam.ts'),
  pricing: () => import('./lazy/pricing.ts'),
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
  readonly #requests: Counter;
  #loaded: Promise<{ readonly module: SdkModule; readonly client: SdkClient }> | undefined;

  constructor(name: AwsService, options: AwsCallsOptions, requests: Counter) {
    this.name = name;
    this.#options = options;
    this.#requests = requests;
  }

  async send(
    action: string,
    row: ActionRow,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { credentials, world } = this.#options;
    signal.throwIfAborted();
    try {
      const { module, client } = await this.#load();
      // Here, because the client would ask for them without the signal.
      await credentials.get(signal);
      const command = module[`${action}Command`] as Command;
      // Otherwise the SDK makes one up, and no run could be repeated from its seed.
      const token =
        row.hasToken && input['ClientToken'] === undefined ? { ClientToken: world.random.uuid() } : {};
      const call = { abortSignal: signal, action, emptyAnswer: row.emptyAnswer ?? false };
      const { $metadata, ...output } = await client.send(new command({ ...input, ...token }), call);
      return output;
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const aws = toAwsError(error);
      if (aws.codes.some((code) => REFUSED_CREDENTIALS.has(code))) credentials.invalidate();
      throw aws;
    }
  }

  #load(): Promise<{ readonly module: SdkModule; readonly client: SdkClient }> {
    if (this.#loaded !== undefined) return this.#loaded;
    const loaded = MODULES[this.name]().then((module) => ({
      module: module as SdkModule,
      client: this.#client(module as SdkModule),
    }));
    this.#loaded = loaded;
    // The first failure to load is not kept.
    loaded.catch(() => {
      this.#loaded = undefined;
    });
    return loaded;
  }

  #client({ Client }: SdkModule): SdkClient {
    const { world, region, credentials, endpoint, version, useFips, useDualstack } = this.#options;
    const url = typeof endpoint === 'object' ? endpoint[this.name] : endpoint;
    const client = new Client({
      region: this.name === 'pricing' ? pricingRegion(region) : region,
      ...(url === undefined ? {} : { endpoint: url }),
      // `memoized`: the cache is ours, on the World's clock.
      credentials: Object.assign(() => credentials.get(), { memoized: true }),
      requestHandler: this.#handler(),
      customUserAgent: [['chandler', version]],
      maxAttempts: 1,
      retryStrategy: NO_RETRIES,
      // What follows is otherwise read from the environment and from files of the home directory.
      authSchemePreference: [],
      defaultsMode: 'standard',
      disableClockSkewCorrection: true,
      ignoreConfiguredEndpointUrls: true,
      retryMode: 'standard',
      useDualstackEndpoint: useDualstack ?? false,
      useFipsEndpoint: useFips ?? false,
      userAgentAppId: '',
      // A queue is read at our endpoint, whatever its URL says.
      useQueueUrlAsEndpoint: false,
    });
    const signer = client.config.signer;
    client.config.signer = async (scheme) => {
      const inner = await signer(scheme);
      return {
        sign: (request, given) => inner.sign(request, { ...given, signingDate: new Date(world.clock.now()) }),
      };
    };
    return client;
  }

  /** Counts every request that left. */
  #handler(): SdkHandler {
    const { world, timeoutMs = DEFAULT_CALL_TIMEOUT_MS } = this.#options;
    const service = this.name;
    const fetch = this.#options.fetch ?? world.fetch;
    const inner = requestHandler({ world, fetch, service, timeoutMs });
    const count = (action: string, status: number) =>
      this.#requests.add(1, { service, action, status: String(status) });
    return {
      async handle(request, call) {
        try {
          const answer = await inner.handle(request, call);
          count(call.action, answer.response.statusCode);
          return answer;
        } catch (error) {
          count(call.action, error instanceof AwsError ? (error.status ?? 0) : 0);
          throw error;
        }
      },
    };
  }
}

/** With the strategies of the SDK, long polls wait on a timer of the process before they fail. */
const NO_RETRIES = {
  acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
  refreshRetryTokenForRetry: async () => {
    throw new Error('calls to AWS are not retried here');
  },
  recordSuccess: () => {},
};
