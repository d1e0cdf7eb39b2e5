/**
 * Writes the built-in tables of AWS: instance types and the zones that sell them, limits of their network, prices.
 *
 *   node scripts/aws-tables.ts --karpenter DIR --moto DIR [--moto-date DATE]
 *
 * `--karpenter` is the Go module github.com/aws/karpenter-provider-aws, as `go mod download -json MODULE@VERSION` names its
 * folder: bandwidth, branch interfaces and prices, which EC2's API does not tell or not without an account. `--moto` is the
 * unpacked Python wheel of moto: the answers of DescribeInstanceTypes and DescribeInstanceTypeOfferings. Only numbers and
 * names are taken. How the tables are read, `network-limits.ts`, `built-in-prices.ts` and `offline-types.ts` say.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { InstanceTypeInfo } from '../packages/chandler/src/cloud/aws/index.ts';
import { encodeType } from '../packages/chandler/src/cloud/aws/testing.ts';

const AWS = new URL('../packages/chandler/src/cloud/aws/', import.meta.url);

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_';

const { values } = parseArgs({
  options: { karpenter: { type: 'string' }, moto: { type: 'string' }, 'moto-date': { type: 'string' } },
});
if (values.karpenter === undefined || values.moto === undefined)
  throw new Error('usage: node scripts/aws-tables.ts --karpenter DIR --moto DIR');
const karpenter = values.karpenter;
const moto = values.moto;

const karpenterVersion = /@(v[\d.]+)$/.exec(karpenter)?.[1] ?? 'unknown version';
const motoVersion = readdirSync(moto)
  .map((name) => /^moto-([\d.]+)\.dist-info$/.exec(name)?.[1])
  .find((version) => version !== undefined);

writeLimits();
writePrices();
writeTypes();

// ---------------------------------------------------------------------------------------------------------------

function writeLimits(): void {
  const bandwidths = new Map(
    [...goFile('instancetype/zz_generated.bandwidth.go').matchAll(/^\t+"([^"]+)":\s+(\d+),/gm)].map(
      ([, name, mbps]) => [name!, mbps!],
    ),
  );
  const limits = goFile('instancetype/zz_generated.vpclimits.go');
  const entries = new Map<string, string>();
  for (const [, name, body] of limits.matchAll(/^\t"([^"]+)": \{\n([\s\S]*?)^\t\},/gm)) {
    const number = (field: string) => new RegExp(`\\b${field}:\\s+(\\d+)`).exec(body!)?.[1] ?? '';
    const branch = /IsTrunkingCompatible:\s+true/.test(body!) ? number('BranchInterface') : '';
    entries.set(name!, `${bandwidths.get(name!) ?? ''}/${branch}/${number('IPv4PerInterface')}`);
  }
  for (const [name, mbps] of bandwidths) if (!entries.has(name)) entries.set(name, mbps);
  write(
    'instance-types/network-limits.table.ts',
    `Limits of the network of instance types: bandwidth in Mbit/s, branch interfaces, IPv4 addresses of an interface. One
 * line per family: \`family size:bandwidth/branch/addresses …\`, where a number may be missing. ${entries.size} types.
 * Source: github.com/aws/karpenter-provider-aws ${karpenterVersion}, of ${dateIn(limits)}. Written by scripts/aws-tables.ts.`,
    `export const NETWORK_LIMITS = \`\n${byFamily(entries)}\n\`;`,
  );
}

function writePrices(): void {
  const files = ['aws', 'aws_us_gov', 'aws_cn'].map((name) =>
    goFile(`pricing/zz_generated.pricing_${name}.go`),
  );
  const dates: (readonly [region: string, date: string])[] = [];
  const tables = files.flatMap((text) =>
    [...text.matchAll(/^\t"([a-z0-9-]+)": \{\n([\s\S]*?)^\t\},/gm)].map(([, region, body]) => {
      const prices = new Map(
        [...body!.matchAll(/"([^"]+)": ([\d.]+),/g)].map(([, name, price]) => [name!, String(Number(price))]),
      );
      dates.push([region!, dateIn(text)]);
      return `  '${region}': \`\n${byFamily(prices)}\n\`,`;
    }),
  );
  writeFileSync(
    new URL('prices/prices-as-of.ts', AWS),
    `/** When the prices of \`prices.table.ts\` were read, by region. Written by scripts/aws-tables.ts. */
export const PRICE_DATES: Readonly<Record<string, string>> = {
${dates.map(([region, date]) => `  '${region}': '${date}',`).join('\n')}
};

/** The month of those of us-east-1. */
export const PRICES_AS_OF = '${dateIn(files[0]!).slice(0, 7)}';\n`,
  );
  write(
    'prices/prices.table.ts',
    `Prices on demand per hour, Linux, shared tenancy (bare metal: dedicated), in US dollars, for cn-north-1 in yuan. One line
 * per family: \`family size:price …\`. Other regions are priced as us-east-1 until Pricing has answered.
 * Source: github.com/aws/karpenter-provider-aws ${karpenterVersion}: ${dates.map(([region, date]) => `${region} of ${date}`).join(',\n * ')}. Written by scripts/aws-tables.ts.`,
    `export const BUILT_IN_PRICES: Readonly<Record<string, string>> = {\n${tables.join('\n')}\n};`,
  );
}

function writeTypes(): void {
  const all = motoFile('instance_types.json.gz') as Readonly<Record<string, InstanceTypeInfo>>;
  const types = Object.values(all).filter(canRunNodes).sort(byName);
  const folder = 'instance_type_offerings/availability-zone';
  const regions = readdirSync(join(moto, 'moto/ec2/resources', folder)).sort();
  const rows = regions.map((file) => {
    const region = file.replace('.json.gz', '');
    const offered = motoFile(`${folder}/${file}`) as readonly { InstanceType: string; Location: string }[];
    const letters = [...new Set(offered.map(({ Location }) => Location.slice(region.length)))].sort();
    const masks = new Map<string, number>();
    for (const { InstanceType: name, Location } of offered)
      masks.set(name, (masks.get(name) ?? 0) | (1 << letters.indexOf(Location.slice(region.length))));
    const text = types.map(({ InstanceType: name }) => DIGITS[masks.get(name!) ?? 0]).join('');
    return `  '${region}': { zones: '${letters.join('')}', sold: '${runs(text)}' },`;
  });
  write(
    'instance-types/types.table.ts',
    `Instance types, and the zones that sell them: what \`chandler simulate\` plans with when it reads no account. One line per
 * type (\`offline-types.ts\` reads it); per region the letters of its zones and, type by type, which of them sell it, as one
 * digit of base 64 whose bits are the zones; \`~n~\` stands for n times the digit before it. ${types.length} types,
 * ${regions.length} regions. Types for macOS, and regions of other partitions, are left out.
 * Source: moto ${motoVersion} (DescribeInstanceTypes and DescribeInstanceTypeOfferings), of ${values['moto-date'] ?? 'unknown date'}. Written by
 * scripts/aws-tables.ts.`,
    `export const TYPES = \`\n${types.map(encodeType).join('\n')}\n\`;

export const ZONES: Readonly<Record<string, { readonly zones: string; readonly sold: string }>> = {\n${rows.join('\n')}\n};`,
  );
}

function runs(text: string): string {
  return text.replace(/(.)\1{5,}/g, (run, digit: string) => `${digit}~${run.length - 1}~`);
}

/** As upstream asks EC2: only such types can become nodes. */
function canRunNodes({ SupportedVirtualizationTypes, ProcessorInfo }: MotoType): boolean {
  return (
    SupportedVirtualizationTypes?.includes('hvm') === true &&
    ProcessorInfo?.SupportedArchitectures?.some((name) => name === 'x86_64' || name === 'arm64') === true
  );
}

type MotoType = InstanceTypeInfo & { readonly SupportedVirtualizationTypes?: readonly string[] };

function byName(first: InstanceTypeInfo, second: InstanceTypeInfo): number {
  return first.InstanceType! < second.InstanceType! ? -1 : 1;
}

function byFamily(entries: ReadonlyMap<string, string>): string {
  const families = new Map<string, string[]>();
  for (const name of [...entries.keys()].sort()) {
    const [family, size] = name.split('.') as [string, string];
    families.set(family, [...(families.get(family) ?? []), `${size}:${entries.get(name)!}`]);
  }
  return [...families].map(([family, sizes]) => [family, ...sizes].join(' ')).join('\n');
}

function goFile(path: string): string {
  return readFileSync(join(karpenter, 'pkg/providers', path), 'utf8');
}

function motoFile(path: string): unknown {
  return JSON.parse(gunzipSync(readFileSync(join(moto, 'moto/ec2/resources', path))).toString('utf8'));
}

/** When the source file was generated. */
function dateIn(text: string): string {
  return /generated at (\d{4}-\d{2}-\d{2})/.exec(text)?.[1] ?? 'unknown date';
}

function write(path: string, header: string, body: string): void {
  const text = `/**\n * ${header}\n */\n${body}\n`;
  writeFileSync(new URL(path, AWS), text);
  console.log(`${path}: ${text.length} bytes`);
}
