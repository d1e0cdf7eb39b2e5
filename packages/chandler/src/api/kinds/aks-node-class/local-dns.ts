/**
 * LocalDNS: a DNS cache on every node, and how it treats each zone.
 */
import { choice, integer, list, object, type Rule, type Static, text } from '../../schema/schema.ts';
import { DURATION } from '../patterns.ts';

/** A zone that the cluster answers for. A dot at the end makes no difference to DNS, so none here. */
const inCluster = (zone: string) =>
  `(${zone}.endsWith('cluster.local') || ${zone}.endsWith('cluster.local.'))`;

const override = object(
  'How queries of one zone are answered.',
  {
    zone: text('The zone: `.` for everything, or a domain.', {
      minLength: 1,
      maxLength: 254,
      pattern:
        '^(\\.|[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?)*\\.?)$',
    }),
    queryLogging: choice('What is logged: errors only, or every query.', ['Error', 'Log']),
    protocol: choice('The protocol of queries to the upstream server.', ['PreferUDP', 'ForceTCP']),
    forwardDestination: choice(
      'The upstream server: CoreDNS of the cluster, or the DNS of the virtual network.',
      ['ClusterCoreDNS', 'VnetDNS'],
    ),
    forwardPolicy: choice('The order in which several upstream servers are queried.', [
      'Sequential',
      'RoundRobin',
      'Random',
    ]),
    maxConcurrent: integer('The maximum number of concurrent queries.', { minimum: 0 }),
    cacheDuration: text('How long a response is cached.', { pattern: DURATION }),
    serveStaleDuration: text('How long a stale response may be served.', { pattern: DURATION }),
    serveStale: choice('When a stale response is served.', ['Verify', 'Immediate', 'Disable']),
  },
  {
    rules: [
      {
        message: "'cluster.local' cannot be forwarded to VnetDNS",
        rule: `!(${inCluster('self.zone')} && self.forwardDestination == 'VnetDNS')`,
      },
      {
        message: 'serveStale Verify cannot be used with protocol ForceTCP',
        rule: "!(self.serveStale == 'Verify' && self.protocol == 'ForceTCP')",
      },
    ],
  },
);
export type LocalDNSOverride = Static<typeof override>;

const requiredZones: Rule = {
  message: "must contain required zones '.' and 'cluster.local'",
  rule: "self.exists(x, x.zone == '.') && self.exists(x, x.zone == 'cluster.local')",
};

const vnetRules: readonly Rule[] = [
  requiredZones,
  {
    message: "root zone '.' cannot be forwarded to ClusterCoreDNS from vnetDNSOverrides",
    rule: "!self.exists(x, x.zone == '.' && x.forwardDestination == 'ClusterCoreDNS')",
  },
  {
    message: 'external domains cannot be forwarded to ClusterCoreDNS from vnetDNSOverrides',
    rule: `!self.exists(x, x.zone != '.' && !${inCluster('x.zone')} && x.forwardDestination == 'ClusterCoreDNS')`,
  },
];

export const localDNS = object('The DNS cache on the node.', {
  mode: choice('Whether the cache runs: always, if the cluster supports it, or never.', [
    'Preferred',
    'Required',
    'Disabled',
  ]),
  vnetDNSOverrides: overrides(
    'Zones for pods that use the DNS of the virtual network, and for the node.',
    vnetRules,
  ),
  kubeDNSOverrides: overrides('Zones for pods that use the DNS of the cluster.', [requiredZones]),
});
export type LocalDNS = Static<typeof localDNS>;

// ---------------------------------------------------------------------------------------------------------------

function overrides(description: string, rules: readonly Rule[]) {
  return list(description, override, { listType: 'map', keys: ['zone'], maxItems: 100, rules });
}
