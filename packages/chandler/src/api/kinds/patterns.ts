/**
 * Regular expressions that several kinds share. They appear in the API server's refusals, so their text is part of the
 * wire. All are anchored, and all use only syntax that RE2 and JavaScript share.
 */

/** `example.com/name` or `name`: keys of labels and taints. */
export const QUALIFIED_NAME =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*(\\/))?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$';

/** The value of a label; empty is a value too. */
export const LABEL_VALUE = '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$';

/** A Kubernetes quantity: `100m`, `1.5Gi`, `2e3`. */
export const QUANTITY =
  '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$';

/** Whole hours, minutes and seconds in Go's notation. */
export const DURATION = '^([0-9]+(s|m|h))+$';

export const DURATION_OR_NEVER = '^(([0-9]+(s|m|h))+|Never)$';

/** Any duration that Go's parser takes, without a sign. */
export const GO_DURATION = '^(0|(([0-9]+(\\.[0-9]*)?|\\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$';

/** A size with a unit, as the kubelet and AKS write it: `50Mi`. */
export const SIZE = '^\\d+(E|P|T|G|M|K|Ei|Pi|Ti|Gi|Mi|Ki)$';

export const CONDITION_TYPE =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';
