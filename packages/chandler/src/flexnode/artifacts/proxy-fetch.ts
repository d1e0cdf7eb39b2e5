/**
 * A fetch that uses the proxies of the config, for `createArtifacts` and every other request that leaves the machine.
 * Loopback addresses and `noProxy` are reached directly. undici is imported by the first request.
 */
import type { Fetch } from '@chandler/kube';
import type { FlexConfig } from '../config/config.ts';

/** Returns `direct` if the config has no proxy. */
export function proxiedFetch(proxy: FlexConfig['proxy'], direct: Fetch): Fetch {
  if (proxy.http === undefined && proxy.https === undefined) return direct;
  let through: Promise<Fetch> | undefined;
  return async (input, init) => {
    through ??= connect(proxy);
    return await (await through)(input, init);
  };
}

/** The value of `NO_PROXY`, for the agent and for the units of containerd and kubelet. */
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
    // undici's types and the global types are structurally equal.
    return answer as unknown as Response;
  };
}
