import { NODES, PODS, type ResourceRef } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { Admitted, Refusal } from '../server/admission.ts';
import type { OpenedPage } from '../server/routes.ts';
import { kubernetesAdmission, type Viewer } from './kubernetes-admission.ts';
import { ReviewFailure } from './reviews.ts';

/** An API server that knows the tokens `of-NAME`. */
function anAdmission() {
  const world = virtualWorld();
  const asked: string[] = [];
  const viewers: Viewer[] = [];
  const server = { isOut: false, mayList: new Set(['nodes', 'pods']), users: new Set(['ann', 'bob']) };
  const answer = (question: string) => {
    asked.push(question);
    if (server.isOut) throw new ReviewFailure('the API server does not answer (timeout)', 'wait');
  };
  const admission = kubernetesAdmission({
    clock: world.clock,
    log: world.log,
    kinds: () => [NODES, PODS] as readonly ResourceRef[],
    reviews: {
      async userOf(token) {
        answer('token');
        const username = token.replace(/^of-/, '');
        return server.users.has(username) ? { username, groups: ['team'] } : undefined;
      },
      async mayList({ username }, { plural }) {
        answer(`${username} ${plural}`);
        return server.mayList.has(plural);
      },
    },
    async open(viewer) {
      viewers.push(viewer);
      return {} as OpenedPage;
    },
  });
  const admit = (token?: string) =>
    admission.admit(token === undefined ? {} : { authorization: `Bearer ${token}` });
  return { world, asked, viewers, server, admit };
}

const statusOf = (given: Admitted | Refusal) => ('status' in given ? given.status : 200);

describe('an admission by the API server', () => {
  test('asks once for a user, also when many requests come at once, and again after half a minute', async () => {
    const { world, asked, admit } = anAdmission();
    const first = await Promise.all(Array.from({ length: 5 }, () => admit('of-ann')));
    expect(first.map(statusOf)).toEqual([200, 200, 200, 200, 200]);
    expect([...asked].sort()).toEqual(['ann nodes', 'ann pods', 'token']);
    await world.clock.advance(29_000);
    await admit('of-ann');
    expect(asked).toHaveLength(3);
    await world.clock.advance(2_000);
    await admit('of-ann');
    expect(asked).toHaveLength(6);
  });

  test('a permission or a user that is taken away holds for half a minute at most', async () => {
    const { world, server, viewers, admit } = anAdmission();
    const open = async () => ((await admit('of-ann')) as Admitted).open();
    await open();
    server.mayList.delete('pods');
    await world.clock.advance(30_000);
    await open();
    expect(viewers.map(({ listable }) => [...listable])).toEqual([['nodes', 'pods'], ['nodes']]);
    server.users.delete('ann');
    await world.clock.advance(30_000);
    expect(statusOf(await admit('of-ann'))).toBe(401);
  });

  test('while the API server does not answer nobody is admitted, and nothing of it is remembered', async () => {
    const { server, world, admit } = anAdmission();
    await admit('of-ann');
    server.isOut = true;
    await world.clock.advance(31_000);
    for (const token of ['of-ann', 'of-bob']) expect(statusOf(await admit(token))).toBe(503);
    expect(world.lines.filter(({ message }) => message.includes('nobody can be admitted'))).toHaveLength(1);
    server.isOut = false;
    for (const token of ['of-ann', 'of-bob']) expect(statusOf(await admit(token))).toBe(200);
  });

  test('without nodes there is nothing to show', async () => {
    const { server, admit } = anAdmission();
    server.mayList.delete('nodes');
    expect(await admit('of-ann')).toMatchObject({ status: 403, signIn: 'kubernetes' });
  });

  test('who guesses tokens is slowed down, asks the API server little, and does not slow down others', async () => {
    const { asked, world, admit } = anAdmission();
    await admit('of-ann');
    asked.length = 0;
    const statuses = [];
    for (let guess = 0; guess < 50; guess++) statuses.push(statusOf(await admit(`guess-${guess}`)));
    expect(statuses.filter((status) => status === 401)).toHaveLength(19);
    expect(statuses.filter((status) => status === 429)).toHaveLength(31);
    expect(asked).toHaveLength(19);
    await world.clock.advance(31_000);
    for (let guess = 0; guess < 50; guess++) await admit(`other-${guess}`);
    expect(statusOf(await admit('of-ann'))).toBe(200);
    // The same wrong token again is not asked about.
    asked.length = 0;
    for (let again = 0; again < 20; again++) await admit('other-1');
    expect(asked).toEqual([]);
  });

  test('one user who asks too often does not slow down another', async () => {
    const { admit } = anAdmission();
    const statuses = [];
    for (let request = 0; request < 120; request++) statuses.push(statusOf(await admit('of-ann')));
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    expect(statusOf(await admit('of-bob'))).toBe(200);
  });

  test.each(['', 'Basic abc', 'Bearer ', 'Bearer a b', `Bearer ${'a'.repeat(13_000)}`])(
    'no token: %.20s',
    async (authorization) => {
      const { asked, world } = anAdmission();
      const admission = kubernetesAdmission({
        clock: world.clock,
        log: world.log,
        kinds: () => [],
        reviews: { userOf: () => Promise.reject(new Error('asked')), mayList: async () => true },
        open: () => Promise.reject(new Error('opened')),
      });
      expect(statusOf(await admission.admit({ authorization }))).toBe(401);
      expect(asked).toEqual([]);
    },
  );
});
