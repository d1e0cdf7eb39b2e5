/** Checks of AKS: the Helm values name the cluster, its endpoint and its node resource group. */
import type { AzureObject } from '../../../azure/objects.ts';
import { regionName } from '../../../azure/picture.ts';
import type { Scene } from '../../../azure/scenes.ts';
import { judgeScenes } from '../../../azure/scenes.ts';
import { type Answer, hasSymbol, sameText } from '../../../azure/symbols.ts';
import { hostOf } from '../../../facts/arn.ts';
import { textOf } from '../../../model/tree.ts';
import type { CheckRow } from '../../check.ts';
import { DOCS } from '../../docs.table.ts';
import { type Expected, fieldOfCluster, INFRASTRUCTURE, judgeOption, required } from './compare.ts';

export const AKS_CLUSTER_CHECKS: readonly CheckRow[] = [
  {
    id: 'A-01',
    title: 'The cluster name is that of the AKS cluster',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Passes if CLUSTER_NAME (settings.clusterName) is the name of the cluster in Terraform or in the subscription. Fails if it is another, a placeholder, or absent.',
    severity: 'critical',
    phase: 2,
    fix: 'Set CLUSTER_NAME in controller.env to the name of the AKS cluster.',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        judgeOption(scene, {
          names: ['CLUSTER_NAME'],
          absent: required,
          expected: ({ clusters, picture }) => {
            const [first] = clusters;
            if (first === undefined) return undefined;
            const texts = clusters.map((cluster) => cluster.text('name'));
            const known = texts.every((text) => text !== undefined);
            return {
              text: known ? texts.map((text) => picture.expand(text)).join(' or ') : undefined,
              evidence: clusters.map((cluster) => cluster.seen('name')),
            };
          },
          same: (text, expected) => oneOf(text, expected.split(' or ')),
          otherwise: (expected, text) => `The cluster is called ${expected}, and here it is ${text}.`,
        }),
      ),
  },
  {
    id: 'A-02',
    title: 'The cluster endpoint is that of the AKS cluster',
    inputs: ['values'],
    criterion:
      'Passes if CLUSTER_ENDPOINT is an https address with the host of the cluster: its private one if the cluster is private. From files alone, the DNS prefix and the region of the host are compared. Fails if it is another, a placeholder, or absent.',
    severity: 'critical',
    phase: 2,
    fix: 'Set CLUSTER_ENDPOINT to https:// and the host of the API server, with port 443 (az aks show --query "[fqdn, privateFqdn]").',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        judgeOption(scene, {
          names: ['CLUSTER_ENDPOINT'],
          absent: required,
          problem: (text) =>
            hostOf(text) === undefined || !text.startsWith('https://')
              ? `${text} is not an absolute https address.`
              : undefined,
          expected: endpointOf,
          same: (text, expected) => sameHost(text, expected, scene),
          otherwise: (expected, text) => `The API server is at ${expected}, and here it is ${text}.`,
        }),
      ),
  },
  {
    id: 'A-03',
    title: 'The node resource group is that of the AKS cluster',
    inputs: [INFRASTRUCTURE, 'values'],
    criterion:
      'Passes if AZURE_NODE_RESOURCE_GROUP is the node resource group of the cluster (MC_group_cluster_region if Terraform does not choose one). Fails if it is another, such as that of the cluster itself, or absent.',
    severity: 'critical',
    phase: 2,
    fix: 'Set AZURE_NODE_RESOURCE_GROUP to the node resource group (az aks show --query nodeResourceGroup).',
    docs: DOCS.azureInstall,
    judge: (context) =>
      judgeScenes(context, (scene) =>
        judgeOption(scene, {
          names: ['AZURE_NODE_RESOURCE_GROUP'],
          absent: required,
          expected: ({ cluster, picture }) =>
            cluster === undefined
              ? undefined
              : { text: picture.nodeResourceGroup(cluster), evidence: [cluster.seen('nodeResourceGroup')] },
          otherwise: (expected, text) => {
            const own = fieldOfCluster(scene, 'resourceGroup')?.text;
            const isOwn = own !== undefined && sameText(own, text) === 'yes';
            return `The node resource group is ${expected}, and here it is ${text}${isOwn ? ', the group of the cluster itself' : ''}.`;
          },
        }),
      ),
  },
];

// ---------------------------------------------------------------------------------------------------------------

function oneOf(text: string, names: readonly string[]): Answer {
  const answers = names.map((name) => sameText(text, name));
  if (answers.includes('yes')) return 'yes';
  return answers.includes('unknown') ? 'unknown' : 'no';
}

/** The hosts that nodes can use, or what of them is known: `prefix-….region`. */
function endpointOf({ cluster, picture }: Scene): Expected | undefined {
  if (cluster === undefined) return undefined;
  const fields = isPrivate(cluster) ? ['privateFqdn', 'fqdn'] : ['fqdn'];
  const known = fields.filter((name) => (textOf(cluster.field(name)) ?? '') !== '');
  if (known.length > 0)
    return {
      text: known.map((name) => textOf(cluster.field(name))).join(' or '),
      evidence: known.map((name) => cluster.seen(name)),
    };
  const [field] = fields as [string];
  const prefix = cluster.text('dnsPrefix');
  const location = cluster.text('location');
  if (cluster.field('dnsPrefix') === undefined || prefix === undefined || location === undefined)
    return { text: cluster.text(field), evidence: [cluster.seen(field)] };
  return {
    text: `${picture.expand(prefix)}-….${regionName(picture.expand(location))}`,
    evidence: [cluster.seen('dnsPrefix'), cluster.seen('location')],
  };
}

function isPrivate(cluster: AzureObject): boolean {
  return textOf(cluster.field('privateCluster')) === 'true';
}

function sameHost(text: string, expected: string, { cluster }: Scene): Answer {
  const host = hostOf(text)?.toLowerCase();
  if (cluster !== undefined && hasSymbol(text)) {
    const own = (isPrivate(cluster) ? ['privateFqdn'] : ['fqdn']).map((name) => cluster.text(name));
    const wrong = (isPrivate(cluster) ? ['fqdn'] : ['privateFqdn']).map((name) => cluster.text(name));
    if (own.some((symbol) => symbol !== undefined && text.includes(symbol))) return 'yes';
    if (wrong.some((symbol) => symbol !== undefined && text.includes(symbol))) return 'no';
    return 'unknown';
  }
  if (host === undefined) return 'unknown';
  const [prefix, region] = expected.split('-….');
  if (region === undefined) return oneOf(host, expected.split(' or '));
  if (hasSymbol(expected)) return 'unknown';
  const [, ownPrefix, kind, ownRegion] = HOST.exec(host) ?? [];
  const isOfKind = (kind === 'privatelink') === (cluster !== undefined && isPrivate(cluster));
  return ownPrefix === prefix?.toLowerCase() && ownRegion === region && isOfKind ? 'yes' : 'no';
}

/** `shop-x1y2z3a4.hcp.westeurope.azmk8s.io`, and with `.GUID.privatelink` of a private cluster. */
const HOST =
  /^(.+)-[a-z0-9]{8}(?:\.[0-9a-f-]{36})?\.(hcp|privatelink)\.([a-z0-9]+)\.(?:cx\.[a-z]+\.)?azmk8s\.(?:io|us|cn)$/;
