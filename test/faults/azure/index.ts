/** Azure in the simulation. */
import './sdk-modules.ts';
import { AKS_NODE_CLASSES } from '../../../packages/chandler/src/api/index.ts';
import { code } from '../operator-code.ts';
import type { Personality } from '../personality.ts';
import { bodyOf, methodOf, pathOf, urlOf } from '../request.ts';
import { startAzureCloud } from './azure-cloud.ts';
import { azureStory } from './azure-story.ts';
import { azureSwarm } from './azure-swarm.ts';
import { refusedSetHoldsLaunches } from './checks/disk-encryption.ts';
import { oneVmPerClaim } from './checks/one-vm.ts';
import { armRateLimits } from './checks/rates.ts';
import { partsNameTheirClaim } from './checks/tags.ts';

export const azure: Personality = {
  name: 'azure',
  wire: 'arm',
  nodeClasses: AKS_NODE_CLASSES,
  provider: await code.loadCloud('azure'),
  story: azureStory,
  actions: [],
  swarm: azureSwarm,
  checks: [oneVmPerClaim, partsNameTheirClaim, armRateLimits, refusedSetHoldsLaunches],
  start: startAzureCloud,
  readCall(input, init) {
    const [url, path, method] = [urlOf(input), pathOf(input), methodOf(init)];
    const at = url.indexOf('?');
    const isSignIn = path.includes('/oauth2/');
    return {
      method,
      path,
      query: at < 0 ? '' : url.slice(at),
      // Sign-in is a form, not JSON.
      body: isSignIn ? undefined : bodyOf(init),
      // A query of Resource Graph changes nothing.
      writes:
        method !== 'GET' && method !== 'HEAD' && !isSignIn && !/\/Microsoft\.ResourceGraph\//i.test(path),
      isSignIn,
    };
  },
  refusal(status) {
    const error = { code: ERRORS[status], message: 'made up by the network of a test' };
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (status === 429) headers['retry-after'] = '2';
    return new Response(JSON.stringify({ error }), { status, headers });
  },
  readsText: (status) => status === 429,
};

// ---------------------------------------------------------------------------------------------------

const ERRORS: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};
