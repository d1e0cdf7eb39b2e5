/**
 * A bill of materials in the form of CycloneDX 1.6. It is a function of what it lists: the serial number is made from the
 * content, and the time is that of the commit.
 */
import { createHash } from 'node:crypto';
import type { BuildFacts } from '../build/build-facts.ts';
import type { ShippedPackage } from './shipped-packages.ts';

export interface Component {
  readonly type: 'library' | 'application' | 'container' | 'operating-system';
  readonly name: string;
  readonly version: string;
  /** Package URL: what vulnerabilities are looked up by. */
  readonly purl: string;
  /** SPDX expression. */
  readonly licence: string;
  readonly hash: { readonly algorithm: 'SHA-256' | 'SHA-512'; readonly hex: string };
  readonly cpe?: string;
  readonly properties?: Readonly<Record<string, string>>;
}

/** What the bill is of; its hash is not known yet when the bill goes into it. */
export type Subject = Omit<Component, 'hash' | 'licence'>;

export function billOfMaterials(
  subject: Subject,
  components: readonly Component[],
  facts: BuildFacts,
): Buffer {
  const listed = [...components].sort((a, b) => (a.purl < b.purl ? -1 : 1));
  const body = {
    metadata: {
      ...(facts.time === 'unknown' ? {} : { timestamp: new Date(facts.time).toISOString() }),
      component: {
        ...identity(subject),
        licenses: licences('Apache-2.0'),
        properties: [{ name: 'chandler:commit', value: facts.commit }],
      },
    },
    components: listed.map((each) => ({
      ...identity(each),
      hashes: [{ alg: each.hash.algorithm, content: each.hash.hex }],
      licenses: licences(each.licence),
      ...(each.cpe === undefined ? {} : { cpe: each.cpe }),
      ...(each.properties === undefined ? {} : { properties: pairs(each.properties) }),
    })),
    dependencies: [
      { ref: subject.purl, dependsOn: listed.map(({ purl }) => purl) },
      ...listed.map(({ purl }) => ({ ref: purl })),
    ],
  };
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify(body))}`,
    version: 1,
    ...body,
  };
  return Buffer.from(`${JSON.stringify(document, undefined, 2)}\n`);
}

/** What a bill of npm packages lists, to go into the bill of something around it. */
export function componentsOf(bill: Buffer): readonly Component[] {
  const { components } = JSON.parse(bill.toString()) as {
    readonly components: readonly (Subject & {
      readonly hashes: readonly [{ readonly alg: Component['hash']['algorithm']; readonly content: string }];
      readonly licenses: readonly [
        { readonly expression?: string; readonly license?: { readonly id: string } },
      ];
    })[];
  };
  return components.map(({ type, name, version, purl, hashes: [hash], licenses: [licence] }) => ({
    type,
    name,
    version,
    purl,
    licence: licence.expression ?? licence.license!.id,
    hash: { algorithm: hash.alg, hex: hash.content },
  }));
}

export function npmComponent({ name, version, integrity, licence }: ShippedPackage): Component {
  return {
    type: 'library',
    name,
    version,
    licence,
    purl: npmPurl(name, version),
    hash: { algorithm: 'SHA-512', hex: hexOf(integrity) },
  };
}

export function npmPurl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;
}

/** Of an integrity as lockfiles have it: `sha512-…`, in base64. */
export function hexOf(integrity: string): string {
  const [, base64] = /^sha512-([A-Za-z0-9+/=]+)$/.exec(integrity) ?? [];
  if (base64 === undefined) throw new Error(`${integrity} is no SHA-512 hash of a lockfile`);
  return Buffer.from(base64, 'base64').toString('hex');
}

// ---------------------------------------------------------------------------------------------------

function identity({ type, name, version, purl }: Subject) {
  return { type, 'bom-ref': purl, name, version, purl };
}

/** An expression, or the id of one licence. */
function licences(expression: string) {
  return / /.test(expression) ? [{ expression }] : [{ license: { id: expression } }];
}

function pairs(properties: Readonly<Record<string, string>>) {
  return Object.entries(properties).map(([name, value]) => ({ name, value }));
}

/** In the form of version 8 of RFC 9562, which leaves the content to the writer. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = ((Number.parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
