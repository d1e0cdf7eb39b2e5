import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { STORIES, type Story } from '../../packages/chandler/src/playground/index.ts';
import { deployment } from '../../packages/chandler/src/playground/testing.ts';

import { SMALL_MARKET, type StoryStage, storyStage } from './story-stage.ts';

const PATIENCE_MS = 240_000;
let stage: StoryStage | undefined;
afterEach(async () => {
  await stage?.end();
  stage = undefined;
});

describe('every story ends as it is told', () => {
  test.each(STORIES.map((story) => [story.name, story] as const))(
    '%s',
    async (_, story) => {
      stage = await storyStage(story.controllerArgs ?? [], SMALL_MARKET);
      const { end, told } = await stage.play(story);
      expect(end).toEqual({ end: 'told' });
      expect(told.map(({ text }) => text)).toEqual(story.steps.map(({ say }) => say));
    },
    PATIENCE_MS,
  );

  test('those of the issue are there', () => {
    expect(STORIES.map(({ name }) => name)).toEqual([
      'burst',
      'zone-outage',
      'quota-cut',
      'cse-failure',
      'byok-misconfiguration',
      'slow-registration',
    ]);
  });

  test('docs/playground.md lists them all', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/playground.md'), 'utf8');
    const listed = [...page.matchAll(/^\| `([\w-]+)` \|/gm)].map((match) => match[1]);
    expect(listed).toEqual(STORIES.map(({ name }) => name));
  });
});

describe('a story that does not end as told', () => {
  test(
    'says at which step, and how it was instead',
    async () => {
      stage = await storyStage([], SMALL_MARKET);
      const step = {
        say: 'six pods run',
        acts: [{ apply: deployment('app', 2, { cpu: '1', memory: '1Gi' }) }],
      };
      const story: Story = {
        name: 'untrue',
        summary: '',
        speed: 1,
        steps: [
          { ...step, until: [{ pods: { app: 'app', running: 6 } }], withinMs: 60_000 },
          { say: 'never told' },
        ],
      };
      const { end, told } = await stage.play(story);
      expect(end).toEqual({ end: 'failed', step: 'six pods run', why: 'app: 2 pods run, 0 wait' });
      expect(told).toHaveLength(1);
    },
    PATIENCE_MS,
  );
});
