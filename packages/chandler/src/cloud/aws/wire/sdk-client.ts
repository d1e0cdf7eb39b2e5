/**
 * A client of the SDK, set up the way this product uses them: nothing is read from the environment or from files, nothing is retried,
 * and requests are signed at the World's time.
 */
import type { World } from '@chandler/kube';
import type { AwsCredentialSource } from './credential-source.ts';
import type { HandlerCall, SdkHandler } from './request-handler.ts';

export interface SdkModule {
  readonly Client: new (config: object) => SdkClient;
  readonly [command: string]: unknown;
}

/** As far as it is used here. */
export interface SdkClient {
  readonly config: { signer: (scheme?: unknown) => Promise<Signer> };
  send(command: object, options: HandlerCall): Promise<Record<string, unknown>>;
}

export interface SdkClientOptions {
  readonly world: Pick<World, 'clock'>;
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly handler: SdkHandler;
  readonly credentials: Pick<AwsCredentialSource, 'get'>;
  readonly version: string;
  readonly useFips: boolean | undefined;
  readonly useDualstack: boolean | undefined;
}

export function newSdkClient({ Client }: Pick<SdkModule, 'Client'>, options: SdkClientOptions): SdkClient {
  const { world, endpoint, credentials } = options;
  const client = new Client({
    region: options.region,
    ...(endpoint === undefined ? {} : { endpoint }),
    // `memoized`: the cache is ours, on the World's clock.
    credentials: Object.assign(() => credentials.get(), { memoized: true }),
    requestHandler: options.handler,
    customUserAgent: [['chandler', options.version]],
    maxAttempts: 1,
    retryStrategy: NO_RETRIES,
    // What follows is otherwise read from the environment and from files of the home directory.
    authSchemePreference: [],
    defaultsMode: 'standard',
    disableClockSkewCorrection: true,
    ignoreConfiguredEndpointUrls: true,
    retryMode: 'standard',
    useDualstackEndpoint: options.useDualstack ?? false,
    useFipsEndpoint: options.useFips ?? false,
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

// ---------------------------------------------------------------------------------------------------------------

export interface Signer {
  sign(request: unknown, options: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** With the strategies of the SDK, long polls wait on a timer of the process before they fail. */
const NO_RETRIES = {
  acquireInitialRetryToken: async () => ({ getRetryCount: () => 0, getRetryDelay: () => 0 }),
  refreshRetryTokenForRetry: async () => {
    throw new Error('calls to AWS are not retried here');
  },
  recordSuccess: () => {},
};
