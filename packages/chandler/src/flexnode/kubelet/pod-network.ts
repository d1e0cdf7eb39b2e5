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
  await facts.set(FACT.devices, (await host.list('/sys/class/net')).join(','));
  await facts.set(FACT.bridge, (await hasBridge(host)) ? 'yes' : 'no');
  await facts.set(FACT.nft, (await hasNftTable(host, true)) ? 'yes' : 'no');
  const { chains, unread } = await cniChains(host);
  const known = [...chains.map(({ id }) => id), ...unread.map(allOf)];
  await facts.set(FACT.chains, known.join(','));
}

/** Whether services of this node were started, so that there may be pods and their networks. */
export function hadPods(facts: Pick<Facts, 'get'>): boolean {
  return facts.get(FACT.chains) !== undefined;
}

/** The network devices from before the first start of the services; undefined if they were not recorded. */
export function devicesBefore(facts: Pick<Facts, 'get'>): readonly string[] | undefined {
  const devices = facts.get(FACT.devices);
  return devices === undefined || devices === '' ? undefined : devices.split(',');
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
  if (facts.get(FACT.nft) === 'no' && (await hasNftTable(host, false))) {
    await act(host, ['nft', 'delete', 'table', 'inet', NFT_TABLE]);
  }
  const before = new Set(known.split(','));
  const { chains: all } = await cniChains(host);
  const ours = all.filter(({ id, place }) => !before.has(id) && !before.has(allOf(place)));
  for (const [place, chains] of Map.groupBy(ours, ({ place: where }) => where)) {
    const [firewall, table] = place.split('/') as [string, string];
    await act(host, [`${firewall}-restore`, '--noflush'], removal(table, chains));
  }
  await forgetNetwork(facts);
}

export async function forgetNetwork(facts: Facts): Promise<void> {
  for (const fact of Object.values(FACT)) await facts.delete(fact);
}

// ---------------------------------------------------------------------------------------------------

/** `chains` is set last and deleted first: without it, nothing is removed. */
const FACT = {
  chains: 'network.chains-before',
  namespaces: 'network.namespaces-before',
  bridge: 'network.bridge-before',
  nft: 'network.nft-before',
  devices: 'network.devices-before',
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

type Place = Chain['place'];

/** Stands for the chains of a table that could not be read before bootstrap: none of them is removed. */
const allOf = (place: Place): string => `${place}/*`;

/** A program that is not installed has no rules. */
const isAbsent = (exitCode: number): boolean => exitCode === 127;

/** Every chain with a name that CNI plugins use, and the tables that could not be read. */
async function cniChains(
  host: Host,
): Promise<{ readonly chains: readonly Chain[]; readonly unread: readonly Place[] }> {
  const unread: Place[] = [];
  const found = await Promise.all(
    PLACES.map(async (place) => {
      const [firewall, table] = place.split('/') as [string, string];
      const saved = await host.run({
        argv: [`${firewall}-save`, '-t', table],
        changes: false,
        timeoutMs: 15_000,
      });
      if (saved.exitCode !== 0) {
        if (!isAbsent(saved.exitCode)) unread.push(place);
        return [];
      }
      const lines = saved.stdout.split('\n');
      return lines.flatMap((line): readonly Chain[] => {
        const name = /^:(CNI-[\w-]{1,28})\s/.exec(line)?.[1];
        if (name === undefined) return [];
        const jumps = lines.filter((rule) => rule.startsWith('-A ') && ` ${rule} `.includes(` -j ${name} `));
        return [{ id: `${place}/${name}`, place, name, jumps }];
      });
    }),
  );
  return { chains: found.flat(), unread };
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

async function hasNftTable(host: Host, ifUnread: boolean): Promise<boolean> {
  const { exitCode, stdout } = await host.run({
    argv: ['nft', 'list', 'tables'],
    changes: false,
    timeoutMs: 15_000,
  });
  if (exitCode !== 0) return isAbsent(exitCode) ? false : ifUnread;
  return stdout.includes(` ${NFT_TABLE}`);
}

/** What cannot be taken away does no harm: it leads to nothing. */
async function act(host: Host, argv: readonly [string, ...string[]], stdin?: string): Promise<void> {
  await host.run({ argv, changes: true, timeoutMs: 15_000, ...(stdin === undefined ? {} : { stdin }) });
}
