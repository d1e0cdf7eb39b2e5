/** AWS in the simulation. */
import './sdk-modules.ts';
import { EC2_NODE_CLASSES } from '../../../packages/chandler/src/api/index.ts';
import { code } from '../operator-code.ts';
import type { Personality } from '../personality.ts';
import { AWS_ACTIONS } from './aws-actions.ts';
import { readCall, refusal } from './aws-call.ts';
import { startAwsCloud } from './aws-cloud.ts';
import { awsStory } from './aws-story.ts';
import { awsSwarm } from './aws-swarm.ts';
import { unavailableIsNotTried, usedTemplatesAreKept } from './checks/fleets.ts';
import { messagesAreHandled } from './checks/messages.ts';
import { oneInstancePerClaim } from './checks/one-instance.ts';
import { awsRateLimits } from './checks/rates.ts';

export const aws: Personality = {
  name: 'aws',
  wire: 'aws',
  nodeClasses: EC2_NODE_CLASSES,
  provider: await code.loadCloud('aws'),
  story: awsStory,
  actions: AWS_ACTIONS,
  swarm: awsSwarm,
  checks: [
    oneInstancePerClaim,
    messagesAreHandled,
    awsRateLimits,
    unavailableIsNotTried,
    usedTemplatesAreKept,
  ],
  start: startAwsCloud,
  readCall,
  refusal,
  readsText: (status, { path, writes }) => status >= 400 || (path === 'ec2:CreateFleet' && writes),
};
