/** Names under which the controller shows itself to a cluster: upstream's, so that dashboards, audit logs and a second controller know it. */

/** Upstream's Lease, so that Karpenter and Chandler in one cluster never lead at once. */
export const LEASE_NAME = 'karpenter-leader-election';

/** `source.component` of events. */
export const EVENT_COMPONENT = 'karpenter';

/** The user agent of the controller's requests. */
export const CONTROLLER_USER_AGENT = 'karpenter';

/** How the identity of a replica of ours in the Lease begins. A name of a pod, with which Karpenter's begins, has no underscore. */
export const LEASE_IDENTITY_PREFIX = 'chandler_';
