/** The bills of materials of what is published: the npm package, which is a bundle, and what is made around it. */
import type { BuildFacts } from '../build/build-facts.ts';
import type { NodePackage } from '../build/node-package.ts';
import type { DebianPackage, ImageArchitecture } from '../image/debian.ts';
import { DEBIAN_CONTENTS } from '../image/debian-contents.table.ts';
import { billOfMaterials, type Component, componentsOf, hexOf, npmComponent, npmPurl } from './cyclonedx.ts';
import type { ShippedPackage } from './shipped-packages.ts';

/** The name of the bill inside the npm package and the image. */
export const BILL = 'sbom.cdx.json';

export function packageBill(packages: readonly ShippedPackage[], facts: BuildFacts): Buffer {
  const { version } = facts;
  const purl = npmPurl('chandler', version);
  const subject = { type: 'application', name: 'chandler', version, purl } as const;
  return billOfMaterials(subject, packages.map(npmComponent), facts);
}

export interface ImageParts {
  readonly architecture: ImageArchitecture;
  /** The bill of the npm package that is in it. */
  readonly bundle: Buffer;
  readonly node: NodePackage;
  readonly debian: readonly DebianPackage[];
}

export function imageBill({ architecture, bundle, node, debian }: ImageParts, facts: BuildFacts): Buffer {
  const purl = `pkg:oci/chandler@${facts.version}?arch=${architecture}&os=linux`;
  const components = [
    ...componentsOf(bundle),
    nodeComponent(node),
    ...debian.map((each) => debianComponent(each, architecture)),
  ];
  const subject = { type: 'container', name: 'chandler', version: facts.version, purl } as const;
  return billOfMaterials(subject, components, facts);
}

export interface ProgramParts {
  /** As Go names them. */
  readonly os: string;
  readonly architecture: string;
  /** The bill of the npm package that is in it. */
  readonly bundle: Buffer;
  readonly node: NodePackage;
}

/** Of the command line with its Node.js. */
export function programBill({ os, architecture, bundle, node }: ProgramParts, facts: BuildFacts): Buffer {
  const { version } = facts;
  const purl = `pkg:generic/chandler@${version}?arch=${architecture}&os=${os}`;
  const subject = { type: 'application', name: 'chandler', version, purl } as const;
  return billOfMaterials(subject, [...componentsOf(bundle), nodeComponent(node)], facts);
}

/** Of the flex node agent, with the Node.js of each architecture. */
export function agentBill(
  packages: readonly ShippedPackage[],
  nodes: readonly NodePackage[],
  facts: BuildFacts,
): Buffer {
  const { version } = facts;
  const purl = `pkg:generic/chandler-flexnode@${version}?os=linux`;
  const subject = { type: 'application', name: 'chandler-flexnode', version, purl } as const;
  return billOfMaterials(subject, [...packages.map(npmComponent), ...nodes.map(nodeComponent)], facts);
}

// ---------------------------------------------------------------------------------------------------

function nodeComponent({ name, version, integrity }: NodePackage): Component {
  return {
    type: 'application',
    name: 'node',
    version,
    licence: 'MIT',
    purl: npmPurl(name, version),
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    hash: { algorithm: 'SHA-512', hex: hexOf(integrity) },
    ...(process.versions.node === version ? { properties: insideNode() } : {}),
  };
}

/** Libraries inside Node.js, with their versions: OpenSSL, zlib and others. */
function insideNode(): Readonly<Record<string, string>> {
  const libraries = Object.entries(process.versions).filter(
    ([name, version]) => name !== 'node' && version !== undefined,
  );
  return Object.fromEntries(libraries.map(([name, version]) => [`node:contains:${name}`, version!]));
}

function debianComponent({ name, version, sha256 }: DebianPackage, architecture: string): Component {
  return {
    type: 'library',
    name,
    version,
    licence: DEBIAN_CONTENTS[name]!.licence,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-13`,
    hash: { algorithm: 'SHA-256', hex: sha256 },
  };
}
