/**
 * Refreshes the table of SHA-256 hashes of the flex node from kubespray's list of checksums, which contains the hashes that
 * the vendors publish. New versions are added; a hash that differs from the known one is an error, and nothing is
 * written. The hash of the Arc agent is in no such list: operators set it in `downloads.sha256`.
 *
 * node scripts/flexnode-hashes.ts [--from FILE|URL] [--table FILE] [--check]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parse } from 'yaml';

const LIST =
  'https://raw.githubusercontent.com/kubernetes-sigs/kubespray/master/roles/kubespray_defaults/vars/main/checksums.yml';
const TABLE = join(
  import.meta.dirname,
  '..',
  'packages',
  'chandler',
  'src',
  'flexnode',
  'artifacts',
  'hashes.table.ts',
);

/** The kinds of the table, in its order: their key in the list, and the oldest version that is kept. */
const KINDS = [
  { kind: 'runc', key: 'runc_checksums', oldest: '1.1.12' },
  { kind: 'containerd', key: 'containerd_archive_checksums', oldest: '1.7.0' },
  { kind: 'cni-plugins', key: 'cni_binary_checksums', oldest: '1.4.0' },
  { kind: 'kubelet', key: 'kubelet_checksums', oldest: '1.29.0' },
  { kind: 'kubectl', key: 'kubectl_checksums', oldest: '1.29.0' },
  { kind: 'kubeadm', key: 'kubeadm_checksums', oldest: '1.29.0' },
] as const;
const ARCHITECTURES = ['amd64', 'arm64'] as const;
const OPENING = 'export const PINNED_SHA256';

type Hashes = { [architecture in (typeof ARCHITECTURES)[number]]?: string };

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: LIST },
    table: { type: 'string', default: TABLE },
    check: { type: 'boolean', default: false },
  },
});
const before = readFileSync(values.table, 'utf8');
const known = knownHashes(before);
const listed = listedHashes(parse(await textOf(values.from)) as unknown);
const differing = [...listed].flatMap(([name, hashes]) =>
  ARCHITECTURES.filter((each) => known.get(name)?.[each] !== undefined)
    .filter((each) => hashes[each] !== undefined && hashes[each] !== known.get(name)?.[each])
    .map((each) => `${name}/${each}: ${known.get(name)?.[each]} in the table, ${hashes[each]} in the list`),
);
if (differing.length > 0) {
  console.error('hashes of published versions never change; find out which one is right:');
  for (const line of differing) console.error(`  ${line}`);
  process.exit(1);
}
const added = [...listed.keys()].filter((name) => !known.has(name)).sort(byNumber);
for (const [name, hashes] of listed) known.set(name, { ...hashes, ...known.get(name) });
const after = before.slice(0, before.indexOf(OPENING)) + rendered(known);
if (after === before) console.log(`up to date: ${known.size} versions`);
else if (values.check) {
  console.error(`missing: ${added.join(', ') || 'architectures of known versions'}`);
  process.exitCode = 1;
} else {
  writeFileSync(values.table, after);
  console.log(`added ${added.length} versions: ${added.join(', ')}`);
}

// ---------------------------------------------------------------------------------------------------

async function textOf(source: string): Promise<string> {
  if (!source.startsWith('https://')) return readFileSync(source, 'utf8');
  const response = await fetch(source);
  if (!response.ok) throw new Error(`${source} answered ${response.status}`);
  return await response.text();
}

/** The table is formatted data: one version per entry, one architecture per line. */
function knownHashes(table: string): Map<string, Hashes> {
  const found = new Map<string, Hashes>();
  for (const [, name, body] of table.matchAll(/^ {2}'([^']+)': \{([^}]*)\}/gm)) {
    const pairs = [...body!.matchAll(/(amd64|arm64): '([0-9a-f]{64})'/g)];
    found.set(name!, Object.fromEntries(pairs.map(([, architecture, hash]) => [architecture, hash])));
  }
  return found;
}

function listedHashes(list: unknown): Map<string, Hashes> {
  const found = new Map<string, Hashes>();
  for (const { kind, key, oldest } of KINDS) {
    const section = (list as Record<string, Record<string, Record<string, unknown>> | undefined>)[key];
    if (section === undefined) throw new Error(`the list has no ${key}: its layout has changed`);
    for (const architecture of ARCHITECTURES) {
      for (const [version, value] of Object.entries(section[architecture] ?? {})) {
        const hash = /^sha256:([0-9a-f]{64})$/.exec(String(value))?.[1];
        // A release without a file for this architecture is listed as 0; candidates are not for nodes.
        if (hash === undefined || !/^\d+\.\d+\.\d+$/.test(version) || byNumber(version, oldest) < 0) continue;
        const name = `${kind}/${version}`;
        found.set(name, { ...found.get(name), [architecture]: hash });
      }
    }
  }
  // One architecture alone would be a version that works on some machines only.
  for (const [name, hashes] of found)
    if (ARCHITECTURES.some((each) => hashes[each] === undefined)) found.delete(name);
  return found;
}

function rendered(hashes: ReadonlyMap<string, Hashes>): string {
  const order = KINDS.flatMap(({ kind }) =>
    [...hashes.keys()].filter((name) => name.startsWith(`${kind}/`)).sort(byNumber),
  );
  const entries = order.map((name) => {
    const lines = ARCHITECTURES.flatMap((each) => {
      const hash = hashes.get(name)?.[each];
      return hash === undefined ? [] : [`    ${each}: '${hash}',`];
    });
    return [`  '${name}': {`, ...lines, '  },'].join('\n');
  });
  const type = 'Readonly<Record<string, { readonly amd64?: string; readonly arm64?: string }>>';
  return `${OPENING}: ${type} = {\n${entries.join('\n')}\n};\n`;
}

function byNumber(one: string, other: string): number {
  return one.localeCompare(other, 'en', { numeric: true });
}
