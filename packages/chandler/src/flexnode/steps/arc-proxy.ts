/**
 * The proxy of the Arc agent, which has precedence over its environment: that of the config, and the one from before
 * bootstrap once the config has none, or after undo.
 */
import { httpsProxyOf } from '../artifacts/proxy-fetch.ts';
import { agentProxy, setAgentProxy } from '../azure/azcmagent.ts';
import { FlexError } from '../flex-error.ts';
import type { Leftover, StepContext } from '../step.ts';
import { INSTALLED_BY_US } from './arc-agent.ts';

/** Returns whether the agent got another proxy. */
export async function setProxy({ config, facts, host, say }: StepContext): Promise<boolean> {
  const before = facts.get(PROXY_BEFORE);
  const wanted = httpsProxyOf(config.proxy) ?? before;
  if (wanted === undefined) return false;
  const now = await agentProxy(host);
  if (now !== wanted) {
    if (before === undefined) await facts.set(PROXY_BEFORE, now);
    await setAgentProxy(host, wanted);
    // Without the URL: that of the owner may contain a password.
    say(
      isProxyStale({ config, facts })
        ? 'restored the proxy of the Arc agent'
        : 'set the proxy of the Arc agent',
    );
  }
  // Deleted last: if the run ends before, the next one sets it again.
  if (isProxyStale({ config, facts })) await facts.delete(PROXY_BEFORE);
  return now !== wanted;
}

/** The agent still has the proxy of an earlier config. */
export function isProxyStale({ config, facts }: Pick<StepContext, 'config' | 'facts'>): boolean {
  return httpsProxyOf(config.proxy) === undefined && facts.get(PROXY_BEFORE) !== undefined;
}

export async function restoreProxy({ facts, host }: StepContext): Promise<readonly Leftover[]> {
  const before = facts.get(PROXY_BEFORE);
  if (before === undefined) return [];
  try {
    // An agent of ours goes altogether.
    if (facts.get(INSTALLED_BY_US) === undefined) await setAgentProxy(host, before);
    await facts.delete(PROXY_BEFORE);
    return [];
  } catch (error) {
    if (!(error instanceof FlexError)) throw error;
    const set = before === '' ? 'clear proxy.url' : `set proxy.url ${before}`;
    return [
      {
        what: 'proxy of the Arc agent',
        why: error.facts.message,
        finish: [`sudo azcmagent config ${set}`],
      },
    ];
  }
}

// ---------------------------------------------------------------------------------------------------

const PROXY_BEFORE = 'arc.proxyBefore';
