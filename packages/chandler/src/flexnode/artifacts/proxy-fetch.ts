/**
 * A fetch that uses the proxies of the config, for `createArtifacts` and every other request that leaves the machine.
 * Loopback addresses and `noProxy` are reached directly. undici is imported by the first request. The units of kubelet and
 * containerd get the same settings.
 */
import { BlockList, isIP } from 'node:net';
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

/** `proxy.http` applies to HTTPS, too, unless there is another proxy for it. */
export function httpsProxyOf(proxy: FlexConfig['proxy']): string | undefined {
  return proxy.https ?? proxy.http;
}

/** The value of `NO_PROXY`, for the agent and for the units of containerd and kubelet. */
export function noProxyList(proxy: FlexConfig['proxy']): string {
  return [...new Set(['localhost', '127.0.0.1', '::1', ...proxy.noProxy])].join(',');
}

/**
 * Whether a host is an IP address in one of the CIDR ranges, which undici does not understand. As in kubelet and
 * containerd, names are not resolved.
 */
export function isInNoProxyRange(noProxy: readonly string[]): (host: string) => boolean {
  const ranges = new BlockList();
  for (const entry of noProxy) {
    const [, address = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? [];
    const family = FAMILIES[isIP(address)];
    if (family !== undefined && Number(bits) <= family.bits)
      ranges.addSubnet(address, Number(bits), family.name);
  }
  return (host) => {
    const address = host.replace(/^\[|\]$/g, '');
    const family = FAMILIES[isIP(address)];
    return family !== undefined && ranges.check(address, family.name);
  };
}

// ---------------------------------------------------------------------------------------------------

const FAMILIES: Readonly<Record<number, { readonly name: 'ipv4' | 'ipv6'; readonly bits: number }>> = {
  4: { name: 'ipv4', bits: 32 },
  6: { name: 'ipv6', bits: 128 },
};

async function connect(proxy: FlexConfig['proxy']): Promise<Fetch> {
  const undici = await import('../lazy/undici.ts');
  const direct = new undici.Agent();
  const isDirect = isInNoProxyRange(proxy.noProxy);
  // For each request, because a download may be redirected.
  const dispatcher = new undici.EnvHttpProxyAgent({
    httpProxy: proxy.http ?? '',
    httpsProxy: httpsProxyOf(proxy) ?? '',
    noProxy: noProxyList(proxy),
  }).compose(
    (dispatch) => (options, handler) =>
      isDirect(new URL(String(options.origin)).hostname)
        ? direct.dispatch(options, handler)
        : dispatch(options, handler),
  );
  return async (input, init) => {
    const url = input instanceof Request ? input.url : input;
    const answer = await undici.fetch(url, { ...(init as object), dispatcher });
    // undici's types and the global types are structurally equal.
    return answer as unknown as Response;
  };
}
