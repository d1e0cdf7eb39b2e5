/**
 * When a VM is no longer what would be launched today because the cluster changed under it. The values of the
 * day are recorded on the claim at launch; a record that differs is drift. A claim without a record, taken over from
 * someone else, gets today's and does not drift. A default used because a value could not be read is no change of the
 * cluster: a lost permission, or a Service that is missing for a moment, replaces no node.
 */
import { createHash, X509Certificate } from 'node:crypto';
import { pemCertificates, type Sourced } from '../../../settings/index.ts';
import type { Drift } from '../../index.ts';

import type { ClusterFactName, ClusterFacts, ClusterNetwork } from './facts.ts';
import { isModeGuessed } from './finders.ts';
import { isNewerVersion } from './kubernetes-version.ts';

/** Where each value is recorded on the claim, and what its drift is called. */
export const CLUSTER_RECORDS: readonly ClusterRecord[] = [
  {
    fact: 'kubernetesVersion',
    annotation: 'chandler.sh/kubernetes-version',
    reason: 'K8sVersionDrift',
    text: ({ kubernetesVersion }) => kubernetesVersion?.value,
    // Back is not a way for nodes: an older answer is a replica that is behind.
    differs: (recorded, now) => isNewerVersion(now, recorded),
  },
  {
    fact: 'caBundle',
    annotation: 'chandler.sh/cluster-ca',
    reason: 'ClusterCADrift',
    text: ({ caBundle }) => (caBundle === undefined ? undefined : caFingerprints(caBundle.value)),
    // One that is dropped from the bundle is no loss to a VM that trusts the others too.
    differs: (recorded, now) => {
      const trusted = new Set(recorded.split(','));
      return now.split(',').some((print) => !trusted.has(print));
    },
  },
  {
    fact: 'clusterId',
    annotation: 'chandler.sh/cluster-id',
    reason: 'ClusterIDDrift',
    text: ({ clusterId }) => clusterId?.value,
  },
  {
    fact: 'networkSecurityGroup',
    annotation: 'chandler.sh/network-security-group',
    reason: 'NetworkSecurityGroupDrift',
    text: ({ networkSecurityGroup }) => networkSecurityGroup?.value.id.toLowerCase(),
  },
  {
    fact: 'vnetGuid',
    annotation: 'chandler.sh/vnet-guid',
    reason: 'VnetGUIDDrift',
    text: ({ vnetGuid }) => vnetGuid?.value.toLowerCase(),
    guessed: isVnetGuidGuessed,
    // A guess about the overlay says nothing against an empty record; another virtual network is another one anyway.
    differs: (recorded, now, facts) => recorded !== now && !(recorded === '' && isVnetGuidGuessed(facts)),
  },
  {
    fact: 'dnsServiceIP',
    annotation: 'chandler.sh/dns-service-ip',
    reason: 'DNSServiceIPDrift',
    text: ({ dnsServiceIP }) => dnsServiceIP?.value,
    guessed: ({ dnsServiceIP }) => isGuess(dnsServiceIP),
  },
  {
    fact: 'network',
    annotation: 'chandler.sh/cluster-network',
    reason: 'ClusterNetworkDrift',
    text: ({ network }) =>
      network === undefined
        ? undefined
        : partsOf(network)
            .map(({ value }) => value || '-')
            .join('/'),
    guessed: ({ network }) => network !== undefined && partsOf(network).some(isGuess),
    // Each part for itself: those that are known count, whatever has become of the others.
    differs: (recorded, now, { network }) => {
      const was = recorded.split('/');
      const guesses = network === undefined ? [] : partsOf(network).map(isGuess);
      return now.split('/').some((part, at) => guesses[at] !== true && part !== was[at]);
    },
  },
];

export interface ClusterRecord {
  readonly fact: ClusterFactName;
  readonly annotation: string;
  readonly reason: string;
  /** Short and comparable; undefined when it is not known now. */
  readonly text: (facts: Partial<ClusterFacts>) => string | undefined;
  /** Whether the value of now, or a part of it, is an unconfirmed default. Such a value is not adopted. */
  readonly guessed?: (now: Partial<ClusterFacts>) => boolean;
  /** Default: the texts are not the same, and the value of now is no guess. */
  readonly differs?: (recorded: string, now: string, facts: Partial<ClusterFacts>) => boolean;
}

export type Annotations = Readonly<Record<string, string>>;

/** Annotations for the claim that is being launched with these values. */
export function recordClusterValues(facts: Partial<ClusterFacts>): Record<string, string> {
  const records: Record<string, string> = {};
  for (const { annotation, text } of CLUSTER_RECORDS) {
    const now = text(facts);
    if (now !== undefined) records[annotation] = now;
  }
  return records;
}

export interface ClusterValueDrift {
  /** In the order of the table; empty when all is as it was. */
  readonly drifts: readonly (Drift & { readonly fact: ClusterFactName })[];
  /** Annotations to add to a claim that has no record of them. */
  readonly adopt: Annotations;
}

/** A value that is not known now neither drifts nor is adopted. */
export function clusterValueDrift(
  recorded: Annotations | undefined,
  now: Partial<ClusterFacts>,
): ClusterValueDrift {
  const drifts: (Drift & { fact: ClusterFactName })[] = [];
  const adopt: Record<string, string> = {};
  for (const { fact, annotation, reason, text, guessed, differs } of CLUSTER_RECORDS) {
    const current = text(now);
    if (current === undefined) continue;
    const isGuessed = guessed?.(now) ?? false;
    const was = recorded?.[annotation];
    if (was === undefined) {
      if (!isGuessed) adopt[annotation] = current;
    } else if (differs?.(was, current, now) ?? (!isGuessed && was !== current)) {
      const message = `${fact} was ${was || 'empty'} at launch and is ${current || 'empty'} now`;
      drifts.push({ fact, reason, message });
    }
  }
  return { drifts, adopt };
}

/** One for each certificate: the same for the same ones, however they are ordered or wrapped. */
export function caFingerprints(bundle: string): string {
  if (lastPrint?.bundle !== bundle) lastPrint = { bundle, print: fingerprintsOfBundle(bundle) };
  return lastPrint.print;
}

// ---------------------------------------------------------------------------------------------------

/** Every claim is held against the same bundle, and reading certificates takes milliseconds. */
let lastPrint: { readonly bundle: string; readonly print: string } | undefined;

function fingerprintsOfBundle(bundle: string): string {
  const pem = Buffer.from(bundle, 'base64').toString('utf8');
  const certificates = pemCertificates(pem).map(fingerprintOf);
  return (certificates.length === 0 ? [bundle] : certificates)
    .map((text) => `sha256:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`)
    .sort()
    .join(',');
}

function isGuess(value: Sourced<unknown> | undefined): boolean {
  return value?.source === 'hardcoded';
}

/** Read from Azure only because the network is taken to have an overlay. */
function isVnetGuidGuessed({ vnetGuid, network }: Partial<ClusterFacts>): boolean {
  return vnetGuid?.source === 'cluster' && network !== undefined && isModeGuessed(network);
}

function partsOf({ plugin, pluginMode, dataplane, policy }: ClusterNetwork): readonly Sourced<string>[] {
  return [plugin, pluginMode, dataplane, policy];
}

function fingerprintOf(pem: string): string {
  try {
    return new X509Certificate(pem).fingerprint256;
  } catch {
    return pem;
  }
}
