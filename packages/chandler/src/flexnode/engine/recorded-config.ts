/**
 * The config in the journal: sufficient to undo all steps without the config file, and without credentials. Keys that
 * only matter for installation are omitted. Proxies are recorded, because Azure may be reachable through them only.
 */
import type { FlexConfig } from '../config/config.ts';
import { stableJson } from './fingerprint.ts';
import type { JournalRecord, JournalState } from './records.ts';

/** Returns a record if the config has changed. */
export function configRecord(config: FlexConfig, journal: JournalState): readonly JournalRecord[] {
  const kept = toRecord(config);
  return stableJson(kept) === stableJson(journal.config) ? [] : [{ kind: 'config', config: kept }];
}

/** `undefined`: the journal has none. */
export function recordedConfig(journal: JournalState): FlexConfig | undefined {
  if (journal.config === undefined) return undefined;
  // Earlier versions did not record the proxy.
  const kept = journal.config as Omit<FlexConfig, 'proxy' | 'downloads'> & Partial<Pick<FlexConfig, 'proxy'>>;
  return { ...kept, proxy: kept.proxy ?? { noProxy: [] }, downloads: { mirrors: [], sha256: {} } };
}

// ---------------------------------------------------------------------------------------------------

function toRecord(config: FlexConfig): unknown {
  const { downloads: _downloads, ...rest } = config;
  const { servicePrincipal: _servicePrincipal, ...azure } = rest.azure;
  const { extraConfig: _containerdExtra, ...containerd } = rest.containerd;
  const kubelet = { ...rest.node.kubelet, extraConfig: {} };
  const plain = {
    ...rest,
    azure,
    containerd,
    proxy: withoutUsers(config.proxy),
    node: { ...rest.node, kubelet },
    kubernetes: { ...rest.kubernetes, urlTemplates: [] },
    runc: { ...rest.runc, urlTemplates: [] },
  };
  return JSON.parse(JSON.stringify(plain));
}

/** The config rejects user names and passwords in these URLs; the journal must never have one. */
function withoutUsers({ http, https, noProxy }: FlexConfig['proxy']): FlexConfig['proxy'] {
  const plain = (url: string) => url.replace(/\/\/[^/]*@/, '//');
  return {
    ...(http === undefined ? {} : { http: plain(http) }),
    ...(https === undefined ? {} : { https: plain(https) }),
    noProxy,
  };
}
