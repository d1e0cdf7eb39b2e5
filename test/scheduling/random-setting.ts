/** The features of a random cluster, and the values that its parts are drawn from. */
import type { Chance } from './chance.ts';

export const FEATURES = [
  'zones',
  'arch',
  'spot',
  'families',
  'overhead',
  'gpu',
  'unavailable',
  'overrides',
  'reserved',
  'overlays',
  'several pools',
  'weights',
  'taints',
  'startup taints',
  'soft taints',
  'limits',
  'node limit',
  'minValues',
  'pool requirements',
  'pool labels',
  'racks',
  'nodes',
  'foreign nodes',
  'starting nodes',
  'bound pods',
  'daemons',
  'daemon ports',
  'node selector',
  'node affinity',
  'or terms',
  'preferences',
  'zone spread',
  'host spread',
  'rack spread',
  'soft spread',
  'minDomains',
  'policies',
  'matchLabelKeys',
  'affinity',
  'self affinity',
  'anti-affinity',
  'zone anti-affinity',
  'soft affinity',
  'namespaces',
  'ports',
  'volumes',
  'volume limits',
  'large pods',
  'impossible pods',
  'resource claims',
  'ignore preferences',
  'best effort',
  'priority',
] as const;
export type Feature = (typeof FEATURES)[number];

export interface Setting {
  readonly chance: Chance;
  readonly has: ReadonlySet<Feature>;
  readonly zones: readonly string[];
}

/** Labels of the catalogue that a claim may leave open. */
export const FAMILY = 'example.com/family';
export const GENERATION = 'example.com/generation';
export const GPU = 'example.com/gpu';
