/**
 * The wire of the AWS SDK: its request handler over a `Fetch` that the caller passes, so that it can be the real network, one with a
 * private authority, or a server in the same process. The deadline is on the World's clock. An answer that no service of AWS
 * would give ends here: the SDK takes a page of HTML, or nothing at all, for an object without fields.
 */
import { type Fetch, rethrowProgramError, type World } from '@chandler/kube';
import { AwsError, BAD_ANSWER, NO_ANSWER } from '../errors/index.ts';
import type { AwsService } from './actions.table.ts';

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
      const answer = await exchange(options, request, call);
      if (answer.status === 200 && !isAnswer(options.service, call, answer.text)) {
        const what = answer.text.trim() === '' ? 'is empty' : 'is not one of AWS, or it is truncated';
        throw new AwsError({
          status: answer.status,
          code: BAD_ANSWER,
          message: `${nameOf(options, call)}: the response of ${request.hostname} ${what}; is there a proxy on the way?`,
        });
      }
      const body = new TextEncoder().encode(answer.text);
      return { response: { statusCode: answer.status, headers: answer.headers, body } };
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly text: string;
}

async function exchange(options: HandlerOptions, request: SdkRequest, call: HandlerCall): Promise<Answer> {
  const { world, fetch: send, timeoutMs } = options;
  const stop = new AbortController();
  const onAbort = () => stop.abort(call.abortSignal.reason);
  if (call.abortSignal.aborted) onAbort();
  call.abortSignal.addEventListener('abort', onAbort);
  const timer = world.clock.after(timeoutMs, () =>
    stop.abort(
      new AwsError({
        code: NO_ANSWER,
        message: `${nameOf(options, call)}: no response of ${request.hostname} within ${timeoutMs / 1000} s`,
      }),
    ),
  );
  let response: Response | undefined;
  try {
    const body = bodyOf(request);
    response = await send(urlOf(request), {
      method: request.method,
      headers: headersOf(request),
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: stop.signal,
    });
    const text = await response.text();
    return { status: response.status, headers: Object.fromEntries(response.headers), text };
  } catch (error) {
    if (stop.signal.aborted) throw stop.signal.reason;
    rethrowProgramError(error);
    throw failure(options, request, call, error, response?.status);
  } finally {
    timer.cancel();
    call.abortSignal.removeEventListener('abort', onAbort);
  }
}

function failure(
  options: HandlerOptions,
  request: SdkRequest,
  call: HandlerCall,
  error: unknown,
  status: number | undefined,
): AwsError {
  const what = error instanceof Error ? causes(error) : String(error);
  const name = nameOf(options, call);
  return status === undefined
    ? new AwsError({ code: NO_ANSWER, message: `${name} at ${request.hostname}: ${what}`, cause: error })
    : new AwsError({
        status,
        code: BAD_ANSWER,
        message: `${name}: the response of ${request.hostname} is truncated: ${what}`,
        cause: error,
      });
}

/** `fetch failed` says nothing; what it was caused by does. */
function causes(error: Error): string {
  const { cause, message } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}

function nameOf({ service }: Pick<HandlerOptions, 'service'>, { action }: Pick<HandlerCall, 'action'>) {
  return `${service}:${action}`;
}

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
