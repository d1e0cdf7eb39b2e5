/** Streams of readers who leave, and how many one person may have. */
import { request } from 'node:http';
import { realTimeWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { TestModel } from '../dashboard.fixture.ts';
import type { DashboardQuestions } from '../questions.ts';
import { startSharedPage } from './page-server.ts';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function withSharedPage(
  use: (page: {
    readonly made: TestModel<ReturnType<typeof realTimeWorld>>;
    readonly asked: string[];
    /** The status, or 0 for a reader who left. */
    ask(reader: string, how?: { readonly leaveMs?: number; readonly body?: string }): Promise<number>;
  }) => Promise<void>,
): Promise<void> {
  const made = new TestModel(realTimeWorld());
  await made.model.start();
  const asked: string[] = [];
  const questions = {
    whatIf: async (text: string) => {
      asked.push(text);
      return {};
    },
  } as unknown as DashboardQuestions;
  const server = await startSharedPage({
    world: made.world,
    assets: async () => new Map(),
    session: { program: '1.0.0', cluster: 'test', views: [] },
    address: '127.0.0.1',
    hosts: [],
    port: 0,
    admission: {
      signIn: 'kubernetes',
      admit: async ({ authorization = '' }) => ({
        reader: authorization,
        // As with an API server that takes its time.
        open: async () => {
          if (authorization === 'slow') await pause(300);
          return { model: made.model, questions };
        },
      }),
    },
  });
  const open: (() => void)[] = [];
  try {
    const ask = (
      reader: string,
      { leaveMs, body }: { readonly leaveMs?: number; readonly body?: string } = {},
    ) =>
      new Promise<number>((resolve) => {
        const sent = request(
          {
            port: server.port,
            host: '127.0.0.1',
            method: body === undefined ? 'GET' : 'POST',
            path:
              body === undefined
                ? `/api/v1/stream?epoch=${made.model.log.epoch}&after=${made.model.log.sequence}`
                : '/api/v1/what-if',
            headers: { authorization: reader, host: 'localhost' },
            agent: false,
          },
          (response) => {
            response.resume();
            open.push(() => sent.destroy());
            resolve(response.statusCode ?? 0);
          },
        );
        sent.on('error', () => resolve(0));
        sent.end(body);
        if (leaveMs !== undefined) setTimeout(() => sent.destroy(), leaveMs);
      });
    await use({ made, asked, ask });
  } finally {
    for (const leave of open) leave();
    await server.close();
    made.model.stop();
  }
}

test('readers who leave before their stream begins hold no place, and nothing is followed or simulated for them', async () => {
  await withSharedPage(async ({ made, asked, ask }) => {
    await Promise.all(Array.from({ length: 20 }, () => ask('slow', { leaveMs: 100 })));
    await ask('slow', { leaveMs: 100, body: 'kind: Pod' });
    await pause(400);
    expect(made.model.log.isFollowed).toBe(false);
    expect(asked).toEqual([]);
    expect(await ask('slow')).toBe(200);
  });
});

test('one person may have ten streams, and others still get one', async () => {
  await withSharedPage(async ({ ask }) => {
    const statuses = [];
    for (let stream = 0; stream < 12; stream++) statuses.push(await ask('ann'));
    expect(statuses.filter((status) => status === 429)).toHaveLength(2);
    expect(await ask('bob')).toBe(200);
  });
});
