/** Reads method, path and body from the arguments of a `fetch`. */

export function urlOf(input: string | URL | Request): string {
  return typeof input === 'string' ? input : 'url' in input ? input.url : input.href;
}

/** Without host and query. */
export function pathOf(input: string | URL | Request): string {
  return urlOf(input)
    .replace(/^[a-z]+:\/\/[^/]+/, '')
    .replace(/\?.*$/, '');
}

export function methodOf(init: RequestInit | undefined): string {
  return (init?.method ?? 'GET').toUpperCase();
}

export function isWatch(input: string | URL | Request): boolean {
  return /[?&]watch=(?:1|true)\b/.test(urlOf(input));
}

/** The body as JSON; undefined where there is none. */
export function bodyOf(init: RequestInit | undefined): unknown {
  const body = init?.body;
  if (typeof body === 'string' && body !== '') return JSON.parse(body);
  if (body instanceof Uint8Array && body.length > 0) return JSON.parse(Buffer.from(body).toString());
  return undefined;
}
