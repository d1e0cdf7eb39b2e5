/**
 * A `Fetch` that can send a body with GET. The bootstrapping server of AKS wants one, and the web's fetch refuses to.
 * Only what that call needs: text in, text out.
 */
import type { Fetch } from '@chandler/kube';
import type { Dispatcher } from 'undici';

export function getWithBody(dispatcher?: Dispatcher): Fetch {
  return async (input, init = {}) => {
    // Loaded with the first call: most verbs of the command line make none, and undici takes long to load.
    const { request } = await import('../lazy/undici.ts');
    const url = input instanceof Request ? input.url : String(input);
    const answer = await request(url, {
      method: (init.method ?? 'GET') as Dispatcher.HttpMethod,
      headers: Object.fromEntries(new Headers(init.headers).entries()),
      ...(typeof init.body === 'string' ? { body: init.body } : {}),
      ...(init.signal ? { signal: init.signal } : {}),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    });
    const headers = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const each of [value ?? []].flat()) headers.append(name, each);
    }
    const text = await answer.body.text();
    // An answer of 204 may not even have an empty text.
    return new Response(text === '' ? null : text, { status: answer.statusCode, headers });
  };
}
