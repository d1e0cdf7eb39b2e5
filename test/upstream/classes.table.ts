/**
 * How our plan may differ from upstream's, and why: a closed set. `docs/upstream-scheduling.md` is generated from nothing
 * else; a difference that fits no reason is `unexplained`.
 */

/** By class, what it means. Exactly one holds for a cluster. */
export const CLASSES = {
  equal: 'As many pods are placed, at the same price.',
  cheaper: 'As many pods are placed, at a lower price.',
  'more placed': 'More pods are placed.',
  'more expensive': 'As many pods are placed, at a higher price than in the best plan of upstream.',
  'fewer placed': 'Fewer pods are placed than in the best plan of upstream.',
  wrong: 'Our plan breaks a rule of kube-scheduler or of a NodePool.',
} as const;
export type Class = keyof typeof CLASSES;

/** By reason, the sentence that explains it, and the classes it may explain. */
export const REASONS = {
  same: { of: ['equal'], text: 'Nothing differs that counts.' },
  'upstream breaks a rule': {
    of: ['more expensive', 'fewer placed'],
    text: 'Every plan of upstream breaks a rule: some of its pods would stay pending, or a limit is exceeded.',
  },
  'upstream may break a rule': {
    of: ['more expensive', 'fewer placed'],
    text: 'Every plan of upstream breaks a rule when another of the offerings or label values that the claims allow is chosen.',
  },
  'order of ties': {
    of: ['more expensive', 'fewer placed'],
    text: "Upstream's own plans differ from run to run; ours is not worse than the worst that breaks no rule.",
  },
  'upstream needs another order': {
    of: ['more expensive', 'fewer placed'],
    text: 'Every plan of upstream works only when kube-scheduler binds the pods in an order other than the one it was made in, largest first.',
  },
  'domain without nodes': {
    of: ['more expensive', 'fewer placed'],
    text: 'Every plan of upstream exceeds the skew of a spread over the domains that new nodes can be in; it holds because some of them have no node in the end.',
  },
  'limits used up': {
    of: ['fewer placed'],
    text: 'Pods that only we refuse find the limit of a NodePool used up. Which pods fit under it depends on which come first, and none of the orders that we tried is as good.',
  },
  'next to another pod': {
    of: ['fewer placed'],
    text: 'Pods that only we refuse must share a host with another pod, and the orders that we tried place that one on hosts that do not suit them.',
  },
  'preferences kept': {
    of: ['more expensive'],
    text: 'Our plan satisfies more preferences: preferred terms, soft spreads and soft taints.',
  },
  repacked: {
    of: ['cheaper'],
    text: 'The first plan is no cheaper; filling the claims in other ways is.',
  },
  'first plan': {
    of: ['cheaper'],
    text: 'The first plan is cheaper: another domain, or the same claims with fewer or cheaper types in use.',
  },
  'next domain': {
    of: ['more placed'],
    text: 'Upstream tries one domain of a spread or an affinity for a claim and refuses the pod when no type fits there; we try the next.',
  },
  'domain decided': {
    of: ['more placed'],
    text: 'Upstream leaves the domain of a pod with anti-affinity open and keeps others out of all of them; we decide it.',
  },
  'limits of a pool': {
    of: ['more placed'],
    text: 'Upstream reserves the largest type that a claim may become against the limits of the pool; we keep fewer or smaller types open.',
  },
  'other types': {
    of: ['more placed'],
    text: 'Upstream refuses the pod because no type fits; our claims hold other pods or have other labels, so that one fits.',
  },
  'rejected by validation': {
    of: ['more placed'],
    text: 'Upstream ignores the pod: the validation of its provisioner rejects it.',
  },
  unexplained: {
    of: ['cheaper', 'more placed', 'more expensive', 'fewer placed'],
    text: 'No reason is known.',
  },
  'rule broken': { of: ['wrong'], text: 'A defect of the planner.' },
} as const satisfies Readonly<Record<string, { readonly of: readonly Class[]; readonly text: string }>>;
export type Reason = keyof typeof REASONS;
