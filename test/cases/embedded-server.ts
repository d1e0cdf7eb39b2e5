/** The embedded API server with the users of the cases, for the player. */
import { type ApiServer, startApiServer } from '@chandler/apiserver';
import { systemClock, systemRandom } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { ALICE_TOKEN } from '../cluster/control-plane/launch.ts';
import type { Server } from './player.ts';

export async function embeddedServer(): Promise<Server & { readonly api: ApiServer }> {
  const world = { ...virtualWorld(), clock: systemClock, random: systemRandom };
  const api = await startApiServer({
    world,
    tokens: { [ALICE_TOKEN]: { username: 'alice', uid: 'alice', groups: ['dev'] } },
  });
  return {
    api,
    url: 'https://playground.invalid',
    fetch: api.fetch,
    tokens: { admin: api.adminToken, alice: ALICE_TOKEN },
  };
}
