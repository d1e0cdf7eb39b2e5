/** Which requests change something in Azure: queries and sign-in are POSTs that change nothing. */
import type { Fetch } from '@chandler/kube';

const HARMLESS_POST = /\/providers\/Microsoft\.ResourceGraph\/resources$|\/oauth2\/(v2\.0\/)?token\/?$/i;

/** Method and path; undefined when nothing is changed by it. */
export function azureWrite(...[input, init]: Parameters<Fetch>): string | undefined {
  const url = input instanceof Request ? input.url : String(input);
  const path = URL.parse(url)?.pathname ?? url;
  const method = (init?.method ?? (input instanceof Request ? input.method : 'GET')).toUpperCase();
  const isRead = method === 'GET' || method === 'HEAD' || (method === 'POST' && HARMLESS_POST.test(path));
  return isRead ? undefined : `${method} ${path}`;
}
