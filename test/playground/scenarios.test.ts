import { afterEach, describe, expect, test } from 'vitest';
import { STORIES } from '../../src/playground/scenarios/index.ts';
import { type StoryStage, storyStage } from './story-stage.ts';

let stage: StoryStage | undefined;
afterEach(async () => {
  await stage?.end();
  stage = undefined;
});

describe('every story ends as it is told', () => {
  test.each(STORIES.map((story) => [story.name, story] as const))(
    '%s',
    async (_, story) => {
      stage = await storyStage(story.controllerArgs ?? []);
      const { end, told } = await stage.play(story);
      console.log(
        told.map((t) => `${Math.round(t.atMs / 1000)}s ${t.text}`).join('\n'),
        `${Math.round(stage.world.clock.monotonic() / 1000)}s`,
        stage.world.lines
          .filter((l) => l.level !== 'debug' && l.level !== 'info')
          .map((l) => JSON.stringify(l).slice(0, 300))
          .join('\n'),
      );
      expect(end).toEqual({ end: 'told' });
      expect(told.map(({ text }) => text)).toEqual(story.steps.map(({ say }) => say));
    },
    180_000,
  );
});
