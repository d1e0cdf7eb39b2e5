/** The clouds on which Karpenter's clusters are taken over. */
import { AWS } from './aws/cloud.ts';
import { AZURE } from './azure/cloud.ts';
import type { TakeoverCloud } from './upstream-cluster.ts';

export const TAKEOVER_CLOUDS: readonly TakeoverCloud[] = [AZURE, AWS];
