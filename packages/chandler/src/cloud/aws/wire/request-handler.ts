/**
 * The wire of the AWS SDK: its request handler over a `Fetch` that the caller passes, so that it can be the real network, one with a
 * private authority, or a server in the same process. The deadline is on the World's clock. An answer that no service of AWS
 * would give ends here: the SDK takes a page of HTML, or nothing at all, for an object without fields.
 */
import type { Fetch, World } from '@chandler/kube';
import { AwsError, BAD_ANSWER } from '../errors/index.ts';
import type { AwsService } from './actions.table.ts';
import { boundedFetch } from './bounded-fetch.ts';

export interface HandlerOptions {
  readonly world: Pick<World, 'clock'>;
  readonly fetch: Fetch;
  readonly service: AwsService;
  /** For one call, headers and body together. */
  readonly timeoutMs: number;
}

/** What the caller of the SDK client says about one call. */
export interface HandlerCall {
  readonly abortSignal: AbortSignal;
  /** As on the wire: `DescribeSubnets`. */
  readonly action: string;
  readonly emptyAnswer: boolean;
}

/** What the SDK client gives to its request handler, as far as it is read here. */
export interface SdkRequest {
  readonly method: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

export interface SdkResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

export interface SdkHandler {
  handle(request: SdkRequest, call: HandlerCall): Promise<{ response: SdkResponse }>;
}

export function requestHandler(options: HandlerOptions): SdkHandler {
  return {
    async handle(request, call) {
      const name = `${options.service}:${call.action}`;
      const body = bodyOf(request);
      const answer = await boundedFetch(
        { ...options, name },
        urlOf(request),
        { method: request.method, headers: headersOf(request), ...(body === undefined ? {} : { body }) },
        call.abortSignal,
      );
      if (answer.status === 200 && !isAnswer(options.service, call, answer.text)) {
        const what = answer.text.trim() === '' ? 'is empty' : 'is not one of AWS, or it is truncated';
        throw new AwsError({
          status: answer.status,
          code: BAD_ANSWER,
          message: `${name}: the response of ${request.hostname} ${what}; is there a proxy on the way?`,
        });
      }
      const bytes = new TextEncoder().encode(answer.text);
      return { response: { statusCode: answer.status, headers: answer.headers, body: bytes } };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

function urlOf({ protocol, hostname, port, path, query = {} }: SdkRequest): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    for (const each of Array.isArray(value) ? value : [value ?? '']) params.append(name, each as string);
  const search = params.size === 0 ? '' : `?${params}`;
  return `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}${search}`;
}

/** `fetch` writes the host of the URL, which is the one that was signed. */
function headersOf({ headers }: SdkRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'host'));
}

function bodyOf({ body, method, path }: SdkRequest): string | undefined {
  if (body === undefined || body === null || body === '') return undefined;
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new Error(`${method} ${path}: only text bodies are sent to AWS`);
}

/** Services with XML name the action in the first element of an answer, and end with it. */
const XML_SERVICES: ReadonlySet<AwsService> = new Set<AwsService>(['ec2', 'iam', 'sts']);

function isAnswer(service: AwsService, { action, emptyAnswer }: HandlerCall, body: string): boolean {
  const text = body.trim();
  if (text === '') return emptyAnswer;
  if (!XML_SERVICES.has(service)) return text.startsWith('{') && text.endsWith('}');
  return text.includes(`<${action}Response`) && text.endsWith(`</${action}Response>`);
}
