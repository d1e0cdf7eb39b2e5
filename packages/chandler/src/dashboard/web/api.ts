/** Questions to the server of the page. */
import type { SignIn, WireError } from '../wire.ts';
import { request } from './browser.ts';
import type { Tokens } from './tokens.ts';

/** An answer with an error status. */
export class AnswerError extends Error {
  readonly status: number;
  readonly cure: string | undefined;
  readonly signIn: SignIn | undefined;

  constructor(status: number, { error, cure, signIn }: WireError) {
    super(error);
    this.status = status;
    this.cure = cure;
    this.signIn = signIn;
  }
}

export class Api {
  tokens: Tokens;

  constructor(tokens: Tokens) {
    this.tokens = tokens;
  }

  async get<T>(path: string, signal?: AbortSignal): Promise<T> {
    const response = await this.open(path, signal === undefined ? {} : { signal });
    return (await response.json()) as T;
  }

  async text(path: string): Promise<string> {
    return (await this.open(path, {})).text();
  }

  async post<T>(path: string, body: string, type: string): Promise<T> {
    const headers = { 'content-type': type };
    const response = await this.open(path, { method: 'POST', body, headers });
    return (await response.json()) as T;
  }

  /** The response, if its status is good. */
  async open(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    if (this.tokens.token !== '') headers.set('authorization', `Bearer ${this.tokens.token}`);
    if (init.method === 'POST' && this.tokens.playground !== '')
      headers.set('x-playground-token', this.tokens.playground);
    const response = await request(`/api/v1/${path}`, { ...init, headers });
    if (!response.ok) throw new AnswerError(response.status, await errorOf(response));
    return response;
  }
}

/** What to show of anything that was thrown. */
export function errorText(error: unknown): WireError {
  if (error instanceof AnswerError)
    return {
      error: error.message,
      status: error.status,
      ...(error.cure === undefined ? {} : { cure: error.cure }),
    };
  if (error instanceof TypeError)
    return {
      error: 'the server does not answer',
      cure: 'Check whether the process that serves the page is running.',
    };
  return { error: error instanceof Error ? error.message : String(error) };
}

async function errorOf(response: Response): Promise<WireError> {
  try {
    const body = (await response.json()) as Partial<WireError>;
    if (typeof body.error === 'string') return body as WireError;
  } catch {
    // No JSON: a proxy answered. The status says enough.
  }
  return { error: `the server answered with status ${response.status}` };
}
