/** What a random cluster of the differential run may contain. Each cluster has a random subset, so that combinations occur. */
import type { Chance } from '../scheduling/chance.ts';

/** By feature, the share of clusters that have it. Reserved capacity, overlays, DRA and priorities are not compared. */
export const FEATURES = {
  zones: 0.8,
  spot: 0.4,
  arm: 0.25,
  'several pools': 0.5,
  weights: 0.3,
  taints: 0.3,
  'soft taints': 0.1,
  'startup taints': 0.1,
  limits: 0.3,
  'node limits': 0.1,
  minValues: 0.15,
  'best effort': 0.1,
  'pool requirements': 0.4,
  'pool labels': 0.25,
  racks: 0.12,
  overhead: 0.5,
  gpu: 0.1,
  unavailable: 0.25,
  nodes: 0.6,
  'foreign nodes': 0.2,
  'starting nodes': 0.15,
  'bound pods': 0.5,
  daemons: 0.45,
  'daemon ports': 0.08,
  'node selectors': 0.35,
  'node affinity': 0.3,
  'or terms': 0.1,
  preferences: 0.2,
  'zone spread': 0.4,
  'host spread': 0.25,
  'rack spread': 0.5,
  'soft spread': 0.25,
  minDomains: 0.08,
  policies: 0.08,
  matchLabelKeys: 0.08,
  'zone affinity': 0.15,
  'host affinity': 0.12,
  'host anti-affinity': 0.25,
  'zone anti-affinity': 0.1,
  'soft affinity': 0.12,
  namespaces: 0.15,
  ports: 0.12,
  volumes: 0.25,
  'volume limits': 0.3,
  'large pods': 0.3,
  'impossible pods': 0.08,
  'ignore preferences': 0.06,
} as const;
export type Feature = keyof typeof FEATURES;

/** What the parts of one cluster are drawn with. */
export interface Setting {
  readonly chance: Chance;
  readonly has: (feature: Feature) => boolean;
  readonly zones: readonly string[];
}

export function drawFeatures(chance: Chance): readonly Feature[] {
  // Some clusters are plain, others have much at once.
  const density = chance.one([0.5, 1, 1, 1.5]);
  return (Object.keys(FEATURES) as Feature[]).filter((name) => chance.happens(FEATURES[name] * density));
}

/** Labels of instance types that a claim may leave open. */
export const FAMILY = 'example.com/family';
export const GENERATION = 'example.com/generation';
export const GPU = 'example.com/gpu';
export const DRIVER = 'disk.example.com';
