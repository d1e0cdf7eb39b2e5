/**
 * A client for a service of which this product has no SDK package: the protocols REST-JSON and JSON with a target, signed by the signer of the SDK. It has the shape of
 * the SDK's clients, as far as that is used, so that rates, deadlines, metrics and the time of signatures are those of all calls.
 */
import { Sha256 } from '@smithy/core/checksum';
import { SignatureV4 } from '@smithy/signature-v4';
import { AwsError, BAD_ANSWER, retryAfterMs } from '../errors/index.ts';
import type { AwsCredentials } from './credential-source.ts';
import { domainOf } from './region-names.ts';
import type { HandlerCall, SdkHandler, SdkRequest, SdkResponse } from './request-handler.ts';
import type { SdkClient, SdkModule, Signer } from './sdk-client.ts';

/** One call: where it goes. Parts of the path are encoded. */
export interface RestCommand {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A call of a service with JSON 1.1: the action is in a header. @param target `AWSEvents.DescribeRule` */
export function targetCommand(target: string): new (input: object) => RestCommand {
  return class implements RestCommand {
    readonly method = 'POST';
    readonly path = '/';
    readonly headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target };
    readonly body: string;

    constructor(input: object) {
      this.body = JSON.stringify(input);
    }
  };
}

/** @param service as in host names and in the scope of signatures: `arc-zonal-shift`. */
export function restJsonClient(service: string): SdkModule['Client'] {
  return class extends RestJsonClient {
    constructor(config: object) {
      super(service, config as RestClientConfig);
    }
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Of what `newSdkClient` gives to every client, the part that is used here. */
interface RestClientConfig {
  readonly region: string;
  readonly endpoint?: string | undefined;
  readonly credentials: () => Promise<AwsCredentials>;
  readonly requestHandler: SdkHandler;
  readonly customUserAgent: readonly (readonly [name: string, version: string])[];
  readonly useFipsEndpoint: boolean;
  readonly useDualstackEndpoint: boolean;
}

class RestJsonClient implements SdkClient {
  readonly config: SdkClient['config'];
  readonly #service: string;
  readonly #config: RestClientConfig;

  constructor(service: string, config: RestClientConfig) {
    this.#service = service;
    this.#config = config;
    const { region, credentials } = config;
    const signer = new SignatureV4({
      service,
      region,
      sha256: Sha256,
      credentials: async () => {
        const { accessKeyId, secretAccessKey, sessionToken } = await credentials();
        return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
      },
    });
    this.config = { signer: async () => signer as unknown as Signer };
  }

  async send(command: object, call: HandlerCall): Promise<Record<string, unknown>> {
    const signer = await this.config.signer();
    const signed = (await signer.sign(this.#request(command as RestCommand), {})) as SdkRequest;
    const { response } = await this.#config.requestHandler.handle(signed, call);
    const body = bodyOf(response);
    if (response.statusCode !== 200) throw refusal(`${this.#service}:${call.action}`, response, body);
    if (body === undefined)
      throw new AwsError({
        status: response.statusCode,
        code: BAD_ANSWER,
        message: `${this.#service}:${call.action}: the response is not a JSON object`,
      });
    return body;
  }

  #request({ method, path, headers = {}, body }: RestCommand): SdkRequest {
    const { endpoint, customUserAgent } = this.#config;
    const { protocol, hostname, host, port, pathname } = new URL(endpoint ?? this.#publicEndpoint());
    return {
      method,
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: `${pathname.replace(/\/+$/, '')}${path}`,
      query: {},
      headers: {
        host,
        accept: 'application/json',
        'user-agent': customUserAgent.map((part) => part.join('/')).join(' '),
        ...headers,
      },
      ...(body === undefined ? {} : { body }),
    };
  }

  #publicEndpoint(): string {
    const { region, useFipsEndpoint, useDualstackEndpoint } = this.#config;
    const name = useFipsEndpoint ? `${this.#service}-fips` : this.#service;
    return `https://${name}.${region}.${domainOf(region, useDualstackEndpoint)}`;
  }
}

/** Undefined for what is no JSON object. */
function bodyOf({ body }: SdkResponse): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(body));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
  } catch {
    // The same as for a value of another type.
  }
  return undefined;
}

/** The code is in a header, or in the body after a namespace: `aws.protocoltests#AccessDeniedException:http://…`. */
function refusal(
  name: string,
  { statusCode: status, headers, body: bytes }: SdkResponse,
  body: Readonly<Record<string, unknown>> | undefined,
): AwsError {
  const named = headers['x-amzn-errortype'] ?? body?.['__type'] ?? body?.['code'];
  const code = typeof named === 'string' ? named.split(':')[0]!.split('#').at(-1)! : '';
  const shared = {
    status,
    requestId: headers['x-amzn-requestid'],
    retryAfterMs: retryAfterMs(headers['retry-after']),
  };
  if (code === '') {
    const shown = new TextDecoder().decode(bytes).trim().slice(0, 200) || 'without an error of AWS';
    return new AwsError({ ...shared, code: BAD_ANSWER, message: `${name}: HTTP ${status}: ${shown}` });
  }
  return new AwsError({ ...shared, code, message: String(body?.['message'] ?? body?.['Message'] ?? '') });
}
