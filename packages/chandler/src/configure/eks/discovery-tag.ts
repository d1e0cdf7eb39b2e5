/** By which node classes find subnets and security groups; the value is the name of the cluster. */
export const DISCOVERY_TAG = 'karpenter.sh/discovery';
