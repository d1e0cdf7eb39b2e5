/**
 * Removes what CNI plugins leave behind when pods are killed: network namespaces, the bridge, firewall chains. Objects that
 * existed before the first start of the services are recorded and kept; other firewall rules are not changed.
 */
import { BRIDGE_NAME } from '../containerd/bridge-network.ts';
import type { Host } from '../host/host.ts';
import type { Facts } from '../step.ts';

/** Once, before anything of ours runs. */
export async function noteNetwork(host: Host, facts: Facts): Promise<void> {
  if (facts.get(FACT.chains) !== undefined) return;
  await facts.set(FACT.namespaces, (await host.list('/run/netns')).join(','));
  await facts.set(FACT.bridge, (await hasBridge(host)) ? 'yes' : 'no');
  await facts.set(FACT.nft, (await hasNftTable(host)) ? 'yes' : 'no');
  await facts.set(FACT.chains, (await cniChains(host)).map(({ id }) => id).join(','));
}

/** After the pods are gone. */
export async function removePodNetwork(host: Host, facts: Facts): Promise<void> {
  const known = facts.get(FACT.chains);
  // Nothing of ours ever ran.
  if (known === undefined) return;
  const foreign = new Set((facts.get(FACT.namespaces) ?? '').split(','));
  const namespaces = (await host.list('/run/netns')).filter((each) => NETNS.test(each) && !foreign.has(each));
  for (const name of namespaces) {
    await act(host, ['ip', 'netns', 'delete', name]);
  }
  if (facts.get(FACT.bridge) === 'no' && (await hasBridge(host)))
    await act(host, ['ip', 'link', 'delete', BRIDGE_NAME]);
  if (facts.get(FACT.nft) === 'no' && (await hasNftTable(host))) {
    await act(host, ['nft', 'delete', 'table', 'inet', NFT_TABLE]);
  }
  const before = new Set(known.split(','));
  const ours = (await cniChains(host)).filter(({ id }) => !before.has(id));
  for (const [place, chains] of Map.groupBy(ours, ({ place: where }) => where)) {
    const [firewall, table] = place.split('/') as [string, string];
    await act(host, [`${firewall}-restore`, '--noflush'], removal(table, chains));
  }
  for (const fact of Object.values(FACT)) await facts.delete(fact);
}

// ---------------------------------------------------------------------------------------------------

const FACT = {
  namespaces: 'network.namespaces-before',
  bridge: 'network.bridge-before',
  nft: 'network.nft-before',
  chains: 'network.chains-before',
} as const;

/** The runtime names those of pods `cni-<uuid>`; others name theirs otherwise. */
const NETNS = /^cni-[0-9a-f-]{36}$/;
/** What plugins from 1.6 on use in place of chains. */
const NFT_TABLE = 'cni_plugins_masquerade';
const PLACES = ['iptables/nat', 'iptables/filter', 'ip6tables/nat', 'ip6tables/filter'] as const;

interface Chain {
  /** `iptables/nat/CNI-4f2a…`. */
  readonly id: string;
  readonly place: (typeof PLACES)[number];
  readonly name: string;
  /** Rules that lead there, as iptables-save prints them. */
  readonly jumps: readonly string[];
}

/** Every chain with a name that CNI plugins use. */
async function cniChains(host: Host): Promise<readonly Chain[]> {
  const found = await Promise.all(
    PLACES.map(async (place) => {
      const [firewall, table] = place.split('/') as [string, string];
      const saved = await host.run({
        argv: [`${firewall}-save`, '-t', table],
        changes: false,
        timeoutMs: 15_000,
      });
      if (saved.exitCode !== 0) return [];
      const lines = saved.stdout.split('\n');
      return lines.flatMap((line): readonly Chain[] => {
        const name = /^:(CNI-[\w-]{1,28})\s/.exec(line)?.[1];
        if (name === undefined) return [];
        const jumps = lines.filter((rule) => rule.startsWith('-A ') && ` ${rule} `.includes(` -j ${name} `));
        return [{ id: `${place}/${name}`, place, name, jumps }];
      });
    }),
  );
  return found.flat();
}

/** One transaction: first the ways in, then the rules, then the chains. */
function removal(table: string, chains: readonly Chain[]): string {
  const names = chains.map(({ name }) => name);
  const fromOutside = chains
    .flatMap(({ jumps }) => jumps)
    .filter((rule) => !names.includes(rule.split(' ', 2)[1]!));
  return [
    `*${table}`,
    ...new Set(fromOutside.map((rule) => rule.replace(/^-A /, '-D '))),
    ...names.map((name) => `-F ${name}`),
    ...names.map((name) => `-X ${name}`),
    'COMMIT',
    '',
  ].join('\n');
}

async function hasBridge(host: Host): Promise<boolean> {
  return (await host.lstat(`/sys/class/net/${BRIDGE_NAME}`)) !== undefined;
}

async function hasNftTable(host: Host): Promise<boolean> {
  const { exitCode, stdout } = await host.run({
    argv: ['nft', 'list', 'tables'],
    changes: false,
    timeoutMs: 15_000,
  });
  return exitCode === 0 && stdout.includes(` ${NFT_TABLE}`);
}

/** What cannot be taken away does no harm: it leads to nothing. */
async function act(host: Host, argv: readonly [string, ...string[]], stdin?: string): Promise<void> {
  await host.run({ argv, changes: true, timeoutMs: 15_000, ...(stdin === undefined ? {} : { stdin }) });
}
