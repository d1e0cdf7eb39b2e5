/** What can go wrong at the ARM stand-in, and when: the next so many calls that match. */
import { CUT_SHORT, HANG_UP } from './serve.ts';

export type ArmFault =
  | { readonly kind: 'status'; readonly status: number; readonly code: string; readonly message?: string }
  | { readonly kind: 'throttled'; readonly retryAfterSeconds: number }
  | { readonly kind: 'cut-short' }
  | { readonly kind: 'no-answer' }
  | { readonly kind: 'not-json'; readonly status?: number };

export interface PlannedFault {
  /** Of `GET /subscriptions/…`. */
  readonly on: RegExp;
  readonly fault: ArmFault;
  times: number;
}

export function faultAnswer(fault: ArmFault, requestId: string): Response {
  const headers = { 'x-ms-request-id': requestId };
  switch (fault.kind) {
    case 'status':
      return armError(fault.status, fault.code, fault.message ?? `injected fault ${fault.code}`, headers);
    case 'throttled':
      return armError(429, 'TooManyRequests', 'slow down', {
        ...headers,
        'retry-after': String(fault.retryAfterSeconds),
      });
    case 'cut-short':
      return Response.json(
        { value: [], padding: 'x'.repeat(200) },
        { headers: { ...headers, [CUT_SHORT]: '1' } },
      );
    case 'no-answer':
      return new Response('', { headers: { [HANG_UP]: '1' } });
    case 'not-json':
      return new Response('<html>Sign in to the network</html>', {
        status: fault.status ?? 200,
        headers: { ...headers, 'content-type': 'text/html' },
      });
  }
}

export function armError(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error: { code, message } }, { status, headers: { ...headers } });
}
