/**
 * A fetch that goes through the proxies of the config: the one to hand to `createArtifacts` (and to anything else that
 * leaves the machine). Loopback and `noProxy` are reached directly. undici is loaded when the first request is made.
 */
import type { Fetch } from '@chandler/kube';
import type { FlexConfig } from '../config/config.ts';

/** Without a proxy in the config: `direct`, as it is. */
export function proxiedFetch(proxy: FlexConfig['proxy'], direct: Fetch): Fetch {
  if (proxy.http === undefined && proxy.https === undefined) return direct;
  let through: Promise<Fetch> | undefined;
  return async (input, init) => {
    through ??= connect(proxy);
    return await (await through)(input, init);
  };
}

/** What `NO_PROXY` must say, for us and for the units of containerd and kubelet. */
export function noProxyList(proxy: FlexConfig['proxy']): string {
  return [...new Set(['localhost', '127.0.0.1', '::1', ...proxy.noProxy])].join(',');
}

// ---------------------------------------------------------------------------------------------------

async function connect(proxy: FlexConfig['proxy']): Promise<Fetch> {
  const undici = await import('../lazy/undici.ts');
  const dispatcher = new undici.EnvHttpProxyAgent({
    httpProxy: proxy.http ?? '',
    httpsProxy: proxy.https ?? proxy.http ?? '',
    noProxy: noProxyList(proxy),
  });
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    const answer = await undici.fetch(url, { ...(init as object), dispatcher });
    // The same class of another realm: undici's own types differ only in name.
    return answer as unknown as Response;
  };
}
