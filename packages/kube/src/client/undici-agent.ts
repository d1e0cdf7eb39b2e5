/** The connections of a transport. Apart from it, because undici is loaded with the first request. */
import { Agent, type Dispatcher, ProxyAgent, Socks5ProxyAgent } from 'undici';
import { asPem, type Endpoint, type Identity } from './endpoint.ts';

export type CheckedOptions = Dispatcher.RequestOptions & { lastCheck: (() => void) | undefined };

export type AgentFactory = typeof agentFor;

export function agentFor(endpoint: Endpoint, identity: Identity): Dispatcher {
  return connections(endpoint, identity).compose(checkedAtTheWire);
}

// ---------------------------------------------------------------------------------------------------

/** A request may wait for a connection first; undici calls `onRequestStart` when it has one and is about to write. */
const checkedAtTheWire: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
  const { lastCheck } = options as CheckedOptions;
  if (!lastCheck) return dispatch(options, handler);
  const start = handler.onRequestStart?.bind(handler);
  handler.onRequestStart = (controller, context) => {
    start?.(controller, context);
    try {
      lastCheck();
    } catch (error) {
      controller.abort(error as Error);
    }
  };
  return dispatch(options, handler);
};

/** client-go's figure: below the idle limit of the usual load balancers. Node.js gives up after ten probes, one a second. */
const KEEP_ALIVE_PROBE_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;

function connections(endpoint: Endpoint, identity: Identity): Dispatcher {
  const ca = identity.ca ?? endpoint.ca;
  const tls = {
    ...(ca === undefined ? {} : { ca: asPem(ca) }),
    ...(identity.cert === undefined ? {} : { cert: asPem(identity.cert) }),
    ...(identity.key === undefined ? {} : { key: asPem(identity.key) }),
    ...(endpoint.insecure ? { rejectUnauthorized: false } : {}),
    ...(endpoint.serverName === undefined ? {} : { servername: endpoint.serverName }),
  };
  const socket = {
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_PROBE_MS,
    timeout: CONNECT_TIMEOUT_MS,
  };
  // A watch occupies a connection for minutes, so their number is not bounded here but by the rate limit. HTTP/2 would
  // put all of them on one connection: when that dies silently, leader election waits with the rest.
  const shared = { pipelining: 1, keepAliveTimeout: 90_000, allowH2: false };
  if (endpoint.proxyUrl === undefined) return new Agent({ ...shared, connect: { ...tls, ...socket } });
  if (endpoint.proxyUrl.startsWith('socks')) {
    return new Socks5ProxyAgent(endpoint.proxyUrl, { ...shared, requestTls: tls });
  }
  return new ProxyAgent({ ...shared, uri: endpoint.proxyUrl, proxyTls: socket, requestTls: tls });
}
