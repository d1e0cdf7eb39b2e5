import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { withCallLog } from './call-log.ts';

const SECRET = 'sig=s3cret';
const answer = async () => new Response('{}', { status: 201, headers: { 'x-ms-request-id': 'r-1' } });

test('every call is a debug line, without query, headers and body, and only while the option is on', async () => {
  const world = virtualWorld();
  let isOn = false;
  const send = withCallLog(answer, world, () => isOn);
  const call = () => send(`https://arm.example/subscriptions/s?${SECRET}`, { method: 'put', body: SECRET });
  await call();
  expect(world.lines).toEqual([]);
  isOn = true;
  expect((await call()).status).toBe(201);
  expect(world.lines).toMatchObject([
    {
      level: 'debug',
      message: 'call to Azure',
      fields: { method: 'PUT', host: 'arm.example', path: '/subscriptions/s', status: 201, requestId: 'r-1' },
    },
  ]);
  expect(JSON.stringify(world.lines)).not.toContain(SECRET);
});

test('a call that fails is logged too, and fails', async () => {
  const world = virtualWorld();
  const broken = async () => {
    throw new Error('connection reset');
  };
  const send = withCallLog(broken, world, () => true);
  await expect(send('https://arm.example/x')).rejects.toThrow('connection reset');
  expect(world.lines).toHaveLength(1);
});
